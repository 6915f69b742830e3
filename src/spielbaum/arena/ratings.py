"""Ratings of many players from the results of their games, with intervals.

The model is Davidson's (1970): Bradley and Terry's with draws, here with an advantage of the first
move. With ratings in Elo, a share d of draws between equals and

    u = (rating of the first + advantage - rating of the second) ln(10) / 400 / (1 - d),

win, draw and loss of the first player have probabilities in proportion to

    exp(u / 2) : 2 d / (1 - d) : exp(-u / 2).

The factor 1 - d makes a point of rating worth what Elo's formula says: close to equality, the
expected share of points rises by the same amount per point, however many games are drawn.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from spielbaum.base.options import did_you_mean
from spielbaum.base.statistics import Estimate, normal_quantile
from spielbaum.base.text_table import html_table, plain_table

Result: TypeAlias = tuple[str, str, float, float, float]
"""First player, second player, then the wins of the first, draws, and the losses of the first."""

_Array: TypeAlias = npt.NDArray[np.float64]
_Table: TypeAlias = dict[tuple[str, str], tuple[float, ...]]
_ELO = 400 / math.log(10)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in Elo; the best player comes first.

    >>> ratings = rate([("a", "b", 30, 10, 20), ("b", "a", 22, 10, 28), ("b", "c", 30, 20, 10)])
    >>> ratings.players
    ('a', 'b', 'c')
    >>> print(f"{ratings['a']:.0f}")
    67 (18 to 116)
    >>> print(f"{ratings.difference('a', 'b'):.0f}")
    46 (-9 to 101)
    >>> print(f"{ratings.advantage:.0f}, {ratings.draws:.2f}")
    12 (-43 to 67), 0.23 (0.17 to 0.30)
    >>> [round(probability, 2) for probability in ratings.probabilities("c", "a")]
    [0.2, 0.21, 0.59]
    """

    players: tuple[str, ...]
    elo: _Array = field(repr=False)
    covariance: _Array = field(repr=False)
    """Of the ratings, in the order of the players."""
    advantage: Estimate
    """What the first move is worth, in Elo; 0 if the model does without."""
    draws: Estimate
    """The share of draws between equals; 0 if no game was drawn."""
    confidence: float

    def __getitem__(self, player: str) -> Estimate:
        index = self._index(player)
        return self._estimate(self.elo[index], self.covariance[index, index])

    def _rows(self) -> list[tuple[str, ...]]:
        """The ratings as texts, under the names of the columns."""
        head = ("", "agent", "Elo", f"{self.confidence:.0%} interval")
        rows = [(name, self[name]) for name in self.players]
        return [
            head,
            *(
                (str(number), name, f"{elo.value:+.0f}", f"{elo.low:+.0f} to {elo.high:+.0f}")
                for number, (name, elo) in enumerate(rows, start=1)
            ),
        ]

    def __str__(self) -> str:
        return plain_table(self._rows())

    def _repr_html_(self) -> str:
        return html_table(self._rows())

    def difference(self, one: str, other: str) -> Estimate:
        """By how much the rating of one player exceeds that of another.

        Its interval is not the sum of the intervals of both, for ratings depend on each other.
        """
        i, j = self._index(one), self._index(other)
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        return self._estimate(self.elo[i] - self.elo[j], variance)

    def probabilities(self, first: str, second: str) -> tuple[float, float, float]:
        """The probabilities that the first player wins, draws and loses."""
        difference = self.elo[self._index(first)] - self.elo[self._index(second)]
        decided = 1 - self.draws.value
        half = (difference + self.advantage.value) / _ELO / decided / 2
        weights = np.exp([half - abs(half), -abs(half), -half - abs(half)])
        weights[1] *= 2 * self.draws.value / decided
        win, draw, loss = (float(weight) for weight in weights / weights.sum())
        return win, draw, loss

    def _estimate(self, value: float, variance: float) -> Estimate:
        return _interval(value, variance, self.confidence)

    def _index(self, player: str) -> int:
        if player not in self.players:
            hint = did_you_mean(player, self.players)
            raise ValueError(f"player {player!r} has no rating{hint}")
        return self.players.index(player)


