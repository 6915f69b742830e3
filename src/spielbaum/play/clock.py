"""How much of a clock to spend on one move."""

from __future__ import annotations

LEAST = 0.001
"""Seconds for a move when there is no time left at all: a move must be played all the same."""
USUAL_MOVES = 30
"""Moves that the time is shared among when nobody says how many are to go."""
SHARE_OF_INCREMENT = 0.75
MOST_OF_CLOCK = 0.6
"""The part of the clock that one move may take while others are still to come."""


def think_seconds(
    remaining: float,
    increment: float = 0.0,
    moves_to_go: int | None = None,
    overhead: float = 0.01,
) -> float:
    """Seconds to think, with so many left on the clock.

    ``overhead`` is lost between the engine and the clock on every move. The answer is never more
    than what remains without it, except for the millisecond that the last move takes anyhow.

    >>> round(think_seconds(60.01), 3), round(think_seconds(60.01, increment=1), 3)
    (2.0, 2.75)
    >>> round(think_seconds(1.01, moves_to_go=1), 3), think_seconds(-5)
    (1.0, 0.001)
    """
    usable = remaining - overhead
    moves = USUAL_MOVES if moves_to_go is None else min(moves_to_go, USUAL_MOVES)
    most = usable if moves <= 1 else usable * MOST_OF_CLOCK
    return max(LEAST, min(most, usable / max(moves, 1) + increment * SHARE_OF_INCREMENT))
