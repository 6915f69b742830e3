"""How long a player of a match may think: for each move, or by a clock for the whole game."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from spielbaum.agents import Budget
from spielbaum.errors import SpecError

MOVES_TO_GO = 25
"""A clock is shared out as if the game went on for so many moves."""


def limits_of_each(text: str, agents: int) -> list[str]:
    """Split limits into those of each agent: the same for all, or as many, separated by ``/``.

    >>> limits_of_each("depth=3", 2), limits_of_each("depth=3/nodes=50", 2)
    (['depth=3', 'depth=3'], ['depth=3', 'nodes=50'])
    """
    parts = text.split("/")
    if len(parts) == 1:
        return [text] * agents
    if len(parts) != agents or not all(parts):
        each = f", or of each of the {agents}, separated by /" if agents > 1 else ""
        raise SpecError(f"--limits {text!r:.60}: expected limits of all agents{each}")
    return parts


@dataclass(frozen=True)
class Limits:
    """Limits of one player; the first one that is reached ends the thinking about a move.

    >>> Limits(iterations=1000).text
    'iterations=1000'
    >>> Limits.parse("clock=60,increment=0.5").increment
    0.5
    """

    iterations: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    clock: float | None = None
    """Seconds for the whole game; who has used them up loses."""
    increment: float = 0.0
    """Seconds that the clock gains with every move."""

    def __post_init__(self) -> None:
        self.budget(self.clock)  # checks the numbers
        if self.increment < 0 or (self.increment and self.clock is None):
            raise SpecError(f"increment={self.increment:g}: expected 0 or more, and a clock")
        if self.clock is not None and self.seconds is not None:
            raise SpecError(f"seconds={self.seconds:g},clock={self.clock:g}: expected one of them")

    @property
    def text(self) -> str:
        """The limits that are set, as `parse` reads them."""
        given = ((each.name, getattr(self, each.name)) for each in fields(self))
        return ",".join(f"{name}={value:g}" for name, value in given if value)

    @classmethod
    def parse(cls, text: str) -> Limits:
        """Read what `text` wrote.

        >>> Limits.parse("hours=3")
        Traceback (most recent call last):
            ...
        spielbaum.errors.SpecError: limit 'hours=3': expected iterations, seconds, nodes, depth, \
clock, increment with a number
        """
        values: dict[str, float] = {}
        names = [each.name for each in fields(cls)]
        for part in filter(None, text.split(",")):
            name, _, number = part.partition("=")
            try:
                if name not in names:
                    raise ValueError
                values[name] = float(number)
            except ValueError:
                raise SpecError(
                    f"limit {part!r:.60}: expected {', '.join(names)} with a number"
                ) from None
        whole = ("iterations", "nodes", "depth")
        given: dict[str, Any] = {
            name: int(value) if name in whole else value for name, value in values.items()
        }
        return cls(**given)

    def budget(self, left: float | None) -> Budget:
        """The budget of the next move, with ``left`` seconds on the clock.

        >>> Limits(clock=50).budget(10.0).seconds
        0.4
        """
        seconds = self.seconds
        if self.clock is not None:
            have = self.clock if left is None else left
            seconds = max(min(have / MOVES_TO_GO + 0.8 * self.increment, 0.8 * have), 1e-6)
        return Budget(
            iterations=self.iterations, seconds=seconds, nodes=self.nodes, depth=self.depth
        )

    @property
    def longest(self) -> float:
        """Seconds after which a move will not come any more, were it not for `HANG_SECONDS`."""
        return max(self.seconds or 0.0, self.clock or 0.0)
