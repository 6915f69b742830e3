"""What the results of a match say: shares, Elo differences, intervals and tests.

Games count as independent of each other, except where a function takes pairs of games.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias, get_args

import numpy as np

Scoring: TypeAlias = Literal["half", "nothing"]
"""What a draw is worth: half a point, or nothing, as S2 counts."""


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval; a format applies to all three.

    >>> print(f"{Estimate(0.55, 0.5, 0.6):.0%}")
    55% (50% to 60%)
    """

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}} ({self.low:{spec}} to {self.high:{spec}})"

    @property
    def percent(self) -> Estimate:
        """A share as a number of percents, for tables and figures that have no other unit."""
        return Estimate(100 * self.value, 100 * self.low, 100 * self.high)


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of one side: in a match, or in a pair of games.

    >>> score = Score(wins=6, draws=2, losses=2)
    >>> score.games, score.points(), score.points("nothing"), score.share()
    (10, 7.0, 6.0, 0.7)
    >>> score + Score(0, 1, 1)
    Score(wins=6, draws=3, losses=3)
    """

    wins: int
    draws: int
    losses: int

    def __post_init__(self) -> None:
        for name, count in (("wins", self.wins), ("draws", self.draws), ("losses", self.losses)):
            if not isinstance(count, int) or count < 0:
                raise ValueError(f"{name}={count!r}: expected a whole number of at least 0")

    def __add__(self, other: Score) -> Score:
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def reversed(self) -> Score:
        """The score of the other side."""
        return Score(self.losses, self.draws, self.wins)

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses

    def points(self, scoring: Scoring = "half") -> float:
        """One for a win, and for a draw what the rule of scoring says."""
        if scoring not in get_args(Scoring):
            raise ValueError(f"scoring {scoring!r}: expected half or nothing")
        return self.wins + (0.5 * self.draws if scoring == "half" else 0.0)

    def share(self, scoring: Scoring = "half") -> float:
        """Points by games."""
        if not self.games:
            raise ValueError("a score of no games has no share")
        return self.points(scoring) / self.games


def normal_quantile(confidence: float) -> float:
    """How many standard deviations a two-sided interval of that confidence extends.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf(1 - _tail(confidence))


def share_estimate(score: Score, scoring: Scoring = "half", confidence: float = 0.95) -> Estimate:
    """The share of points with its score interval, which holds for few games, too.

    The interval has every mean m with (share - m)^2 <= z^2 v(m) / games, where v(m) is the variance
    of the points of one game if m were true. If draws count nothing, v(m) = m (1 - m), and this is
    Wilson's interval (1927). If draws count half, v(m) also depends on how often games are drawn;
    the most likely probabilities of win, draw and loss among all those with mean m are taken.
    That is Tango's interval (1998) of the difference of wins and losses. Without draws it is
    Wilson's again; with draws it is narrower.

    >>> print(f"{share_estimate(Score(60, 0, 40)):.3f}")
    0.600 (0.502 to 0.691)
    >>> print(f"{share_estimate(Score(40, 40, 20)):.3f}")
    0.600 (0.525 to 0.671)
    """
    share, games, z = score.share(scoring), score.games, normal_quantile(confidence)
    if scoring == "nothing":
        score = Score(score.wins, 0, score.draws + score.losses)

    def compatible(mean: float) -> bool:
        return (share - mean) ** 2 * games <= z * z * _variance_at(mean, score)

    return Estimate(share, _edge(compatible, share, 0.0), _edge(compatible, share, 1.0))


