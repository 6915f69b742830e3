"""Ratings: published fits, laws of the model, and how often intervals hold the truth."""

import itertools
import math

import numpy as np
import pytest

from spielbaum.arena.ratings import Ratings, pairwise, rate
from spielbaum.base.statistics import elo_difference, expected_share

ELO = 400 / math.log(10)

# Davidson, On extending the Bradley-Terry model to accommodate ties (1970): six brands of pudding,
# two of them, and how often the first, the second and none was preferred.
PUDDINGS = """
    1 2 19 22 16   1 3 16 19 12   2 3 19 19 10   1 4 18 23 13   2 4 23 19  9
    3 4 19 20 15   1 5 13 19 18   2 5 16 20 12   3 5 16 15 17   4 5 17 14 16
    1 6 18 21 12   2 6 22 20 12   3 6 13 18 10   4 6 14 19 18   5 6 11 21 12
"""

# Agresti, Categorical Data Analysis (2002), page 438: baseball teams, wins and losses at home.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
BASEBALL = """
    ---  4-3  4-2  4-3  6-1  4-2  6-0
    3-3  ---  4-2  4-3  6-0  6-1  4-3
    2-5  4-3  ---  2-4  4-3  4-2  6-0
    3-3  5-1  2-5  ---  4-3  4-2  6-1
    5-1  2-5  3-3  4-2  ---  5-2  6-0
    2-5  3-3  3-4  4-3  4-2  ---  2-4
    2-5  1-5  1-6  2-4  1-6  3-4  ---
"""

MIXED = [
    ("a", "b", 12, 7, 5),
    ("b", "a", 9, 9, 6),
    ("b", "c", 14, 3, 7),
    ("c", "b", 8, 6, 10),
    ("c", "a", 5, 8, 11),
    ("d", "a", 4, 2, 6),
    ("c", "d", 3, 3, 2),
]


def puddings():
    words = iter(PUDDINGS.split())
    for one, other, better, worse, alike in zip(*[words] * 5, strict=True):
        yield one, other, int(better), int(alike), int(worse)


def baseball():
    for home, row in zip(TEAMS, BASEBALL.split("\n")[1:-1], strict=True):
        for away, cell in zip(TEAMS, row.split(), strict=True):
            if home != away:
                yield home, away, int(cell[0]), 0, int(cell[2])


def errors(ratings: Ratings) -> np.ndarray:
    return np.sqrt(np.diag(ratings.covariance))


def test_davidsons_puddings():
    ratings = rate(puddings(), prior=0, advantage=False)
    drawn = ratings.draws.value
    worths = {player: math.exp(ratings[player].value / ELO / (1 - drawn)) for player in "123456"}
    shares = [worth / sum(worths.values()) for worth in worths.values()]
    # Davidson's estimates, with the digits of the R package PlackettLuce (Turner et al., 2020).
    assert shares == pytest.approx(
        [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855], abs=3e-5
    )
    assert 2 * drawn / (1 - drawn) == pytest.approx(0.7468147, abs=3e-5)
    # Their standard error of the logarithm of the weight of ties, 0.0825.
    width = [math.log(end / (1 - end)) for end in (ratings.draws.low, ratings.draws.high)]
    assert (width[1] - width[0]) / 2 / 1.959964 == pytest.approx(0.082499, abs=1e-5)
    # Their standard errors of differences from the first are not of Elo but of log worth; as the
    # puddings are nearly equal, the scale makes next to no difference.
    difference = ratings.difference("6", "1")
    error = (difference.high - difference.low) / 2 / 1.959964
    assert error / ELO / (1 - drawn) == pytest.approx(0.1924059, rel=0.01)


def test_agrestis_baseball_teams():
    ratings = rate(baseball(), prior=0)
    worths = np.exp(ratings.elo / ELO)
    # Table 10.11 as in the tests of the R package BradleyTerry2, and the advantage at home.
    assert ratings.players == TEAMS
    assert worths / worths.sum() == pytest.approx(
        [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044], abs=5e-4
    )
    assert ratings.advantage.value / ELO == pytest.approx(0.302, abs=5e-4)
    plain = rate(baseball(), prior=0, advantage=False, anchor=("Baltimore", 0))
    assert plain.elo / ELO == pytest.approx([1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0], abs=5e-3)
    assert errors(plain)[:-1] / ELO == pytest.approx([0.34] * 6, abs=0.01)
    assert errors(plain)[-1] == pytest.approx(0, abs=1e-9)
    assert (plain.advantage.low, plain.advantage.high) == (0, 0)


