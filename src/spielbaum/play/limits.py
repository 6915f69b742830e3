"""How long a player of a match may think: for each move, or by a clock for the whole game."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from spielbaum.agents import Budget
from spielbaum.base.errors import SpecError
from spielbaum.play.clock import think_seconds

WHOLE = ("iterations", "nodes", "depth")
"""Limits that are whole numbers."""


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
        if self.clock is not None and not 0 < self.clock < math.inf:
            raise SpecError(f"clock={self.clock:g}: expected a number of seconds above 0")
        if not 0 <= self.increment < math.inf or (self.increment and self.clock is None):
            raise SpecError(f"increment={self.increment:g}: expected 0 or more, and a clock")
        if self.clock is not None and self.seconds is not None:
            raise SpecError(f"seconds={self.seconds:g},clock={self.clock:g}: expected one of them")
        self.budget(None)  # checks the other numbers

    @property
    def text(self) -> str:
        """The limits that are set, as `parse` reads them.

        >>> Limits(iterations=1_234_567).text, Limits(seconds=2.0).text
        ('iterations=1234567', 'seconds=2')
        """
        given = ((each.name, getattr(self, each.name)) for each in fields(self))
        return ",".join(f"{name}={_exactly(value)}" for name, value in given if value)

    @classmethod
    def parse(cls, text: str) -> Limits:
        """Read what `text` wrote.

        >>> Limits.parse("hours=3")
        Traceback (most recent call last):
            ...
        spielbaum.base.errors.SpecError: limit 'hours=3': expected iterations, seconds, nodes, \
depth, clock, increment with a number
        """
        values: dict[str, Any] = {}
        names = [each.name for each in fields(cls)]
        for part in filter(None, text.split(",")):
            name, _, written = part.partition("=")
            try:
                if name not in names:
                    raise ValueError
                number = float(written)
            except ValueError:
                raise SpecError(
                    f"limit {part!r:.60}: expected {', '.join(names)} with a number"
                ) from None
            # A whole number may be written as 1e6; what has a fraction the budget refuses.
            whole = name in WHOLE and number.is_integer()
            values[name] = int(number) if whole else number
        return cls(**values)

    def budget(self, left: float | None) -> Budget:
        """The budget of the next move, with ``left`` seconds on the clock.

        >>> round(Limits(clock=50).budget(15.3).seconds, 3)
        0.47
        """
        seconds = self.seconds
        if self.clock is not None:
            have = self.clock if left is None else left
            seconds = think_seconds(have, self.increment)
        return Budget(
            iterations=self.iterations, seconds=seconds, nodes=self.nodes, depth=self.depth
        )

    @property
    def longest(self) -> float:
        """Seconds after which a move will not come any more, were it not for `HANG_SECONDS`."""
        return max(self.seconds or 0.0, self.clock or 0.0)


def _exactly(number: float) -> str:
    """A number in few digits, but in all that it takes to read it back."""
    short = str(number) if isinstance(number, int) else f"{number:g}"
    return short if float(short) == number else repr(number)
