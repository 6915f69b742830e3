"""Which version of Spielbaum this is."""

from spielbaum_command.version import VERSION

__all__ = ["VERSION"]