def test_two_players_without_draws():
    # By hand: the difference is that of the shares, its error is 1 / sqrt(n p q) in log odds.
    ratings = rate([("a", "b", 30, 0, 10)], prior=0, advantage=False)
    difference = ratings.difference("a", "b")
    assert difference.value == pytest.approx(elo_difference(0.75))
    assert (difference.high - difference.low) / 2 == pytest.approx(
        1.959964 * ELO / math.sqrt(40 * 0.75 * 0.25)
    )
    assert ratings["a"].value == pytest.approx(-ratings["b"].value)
    assert ratings.draws.high == 0
    assert ratings.probabilities("a", "b") == pytest.approx((0.75, 0, 0.25))


def test_two_players_with_draws():
    # By hand: wins to losses are exp(u), draws to their geometric mean 2 d / (1 - d).
    ratings = rate([("a", "b", 40, 60, 10)], prior=0, advantage=False)
    assert ratings.draws.value == pytest.approx(60 / (60 + 2 * math.sqrt(40 * 10)))
    difference = ratings.difference("a", "b")
    assert difference.value == pytest.approx(ELO * math.log(4) * (1 - ratings.draws.value))
    assert ratings.probabilities("a", "b") == pytest.approx((4 / 11, 6 / 11, 1 / 11))


def test_expected_results_are_those_that_happened():
    # At the maximum of the likelihood, for every player, for draws, and for the first seat.
    ratings = rate(MIXED, prior=0)
    differences = dict.fromkeys(["draws", "first", *"abcd"], 0.0)
    for first, second, *counts in MIXED:
        surprise = np.array(counts) - sum(counts) * np.array(ratings.probabilities(first, second))
        differences["draws"] += surprise[1]
        for who, sign in (("first", 1), (first, 1), (second, -1)):
            differences[who] += sign * (surprise[0] - surprise[2])
    assert list(differences.values()) == pytest.approx([0.0] * 6, abs=1e-6)


@pytest.mark.parametrize("prior", [0.5, 3.0])
@pytest.mark.parametrize("drawn", [True, False])
def test_the_prior_counts_as_games(prior, drawn):
    """The same law, with the games that the prior stands for: with those of every player against
    the mean, and with those of equals."""
    results = MIXED if drawn else [(*names, wins, 0, losses) for *names, wins, _, losses in MIXED]
    ratings = rate(results, prior=prior)
    share = ratings.draws.value
    surplus, first, draws = dict.fromkeys("abcd", 0.0), 0.0, 0.0
    for one, other, *counts in results:
        surprise = np.array(counts) - sum(counts) * np.array(ratings.probabilities(one, other))
        surplus[one] += surprise[0] - surprise[2]
        surplus[other] -= surprise[0] - surprise[2]
        first += surprise[0] - surprise[2]
        draws += surprise[1]
    for player in "abcd":  # no draws, and nobody moves first: half won, half lost
        surplus[player] -= prior * math.tanh(ratings[player].value / ELO / (1 - share) / 2)
    win, draw, loss = ratings.probabilities("a", "a")
    first -= prior * (win - loss)
    draws += prior * (1 / 3 - draw) if drawn else 0.0
    # Ratings have the mean 0: what is left of their surplus is the same for all.
    assert list(surplus.values()) == pytest.approx([np.mean(list(surplus.values()))] * 4, abs=1e-6)
    assert (first, draws) == pytest.approx((0, 0), abs=1e-6)


def test_comparisons_of_a_game():
    assert pairwise(["x", "y"], [0.5, -0.5]) == [("x", "y", 1.0, 0.0, 0.0)]
    assert pairwise(["x", "y"], [-1.0, 1.0]) == [("x", "y", 0.0, 0.0, 1.0)]
    assert pairwise(["x", "y"], [0.0, 0.0]) == [("x", "y", 0.0, 1.0, 0.0)]
    assert pairwise("wxyz", [3, 2, 1, 0]) == [
        (one, other, 0.5, 0.0, 0.0) for one, other in itertools.combinations("wxyz", 2)
    ]


@pytest.mark.parametrize("drawn", [0.0, 0.3, 0.8])
def test_a_point_of_rating_is_worth_what_elo_says(drawn):
    share = expected_share(8)
    # Draws are as frequent as between equals, up to the square of the small difference.
    results = [("a", "b", 1e4 * (share - drawn / 2), 1e4 * drawn, 1e4 * (1 - share - drawn / 2))]
    ratings = rate(results, prior=0, advantage=False)
    assert ratings.difference("a", "b").value == pytest.approx(8, abs=0.05)