def rate(
    results: Iterable[Result],
    *,
    anchor: tuple[str, float] | None = None,
    prior: float = 0.5,
    advantage: bool = True,
    confidence: float = 0.95,
) -> Ratings:
    """Rate all players by maximum likelihood; the mean of the ratings is 0.

    With an ``anchor``, a player and his rating, all others are relative to that instead.
    Intervals come from the inverse of the observed information, and games count as independent.

    The prior keeps the ratings of players who never lost finite, and is so weak that some dozens
    of games outweigh it: ``prior`` games of every player against one of mean rating, half won and
    half lost, and as many games between equals, a third each won, drawn and lost. With
    ``prior=0`` the likelihood is that of the results alone.

    >>> print(f"{rate([('a', 'b', 12, 0, 0), ('b', 'a', 0, 0, 12)], anchor=('b', 1000))['a']:.0f}")
    1824 (1106 to 2542)
    >>> rate([("a", "b", 1, 0, 0), ("c", "d", 1, 0, 0)])
    Traceback (most recent call last):
        ...
    ValueError: no games connect these groups of players: a, b; c, d
    """
    if not 0 <= prior < math.inf:
        raise ValueError(f"prior={prior}: expected a number of at least 0")
    table = _table(results)
    players = sorted({player for pairing in table for player in pairing})
    if len(players) < 2:
        raise ValueError(f"results of {len(players)} player(s): expected two or more")
    _check_connected(players, table)
    if anchor is not None and anchor[0] not in players:
        raise ValueError(f"anchor {anchor[0]!r} has no games{did_you_mean(anchor[0], players)}")

    # Strengths, the advantage, and the logarithm of the weight of a draw.
    natural, covariance = _fit(players, table, prior, advantage)
    logit = _interval(natural[-1] - math.log(2), covariance[-1, -1], confidence)
    draws = Estimate(_logistic(logit.value), _logistic(logit.low), _logistic(logit.high))
    scale = _ELO * (1 - draws.value)
    elo = scale * natural[:-1]
    jacobian = np.column_stack([scale * np.eye(len(elo)), -draws.value * elo])
    if anchor is not None:
        index = players.index(anchor[0])
        elo[:-1] += anchor[1] - elo[index]
        jacobian[:-1] -= jacobian[index].copy()
    covariance = jacobian @ covariance @ jacobian.T
    order = np.argsort(-elo[:-1], kind="stable")
    return Ratings(
        tuple(players[index] for index in order),
        elo[order],
        covariance[np.ix_(order, order)],
        _interval(elo[-1], covariance[-1, -1], confidence),
        draws,
        confidence,
    )


def pairwise(players: Sequence[str], rewards: Sequence[float]) -> list[Result]:
    """A game of any number of players as comparisons of every two of them, for `rate`.

    Players are given in the order of their seats. Each comparison of n players counts 2 / n, for
    the comparisons of one game depend on each other: among equals, intervals are then right if
    one player wins and the others lose alike, and a little too wide if all places differ.
    In general they are approximate. The advantage is that of an earlier seat over a later one.

    >>> for first, second, *counts in pairwise(["x", "y", "z"], [1.0, -1.0, -1.0]):
    ...     print(first, second, [round(count, 2) for count in counts])
    x y [0.67, 0.0, 0.0]
    x z [0.67, 0.0, 0.0]
    y z [0.0, 0.67, 0.0]
    """
    if len(players) != len(rewards) or len(players) < 2:
        raise ValueError(
            f"{len(players)} players and {len(rewards)} rewards: expected as many, two or more"
        )
    count = 2 / len(players)
    return [
        (one, other, count * (a > b), count * (a == b), count * (a < b))
        for (one, a), (other, b) in itertools.combinations(zip(players, rewards, strict=True), 2)
    ]


def _table(results: Iterable[Result]) -> _Table:
    """The counts of all pairings, each of which appears once."""
    table: _Table = {}
    for first, second, wins, draws, losses in results:
        counts = (wins, draws, losses)
        if not all(0 <= count < math.inf for count in counts):
            raise ValueError(
                f"results of {first} against {second}: expected counts of at least 0, not {counts}"
            )
        before = table.get((first, second), (0.0, 0.0, 0.0))
        table[first, second] = tuple(map(operator.add, before, counts))
    return table


def _check_connected(players: Sequence[str], table: _Table) -> None:
    group = {player: {player} for player in players}
    for (first, second), counts in table.items():
        if any(counts) and group[first] is not group[second]:
            group[first] |= group[second]
            for player in group[second]:
                group[player] = group[first]
    groups = sorted({", ".join(sorted(members)) for members in group.values()})
    if len(groups) > 1:
        raise ValueError(f"no games connect these groups of players: {'; '.join(groups)}")


