"""How long agents may think about a move: the same options for every command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from spielbaum.play.limits import Limits

NAMES = ("iterations", "seconds", "nodes", "depth")


@dataclass(frozen=True)
class Effort:
    """Limits for each move, as they were typed; the first one that is reached counts.

    >>> Effort(seconds="0.5", depth="8").limits_of_all()
    Limits(iterations=None, seconds=0.5, nodes=None, depth=8, clock=None, increment=0.0)
    """

    iterations: Annotated[
        str | None, typer.Option("--iterations", metavar="N", help="Iterations for each move.")
    ] = None
    seconds: Annotated[
        str | None, typer.Option("--seconds", metavar="S", help="Time for each move.")
    ] = None
    nodes: Annotated[
        str | None, typer.Option("--nodes", metavar="N", help="Positions to visit for each move.")
    ] = None
    depth: Annotated[
        str | None, typer.Option("--depth", metavar="N", help="Plies to look ahead.")
    ] = None

    def limits_of_all(self, default: str = "") -> Limits:
        """Read the limits of every agent; those of ``default`` if none were typed."""
        typed = [f"{name}={getattr(self, name)}" for name in NAMES if getattr(self, name)]
        return Limits.parse(",".join(typed) or default)