def test_mean_and_anchor():
    ratings = rate(MIXED)
    assert ratings.elo.sum() == pytest.approx(0)
    assert ratings.covariance.sum() == pytest.approx(0, abs=1e-6)
    assert list(ratings.elo) == sorted(ratings.elo, reverse=True)
    anchored = rate(MIXED, anchor=("c", 1500))
    assert anchored["c"].low == pytest.approx(1500)
    assert anchored["a"].value - 1500 == pytest.approx(ratings.difference("a", "c").value)
    for one, other in itertools.combinations("abcd", 2):
        before, after = ratings.difference(one, other), anchored.difference(one, other)
        assert (after.low, after.high) == pytest.approx((before.low, before.high))


def test_results_may_be_split_and_in_any_order():
    ratings = rate(MIXED)
    halves = [(first, second, *(count / 2 for count in counts)) for first, second, *counts in MIXED]
    again = rate([*reversed(halves), *halves])
    assert again.players == ratings.players
    assert again.elo == pytest.approx(ratings.elo)
    assert again.covariance == pytest.approx(ratings.covariance)


def test_games_of_a_player_against_himself_tell_of_the_first_move():
    ratings = rate([*MIXED, ("a", "a", 300, 20, 100)])
    assert ratings.advantage.low > rate(MIXED).advantage.value


def test_the_prior_keeps_ratings_finite():
    swept = [("a", "b", 20, 0, 0), ("b", "a", 0, 0, 20), ("b", "c", 9, 2, 9), ("c", "b", 5, 2, 5)]
    weak, strong = rate(swept, prior=0.1), rate(swept, prior=2)
    assert 400 < strong["a"].value < weak["a"].value < 2000
    assert strong.difference("a", "b").low > 0
    with pytest.raises(ValueError, match="the results do not determine all ratings"):
        rate(swept, prior=0)


@pytest.mark.parametrize(
    "results",
    [
        [("a", "b", 3, 0, 1)],  # strength and first move cannot be told apart
        [("a", "b", 0, 3, 0), ("b", "a", 0, 3, 0)],  # draws only
        [("a", "b", 5, 0, 0), ("b", "a", 5, 0, 0)],  # the first always wins
    ],
)
def test_the_prior_fills_in_what_results_leave_open(results):
    ratings = rate(results)
    assert np.all(np.isfinite(ratings.covariance))
    assert math.isfinite(ratings.advantage.high)
    with pytest.raises(ValueError, match="expected prior > 0"):
        rate(results, prior=0)


