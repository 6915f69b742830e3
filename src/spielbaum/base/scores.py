"""Scores of searches: whole numbers as evaluations give them, with wins and losses at both ends.

A win in ``n`` plies scores ``WIN - n``, a loss ``n - WIN``; every evaluation lies between them. In
chess a score counts hundredths of a pawn.
"""

from __future__ import annotations

import math

from spielbaum import _core

HALF = 400.0  # the score of an evaluation that is shown as a value of 0.5


def score_value(score: int) -> float:
    """The score as a value in [-1, 1]; only proven wins and losses reach the ends.

    >>> score_value(0), score_value(400), score_value(-32000)
    (0.0, 0.5, -1.0)
    """
    proven = proven_value(score)
    return score / (HALF + abs(score)) if proven is None else proven


def value_score(value: float) -> int:
    """The score that `score_value` shows as this value, for agents that know values only.

    >>> value_score(0.5), value_score(-0.2), value_score(1.0)
    (400, -100, 30999)
    """
    score = HALF * value / max(1 - abs(value), 1e-9)
    return evaluation_score(round(score))


def network_value(score: int, squash: bool = True) -> float:
    """The same for scores of a network: they are thousandths of what it applies tanh to.

    A network without tanh (``squash=False``) has values beyond 1, which are cut off there.

    >>> network_value(0), round(network_value(500), 4), network_value(-32000)
    (0.0, 0.4621, -1.0)
    >>> network_value(500, squash=False), network_value(-7000, squash=False)
    (0.5, -1.0)
    """
    proven = proven_value(score)
    if proven is not None:
        return proven
    raw = score / _core.NTUPLE_UNIT
    return math.tanh(raw) if squash else max(-1.0, min(1.0, raw))


def proven_value(score: int) -> float | None:
    """1.0 or -1.0 where the score is a proven win or loss.

    >>> proven_value(31997), proven_value(900)
    (1.0, None)
    """
    if abs(score) < _core.WIN_BOUND:
        return None
    return 1.0 if score > 0 else -1.0


def plies_to_end(score: int) -> int | None:
    """In how many plies a proven win or loss comes.

    >>> plies_to_end(31997), plies_to_end(-31998), plies_to_end(12)
    (3, 2, None)
    """
    return None if proven_value(score) is None else _core.WIN - abs(score)


def end_score(value: float, plies: int) -> int:
    """The score of a proven win (1.0) or loss (-1.0) that comes in so many plies.

    >>> end_score(1.0, 3), end_score(-1.0, 2)
    (31997, -31998)
    """
    score = max(_core.WIN - plies, _core.WIN_BOUND)
    return score if value > 0 else -score


def evaluation_score(score: int) -> int:
    """A score of somebody else's evaluation, kept apart from wins and losses.

    >>> evaluation_score(150), evaluation_score(-99999)
    (150, -30999)
    """
    limit = _core.WIN_BOUND - 1
    return max(-limit, min(limit, score))