def bootstrap_estimate(
    pairs: Sequence[Score],
    scoring: Scoring = "half",
    confidence: float = 0.95,
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> Estimate:
    """The share of points with a bootstrap interval over pairs of games.

    A pair is two games from the same opening with colours swapped. Its games depend on each other,
    so whole pairs are drawn with replacement, as many as there are; the interval has the middle
    of the shares of all resamples (percentile method). Larger groups of games may be given, too.
    With fewer than some twenty pairs the interval is too narrow.

    >>> pairs = [Score(1, 0, 1)] * 50 + [Score(2, 0, 0)] * 20 + [Score(0, 0, 2)] * 10
    >>> print(f"{bootstrap_estimate(pairs):.2f}")
    0.56 (0.49 to 0.63)
    """
    tail = _tail(confidence)
    if resamples < 1:
        raise ValueError(f"resamples={resamples}: expected at least 1")
    if not all(pair.games for pair in pairs):
        raise ValueError("a pair without games cannot be resampled")
    share = sum(pairs, Score(0, 0, 0)).share(scoring)
    # Equal pairs are drawn together: how often each kind comes up is multinomial.
    kinds, counts = np.unique(
        [(pair.points(scoring), pair.games) for pair in pairs], axis=0, return_counts=True
    )
    random = np.random.default_rng(seed)
    drawn = random.multinomial(len(pairs), counts / len(pairs), size=resamples)
    points, games = (drawn @ kinds).T
    low, high = np.quantile(points / games, [tail, 1 - tail])
    return Estimate(share, float(low), float(high))


def elo_difference(share: float) -> float:
    """The Elo difference at which a share of points is expected.

    >>> round(elo_difference(0.64)), elo_difference(1.0)
    (100, inf)
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share {share}: expected a number from 0 to 1")
    if share in (0, 1):
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


def expected_share(elo: float) -> float:
    """The share of points that is expected at an Elo difference.

    >>> expected_share(0), round(expected_share(100), 3), expected_share(-1e9)
    (0.5, 0.64, 0.0)
    """
    return (1 + math.tanh(elo * math.log(10) / 800)) / 2


def elo_estimate(share: Estimate) -> Estimate:
    """The Elo difference of a share in which draws count half, and of both ends of its interval.

    >>> print(f"{elo_estimate(share_estimate(Score(40, 40, 20))):+.0f}")
    +70 (+17 to +123)
    """
    return Estimate(
        elo_difference(share.value), elo_difference(share.low), elo_difference(share.high)
    )


def likelihood_of_superiority(score: Score) -> float:
    """The probability that a win is more likely than a loss, if all was equally likely before.

    Exact: draws say nothing about it, and wins among decided games have a beta distribution.

    >>> round(likelihood_of_superiority(Score(10, 5, 4)), 3)
    0.941
    """
    return _half_binomial(score.wins, score.wins + score.losses + 1)


def sign_test(better: int, worse: int) -> float:
    """The exact two-sided p of as many cases for one side and for the other, if chance decided.

    Cases that are alike for both are left out. For tasks that are solved or not this is
    McNemar's exact test: the cases are those that just one of two agents solved.

    >>> round(sign_test(12, 2), 4)
    0.0129
    """
    if better < 0 or worse < 0:
        raise ValueError(f"cases {better} and {worse}: expected numbers of at least 0")
    return min(1.0, 2 * _half_binomial(min(better, worse), better + worse))


def paired_test(first: Sequence[float], second: Sequence[float]) -> float:
    """The p of `sign_test` for two agents that were given the same tasks in the same order.

    >>> paired_test([1, 1, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1, 0])
    0.0625
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} results: expected as many of both")
    better = sum(a > b for a, b in zip(first, second, strict=True))
    worse = sum(a < b for a, b in zip(first, second, strict=True))
    return sign_test(better, worse)


def _tail(confidence: float) -> float:
    """The probability on each side of an interval."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: expected a number between 0 and 1")
    return (1 - confidence) / 2


def _variance_at(mean: float, score: Score) -> float:
    """The variance of a game's points at the most likely probabilities that have that mean.

    With l = w - (2 mean - 1) and d = 1 - w - l, the derivative of the likelihood by w is zero where
    a quadratic equation holds; its larger root leaves no probability negative.
    """
    surplus, games = 2 * mean - 1, score.games
    decided = score.wins + score.losses
    b = decided * (1 + surplus) + 2 * (score.wins + score.draws) * surplus
    c = score.wins * surplus * (1 + surplus)
    wins = (b + math.sqrt(max(0.0, b * b - 8 * games * c))) / (4 * games)
    return (2 * wins - surplus - surplus**2) / 4


def _edge(inside: Callable[[float], bool], start: float, end: float) -> float:
    """Where between an inner point and an end of the scale an interval stops, by bisection."""
    if inside(end):
        return end
    for _ in range(60):
        middle = (start + end) / 2
        start, end = (middle, end) if inside(middle) else (start, middle)
    return start


def _half_binomial(successes: int, trials: int) -> float:
    """The probability of at most so many successes in trials that succeed in half of all cases."""
    if successes >= trials:
        return 1.0
    if 2 * successes >= trials:
        return 1 - _half_binomial(trials - successes - 1, trials)
    # From the greatest term down, until nothing changes: that is fast for millions of games, too.
    others = trials - successes
    term = total = math.exp(
        math.lgamma(trials + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(others + 1)
        - trials * math.log(2)
    )
    for k in range(successes, 0, -1):
        term *= k / (trials - k + 1)
        total += term
        if term < 1e-17 * total:
            break
    return total