def test_fields_of_thousands_of_elo_converge():
    chain = [(f"p{i}", f"p{i + 1}", 10**6, 0, 0) for i in range(8)]
    ratings = rate(chain, advantage=False)
    assert ratings.players == tuple(f"p{i}" for i in range(9))
    assert ratings.elo[0] > 5000


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: rate([("a", "b", 1, 0, 0), ("c", "d", 1, 0, 0), ("d", "e", 0, 1, 0)]),
            "no games connect these groups of players: a, b; c, d, e",
        ),
        (
            lambda: rate([*MIXED, ("a", "idle", 0, 0, 0)]),
            "no games connect these groups of players: a, b, c, d; idle",
        ),
        (lambda: rate([]), "results of 0 player(s): expected two or more"),
        (lambda: rate([("a", "a", 1, 1, 1)]), "results of 1 player(s): expected two or more"),
        (
            lambda: rate([("a", "b", 1, -2, 0)]),
            "results of a against b: expected counts of at least 0, not (1, -2, 0)",
        ),
        (lambda: rate(MIXED, prior=-1), "prior=-1: expected a number of at least 0"),
        (lambda: rate(MIXED, prior=math.inf), "prior=inf: expected a number of at least 0"),
        (
            lambda: rate([("a", "b", math.inf, 0, 0)]),
            "results of a against b: expected counts of at least 0, not (inf, 0, 0)",
        ),
        (lambda: pairwise(["a"], [1.0]), "1 players and 1 rewards: expected as many, two or more"),
        (lambda: rate(MIXED, anchor=("e", 0)), "anchor 'e' has no games"),
        (lambda: rate(MIXED, confidence=95), "confidence 95: expected a number between 0 and 1"),
        (
            lambda: rate([("rave", "uct", 1, 0, 1)])["ravel"],
            "player 'ravel' has no rating (did you mean rave?)",
        ),
        (
            lambda: pairwise(["a", "b"], [1.0]),
            "2 players and 1 rewards: expected as many, two or more",
        ),
    ],
)
def test_mistakes_get_one_sentence(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call()
    assert str(caught.value) == message


def coverage(simulated, truth):
    """How often the intervals of players, and of their differences, hold the truth."""
    names = [f"p{i}" for i in range(len(truth))]
    truth = np.array(truth) - np.mean(truth)
    gaps = truth[:, None] - truth
    pairs = np.triu_indices(len(truth), 1)
    players, differences = [], []
    for results in simulated:
        ratings = rate(results)
        order = [ratings.players.index(name) for name in names]
        elo, covariance = ratings.elo[order], ratings.covariance[np.ix_(order, order)]
        variances = np.diag(covariance)
        players.append(np.abs(elo - truth) <= 1.96 * np.sqrt(variances))
        spread = np.sqrt(np.maximum(0, variances[:, None] + variances - 2 * covariance))
        differences.append((np.abs(elo[:, None] - elo - gaps) <= 1.96 * spread)[pairs])
    return float(np.mean(players)), float(np.mean(differences))


def tournaments(elo, pairings, games, advantage, drawn, seed):
    """Two hundred tournaments of players whose ratings, and all else, are known."""
    chances = []
    for first, second in pairings:
        half = (elo[first] - elo[second] + advantage) / ELO / (1 - drawn) / 2
        weights = np.array([math.exp(half), 2 * drawn / (1 - drawn), math.exp(-half)])
        chances.append(weights / weights.sum())
    random = np.random.default_rng(seed)
    for _ in range(200):
        counts = random.multinomial(games, chances).tolist()
        yield [(f"p{i}", f"p{j}", *row) for (i, j), row in zip(pairings, counts, strict=True)]


@pytest.mark.parametrize(
    ("elo", "pairings", "drawn"),
    [
        ([-250, -120, -30, 20, 130, 250], list(itertools.permutations(range(6), 2)), 0.3),
        ([-600, -200, 0, 100, 700], list(itertools.permutations(range(5), 2)), 0.0),
        (
            [0, 50, 100, 150, 200],
            [(i, j) for i in range(5) for j in (i - 1, i + 1) if 0 <= j < 5],
            0.6,
        ),
    ],
    ids=["all play all", "far apart, no draws", "neighbours only, many draws"],
)
def test_intervals_hold_the_truth_as_often_as_they_say(elo, pairings, drawn):
    simulated = tournaments(elo, pairings, games=20, advantage=40, drawn=drawn, seed=5)
    assert min(coverage(simulated, elo)) >= 0.93


def test_intervals_of_advantage_and_draws_hold_the_truth():
    pairings = list(itertools.permutations(range(3), 2))
    inside = []
    for results in tournaments([0, 60, -60], pairings, 30, advantage=50, drawn=0.25, seed=6):
        ratings = rate(results)
        inside.append(
            (
                ratings.advantage.low <= 50 <= ratings.advantage.high,
                ratings.draws.low <= 0.25 <= ratings.draws.high,
            )
        )
    assert min(np.mean(inside, axis=0)) >= 0.93


def games_of_three(elo, winner_only, seed):
    """Tournaments of games of three, in which places are drawn in proportion to strength."""
    random = np.random.default_rng(seed)
    seats = [table for table in itertools.permutations(range(len(elo)), 3) for _ in range(10)]
    strengths = np.array(elo)[np.array(seats)] / ELO
    for _ in range(200):
        # The order of exponential times is that of Plackett and Luce.
        times = -random.exponential(size=strengths.shape) / np.exp(strengths)
        rewards = times == times.max(axis=1, keepdims=True) if winner_only else times
        yield [
            result
            for table, reward in zip(seats, rewards.tolist(), strict=True)
            for result in pairwise([f"p{i}" for i in table], reward)
        ]


@pytest.mark.parametrize(
    ("elo", "winner_only"), [([0, 0, 0, 0], True), ([-150, -50, 0, 200], False)]
)
def test_intervals_for_games_of_three(elo, winner_only):
    players, differences = coverage(games_of_three(elo, winner_only, seed=7), elo)
    assert 0.93 <= players <= 0.99
    assert 0.93 <= differences <= 0.99
