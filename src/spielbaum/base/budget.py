"""How long an agent may think, and how to end its thinking from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spielbaum import _core
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option, OptionValue

if TYPE_CHECKING:
    from spielbaum.agents.decision import Decision


class StopToken:
    """Ends the thinking of every agent that got it in its `Budget`; safe to use from any thread.

    A token that was stopped stays stopped: use a new one for the next decision.

    >>> token = StopToken()
    >>> token.stopped
    False
    >>> token.stop()
    >>> token.stopped
    True
    """

    def __init__(self) -> None:
        # The flag itself lives in the core, where searches look at it without asking Python.
        self.flag = _core.StopFlag()

    def stop(self) -> None:
        """Ask the agents that hold this token to decide now."""
        self.flag.stop()

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self.flag.stopped

    def __repr__(self) -> str:
        return f"<StopToken {'stopped' if self.stopped else 'running'}>"


@dataclass(frozen=True)
class Budget:
    """Limits of one decision. Limits can be combined; the first one reached ends the search.

    A limit of None does not limit. An agent takes the limits that mean something to it: a random
    agent needs none, alpha-beta does not count iterations. With no limit at all a search runs
    until it knows the answer or is stopped.

    >>> Budget(iterations=1000, seconds=0.5)
    Budget(iterations=1000, seconds=0.5, depth=None, nodes=None, stop=None, report=None)
    >>> Budget(seconds=0)
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: budget: option seconds=0: expected a number of at least 1e-06
    """

    iterations: int | None = None
    """Iterations of a tree search that grows its tree by one playout or evaluation at a time."""
    seconds: float | None = None
    """Time on the clock of the wall."""
    depth: int | None = None
    """Plies that a search by depth looks ahead."""
    nodes: int | None = None
    """Positions that are visited."""
    stop: StopToken | None = None
    """A token that ends the search from another thread."""
    report: Callable[[Decision], None] | None = None
    """Called by a search whenever it knows more, with what it would decide if it had to end now.
    It runs in the thread of the search, which waits for it; an exception ends the search."""

    def __post_init__(self) -> None:
        for limit in _LIMITS:
            value = getattr(self, limit.name)
            if value is not None:
                # Also turns numpy's numbers, which experiments are full of, into plain ones.
                object.__setattr__(self, limit.name, _checked(limit, value))
        if self.stop is not None and not isinstance(self.stop, StopToken):
            raise SpecError(f"budget stop={self.stop!r}: expected a StopToken")
        if self.report is not None and not callable(self.report):
            raise SpecError(f"budget report={self.report!r}: expected a function of a Decision")


DEFAULT_SECONDS = 1.0
"""How long a search thinks if nobody limits it."""


def or_default(budget: Budget | None, *limits: str) -> Budget:
    """The budget of a search: one second if none of the limits that mean something to it is set.

    >>> or_default(None, "depth").seconds, or_default(Budget(depth=3), "depth").seconds
    (1.0, None)
    """
    given = budget or Budget()
    if all(getattr(given, limit) is None for limit in (*limits, "seconds", "stop")):
        return replace(given, seconds=DEFAULT_SECONDS)
    return given


_LIMITS = (
    Option("iterations", 1, low=1),
    Option("seconds", 1.0, low=1e-6),
    Option("depth", 1, low=1),
    Option("nodes", 1, low=1),
)


def _checked(limit: Option, value: object) -> OptionValue:
    try:
        return limit.check(value)
    except SpecError as error:
        raise SpecError(f"budget: {error}") from None
