"""How much of a clock to spend on one move."""

from __future__ import annotations

LEAST = 0.001
"""Seconds for a move when there is no time left at all: a move must be played all the same."""
USUAL_MOVES = 30
"""Moves that the time is shared among when nobody says how many are to go."""
SHARE_OF_INCREMENT = 0.75
MOST_OF_CLOCK = 0.6
"""The part of the usable time that one move may take while others are still to come."""
OVERHEAD = 0.03
"""Seconds that usually get lost on a move between the one who thinks and the clock."""
RESERVED_MOVES = 10
"""So many overheads are never planned to be used, for the day when one move loses them all."""
MOST_RESERVED = 0.5
"""The part of any time that is kept back at most, so that some is left to think in."""


def kept_back(seconds: float, margin: float) -> float:
    """Return how much of a time not to use: the margin, or half of the time if that is less.

    >>> kept_back(10.0, 0.25), kept_back(0.1, 0.25)
    (0.25, 0.05)
    """
    return min(margin, seconds * MOST_RESERVED)


def think_seconds(
    remaining: float,
    increment: float = 0.0,
    moves_to_go: int | None = None,
    overhead: float = OVERHEAD,
) -> float:
    """Share out the seconds that remain on a clock: return those for the next move.

    ``overhead`` is lost on every move, and each move pays for its own, so that a clock with an
    increment keeps its level where no more than that is lost. A reserve of ten overheads, or half
    of a short clock, is left for the moves on which a busy machine or network loses far more. The
    result is at least a millisecond, which the last move takes anyhow.

    >>> round(think_seconds(60.3), 3), round(think_seconds(60.3, increment=1), 3)
    (1.97, 2.72)
    >>> round(think_seconds(1.3, moves_to_go=1), 3), think_seconds(-5)
    (0.97, 0.001)
    """
    usable = remaining - kept_back(remaining, RESERVED_MOVES * overhead)
    moves = USUAL_MOVES if moves_to_go is None else max(1, min(moves_to_go, USUAL_MOVES))
    most = usable if moves == 1 else usable * MOST_OF_CLOCK
    return max(LEAST, min(most, usable / moves + increment * SHARE_OF_INCREMENT) - overhead)
