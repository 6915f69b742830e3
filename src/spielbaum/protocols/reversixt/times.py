"""How long a move may take: what a server allows, and what a client makes of a request."""

from __future__ import annotations

from dataclasses import dataclass

from spielbaum.agents import Budget
from spielbaum.base.errors import SpecError
from spielbaum.play.clock import LEAST, kept_back, think_seconds
from spielbaum.play.limits import Limits
from spielbaum.protocols.reversixt.messages import Request

ADDED = 2000
"""Milliseconds that the course adds to an account before each request."""
LARGEST = 2**32 - 1


@dataclass(frozen=True)
class Allowance:
    """What a server allows each player: time for every move, or on an account, and a depth.

    >>> Allowance(milliseconds=100).text, Allowance(account=10_000, depth=5).text
    ('100 ms per move', 'an account of 10000 ms and 2000 ms per request, depth 5')
    >>> Allowance(account=10_000).limits
    Limits(iterations=None, seconds=None, nodes=None, depth=None, clock=12.0, increment=2.0)
    """

    milliseconds: int = 0
    """For each move; 0 does not limit it."""
    account: int = 0
    """Milliseconds for the whole game; 0 if there is no account."""
    added: int = ADDED
    """Milliseconds that the account gains before each request."""
    depth: int = 0
    """Plies to look ahead, which a server cannot check; 0 does not limit them."""

    def __post_init__(self) -> None:
        if self.milliseconds and self.account:
            raise SpecError(
                f"time={self.milliseconds} and account={self.account}: expected one of them"
            )

    @property
    def limits(self) -> Limits:
        """The limits of each seat at the referee's table.

        A table adds to a clock after each move, so that the clock begins with the first addition.
        """
        depth = self.depth or None
        if self.account:
            first = (self.account + self.added) / 1000
            return Limits(depth=depth, clock=first, increment=self.added / 1000)
        return Limits(depth=depth, seconds=self.milliseconds / 1000 or None)

    def request(self, left: float | None) -> Request:
        """The request for a move, with so many seconds left on the player's clock.

        >>> Allowance(account=500).request(2.5), Allowance(depth=3).request(None)
        (Request(milliseconds=2500, depth=0), Request(milliseconds=0, depth=3))
        """
        # 0 would not limit the time at all.
        shown = self.milliseconds if left is None else min(max(int(left * 1000), 1), LARGEST)
        return Request(shown, self.depth)

    @property
    def text(self) -> str:
        """The allowance in words."""
        parts = []
        if self.milliseconds:
            parts.append(f"{self.milliseconds} ms per move")
        if self.account:
            parts.append(f"an account of {self.account} ms and {self.added} ms per request")
        if self.depth:
            parts.append(f"depth {self.depth}")
        return ", ".join(parts) or "no limit"


class Pace:
    """How a client spends its time.

    A request does not say whether its time is for this move alone or all that is left on an
    account. Time that is the same in two requests in a row is for each move; otherwise the client
    shares it out among the moves to come.

    >>> pace = Pace(margin=50)
    >>> pace.budget(Request(1000, 0)).seconds
    0.25
    >>> pace.budget(Request(1000, 0)).seconds
    0.95
    >>> pace.budget(Request(0, 4))
    Budget(iterations=None, seconds=None, depth=4, nodes=None, stop=None, report=None)
    """

    def __init__(self, margin: float) -> None:
        """``margin``: milliseconds between the move that is sent and the deadline."""
        self._margin = margin / 1000
        self._last: int | None = None

    def margin(self, request: Request) -> float:
        """Seconds to keep back: the margin, or half of a move's time if that is less."""
        return kept_back(request.milliseconds / 1000, self._margin)

    def budget(self, request: Request) -> Budget:
        """What the agent may use for the move that is asked for."""
        same, self._last = self._last == request.milliseconds, request.milliseconds
        depth = request.depth or None
        if request.milliseconds == 0:
            return Budget(depth=depth)
        time, margin = request.milliseconds / 1000, self.margin(request)
        seconds = time - margin if same else think_seconds(time, ADDED / 1000, overhead=margin)
        return Budget(seconds=round(max(seconds, LEAST), 6), depth=depth)
