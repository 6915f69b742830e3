"""Random numbers that are the same everywhere, from a seed."""

from spielbaum._core import Rng

__all__ = ["Rng"]