def _fit(
    players: Sequence[str], table: _Table, prior: float, advantage: bool
) -> tuple[_Array, _Array]:
    """Strengths that sum to 0, advantage and log weight of a draw, and their covariance.

    Parameters that the model does without have no variance: an advantage of 0, and a weight of
    which the logarithm is minus infinity.
    """
    size = len(players)
    index = {player: i for i, player in enumerate(players)}
    counts = np.array(list(table.values()))
    seats = np.zeros((len(counts), size + 1))
    for row, (first, second) in zip(seats, table, strict=True):
        row[index[first]] += 1  # a player against himself cancels out
        row[index[second]] -= 1
        row[size] = 1
    drawn = bool(counts[:, 1].any())

    # The prior's games: every player against the mean, and equals against each other.
    seats = np.vstack([seats, np.eye(size + 1)])
    shares = [[1 / 2, 0, 1 / 2]] * size + [[1 / 3] * 3 if drawn else [1 / 2, 0, 1 / 2]]
    drawable = np.array([drawn] * len(counts) + [False] * size + [drawn])
    counts = np.vstack([counts, prior * np.array(shares)])

    # Columns are what may vary: contrasts of strengths, and what the model has besides.
    free = np.zeros((size + 2, size + 1))
    free[:size, : size - 1] = np.eye(size)[:, 1:] - 1 / size
    free[size, size - 1] = advantage
    free[size + 1, size] = drawn
    free = free[:, free.any(axis=0)]
    design, draw = seats @ free[:-1], free[-1]
    parameters, inverse = _maximise(design, draw, counts, drawable)
    natural = free @ parameters
    if not drawn:
        natural[-1] = -math.inf
    return natural, free @ inverse @ free.T


def _maximise(
    design: _Array, draw: _Array, counts: _Array, drawable: npt.NDArray[np.bool_]
) -> tuple[_Array, _Array]:
    """Newton's method on a concave likelihood, and the inverse of the information.

    A row of ``design`` gives the log odds of win and loss, ``draw`` the log weight of a draw.
    """
    games = counts.sum(axis=1)
    never = np.where(drawable, 0.0, -math.inf)

    def evaluate(parameters: _Array) -> tuple[float, _Array, _Array]:
        half = design @ parameters / 2
        weights = np.stack([half, never + draw @ parameters, -half], axis=1)
        total = np.logaddexp.reduce(weights, axis=1)
        win, drawn, loss = np.exp(weights - total[:, None]).T
        surplus = win - loss
        value = (counts[:, 0] - counts[:, 2]) @ half - games @ total
        value += counts[:, 1].sum() * (draw @ parameters)
        gradient = design.T @ (counts[:, 0] - counts[:, 2] - games * surplus) / 2
        gradient += draw * (counts[:, 1] - games * drawn).sum()
        mixed = np.outer(design.T @ (games * drawn * surplus) / 2, draw)
        information = design.T @ ((games * (win + loss - surplus**2) / 4)[:, None] * design)
        information -= mixed + mixed.T
        information += np.outer(draw, draw) * (games @ (drawn * (1 - drawn)))
        return float(value), gradient, information

    parameters: _Array = np.zeros(len(draw))
    value, gradient, information = evaluate(parameters)
    try:
        for _ in range(100):
            step = np.linalg.solve(information, gradient)
            following = evaluate(parameters + step)
            while following[0] < value - 1e-9 * (1 + abs(value)):
                step /= 2
                following = evaluate(parameters + step)
            parameters = parameters + step
            value, gradient, information = following
            if np.abs(step).max() < 1e-9:
                break
        else:
            raise np.linalg.LinAlgError
        inverse: _Array = np.asarray(np.linalg.inv(information), dtype=np.float64)
    except np.linalg.LinAlgError:
        inverse = np.full_like(information, math.inf)
    # Without a maximum the steps go on until there is next to no information.
    variances = np.diag(inverse)
    if not (np.all(variances >= 0) and np.all(variances < 1e8)):
        raise ValueError(
            "the results do not determine all ratings, as if someone lost every game or never "
            "changed seats: expected prior > 0"
        )
    return parameters, inverse


def _interval(value: float, variance: float, confidence: float) -> Estimate:
    margin = normal_quantile(confidence) * math.sqrt(max(0.0, variance))
    return Estimate(float(value), float(value - margin), float(value + margin))


def _logistic(x: float) -> float:
    return (1 + math.tanh(x / 2)) / 2
