"""How long agents may think about a move: the same options for every command."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import typer

from spielbaum.base.errors import SpecError
from spielbaum.play.limits import Limits, limits_of_each

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


@dataclass(frozen=True)
class Efforts(Effort):
    """Limits of several agents, which may differ.

    >>> [each.text for each in Efforts(limits="nodes=9/depth=3").limits_of_each(2)]
    ['nodes=9', 'depth=3']
    """

    limits: Annotated[
        str | None,
        typer.Option(
            "--limits",
            metavar="LIMITS",
            help="Limits in one text: iterations=, seconds=, nodes=, depth=, clock=, increment=; "
            "those of each agent are separated by /.",
        ),
    ] = None

    def limits_of_all(self, default: str = "") -> Limits:
        """Read the limits of every agent, by whichever option they were typed."""
        if self.limits is None:
            return super().limits_of_all(default)
        for name in NAMES:
            if getattr(self, name) is not None:
                raise SpecError(f"--limits {self.limits!r:.60} and --{name}: expected one of them")
        return Limits.parse(self.limits)

    def limits_of_each(self, agents: int, default: str = "") -> list[Limits]:
        """Read the limits of each agent: those of all, or ``--limits`` with one for each."""
        if self.limits is None:
            return [self.limits_of_all(default)] * agents
        parts = limits_of_each(self.limits, agents)
        return [replace(self, limits=part).limits_of_all() for part in parts]
