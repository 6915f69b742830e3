"""Sequential tests: stop a match as soon as it has shown what was asked.

The generalised sequential probability ratio test of Van den Bergh, as fishtest uses it: results
are multinomial, and each hypothesis is represented by its most likely probabilities.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from spielbaum.base.statistics import Score, expected_share

Verdict: TypeAlias = Literal["running", "accept H0", "accept H1"]
"""What a sequential test says so far."""

_UNSEEN = 1e-3
"""Stands for a count of zero: a hypothesis may need results that have not been seen yet."""


def log_likelihood_ratio(
    counts: npt.ArrayLike, elo0: float, elo1: float
) -> npt.NDArray[np.float64]:
    """The generalised log-likelihood ratio of two Elo differences, given counts of results.

    The last axis has the counts of all results, from worst to best in equal steps of points:
    losses, draws and wins, or pairs of games with 0, 1/2, 1, 3/2 and 2 points. Of all probabilities
    that give the mean which the Elo difference asks for, those are taken that make the counts
    most likely: p_i = f_i / (1 + x (a_i - mean)) with frequencies f and points a. Counts of zero
    become 0.001, as in fishtest.

    >>> float(log_likelihood_ratio([153, 2767, 11455, 2865, 180], -0.5, 1.5).round(2))
    2.93
    """
    seen = np.asarray(counts, dtype=np.float64)
    if not seen.ndim or seen.shape[-1] < 2 or not np.all(seen >= 0):
        raise ValueError(
            f"counts of shape {seen.shape}: expected two or more numbers of at least 0"
        )
    seen = np.where(seen == 0, _UNSEEN, seen)
    return _cost(seen, expected_share(elo0)) - _cost(seen, expected_share(elo1))


class Sprt:
    """A sequential test of an Elo difference of at most elo0 (H0) against at least elo1 (H1).

    It is fed with the result of one pair of games after the other (pentanomial), or of single
    games (trinomial) with ``pairs=False``. In the long run at most a share alpha of the tests
    at elo0 accepts H1, and at most a share beta of those at elo1 accepts H0. A verdict stays,
    whatever is added later. Draws count half: where they count nothing, Elo has no meaning.

    >>> test = Sprt(elo0=0, elo1=100)
    >>> test.add(Score(wins=1, draws=1, losses=0))
    'running'
    >>> while test.verdict == "running":
    ...     verdict = test.add(Score(wins=2, draws=0, losses=0))
    >>> verdict, test.counts, round(test.llr, 2), [round(bound, 2) for bound in test.bounds]
    ('accept H1', (0, 0, 0, 1, 11), 2.96, [-2.94, 2.94])
    """

    def __init__(
        self,
        elo0: float,
        elo1: float,
        *,
        alpha: float = 0.05,
        beta: float = 0.05,
        pairs: bool = True,
    ) -> None:
        if not -math.inf < elo0 < elo1 < math.inf:
            raise ValueError(f"elo0={elo0}, elo1={elo1}: expected two numbers, the smaller first")
        if not (alpha > 0 and beta > 0 and alpha + beta < 1):
            raise ValueError(f"alpha={alpha}, beta={beta}: expected more than 0, together below 1")
        self.elo0, self.elo1 = elo0, elo1
        self.bounds = (math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha))
        self._games = 2 if pairs else 1
        self._counts = [0] * (2 * self._games + 1)
        self._verdict: Verdict = "running"

    def add(self, result: Score) -> Verdict:
        """Count one pair of games, or one game, and say what follows."""
        if result.games != self._games:
            raise ValueError(f"{result}: expected {self._games} game(s), not {result.games}")
        self._counts[round(2 * result.points())] += 1
        if self._verdict == "running":
            llr, (lower, upper) = self.llr, self.bounds
            if llr >= upper:
                self._verdict = "accept H1"
            elif llr <= lower:
                self._verdict = "accept H0"
        return self._verdict

    @property
    def verdict(self) -> Verdict:
        """What the test said when it first could, or that it is still running."""
        return self._verdict

    @property
    def counts(self) -> tuple[int, ...]:
        """How often each number of points came up, from the worst result to the best."""
        return tuple(self._counts)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of all results so far; above 0 they speak for H1."""
        return float(log_likelihood_ratio(self._counts, self.elo0, self.elo1))


def _cost(counts: npt.NDArray[np.float64], mean: float) -> npt.NDArray[np.float64]:
    """By how much the best log-likelihood falls if the mean of the points has to be ``mean``.

    It is the maximum over x of sum of counts log(1 + x (points - mean)), a concave function;
    its derivative is positive below the maximum and negative above.
    """
    deviations = np.linspace(0, 1, counts.shape[-1]) - mean
    low, high = np.asarray(-1 / deviations[-1]), np.asarray(-1 / deviations[0])
    weighted = counts * deviations
    for _ in range(50):
        x = (low + high) / 2
        rising = (weighted / (1 + x[..., None] * deviations)).sum(axis=-1) > 0
        low, high = np.where(rising, x, low), np.where(rising, high, x)
    return np.asarray((counts * np.log1p(x[..., None] * deviations)).sum(axis=-1))
