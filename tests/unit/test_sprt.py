"""Sequential tests: values that fishtest published, laws, and how often verdicts are wrong."""

import math

import numpy as np
import pytest

from spielbaum.arena.sprt import Sprt, log_likelihood_ratio
from spielbaum.base.statistics import Score, expected_share

GAMES = (Score(0, 0, 1), Score(0, 1, 0), Score(1, 0, 0))
PAIRS = (Score(0, 0, 2), Score(0, 1, 1), Score(0, 2, 0), Score(1, 1, 0), Score(2, 0, 0))


@pytest.mark.parametrize(
    ("elo0", "elo1", "counts", "expected"),
    [
        # Tests of Stockfish's pull requests 2493, 3028, 3098, 3209 and 3331, as fishtest told them.
        (-1.00, 3.00, (424, 2948, 5832, 3045, 460), 2.94),
        (0.00, 2.00, (1284, 17437, 55536, 18085, 1292), 2.94),
        (-0.50, 1.50, (153, 2767, 11455, 2865, 180), 2.93),
        (0.25, 1.75, (17, 669, 6429, 785, 16), 2.95),
        (-0.25, 1.25, (491, 7345, 29693, 7670, 465), 2.96),
        (0.25, 1.25, (53, 2220, 21459, 2445, 47), 2.97),
        (-0.25, 1.25, (253, 4282, 17604, 4431, 286), 2.94),
        (0.25, 1.25, (58, 3302, 33130, 3518, 84), 2.97),
        (-0.25, 1.25, (115, 2196, 11328, 2317, 136), 2.94),
        (0.25, 1.25, (14, 1030, 14318, 1163, 19), 2.93),
        # The tests of fastchess, a runner of matches.
        (0.50, 2.50, (223, 9863, 20279 + 1000, 10037, 246), -3.07),
        (0.00, 2.00, (871, 26175, 55003 + 980, 26678, 821), -4.98),
        (0.50, 2.50, (21184, 40708, 21404), -1.57),
        (0.00, 2.00, (57030, 106593, 57433), -2.59),
    ],
)
def test_published_ratios(elo0, elo1, counts, expected):
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(expected, abs=0.006)


def test_without_draws_the_ratio_is_walds():
    share0, share1 = expected_share(0), expected_share(50)
    wald = 37 * math.log(share1 / share0) + 23 * math.log((1 - share1) / (1 - share0))
    assert log_likelihood_ratio([23, 37], 0, 50) == pytest.approx(wald)
    # With a middle result that was possible but never seen, next to nothing changes.
    assert log_likelihood_ratio([23, 0, 37], 0, 50) == pytest.approx(wald, abs=0.01)


@pytest.mark.parametrize("counts", [(23, 0, 37), (0, 0, 9), (5, 0, 0, 0, 3)])
def test_results_that_were_not_seen_count_a_thousandth(counts):
    seen = [count or 0.001 for count in counts]
    assert log_likelihood_ratio(counts, 0, 50) == log_likelihood_ratio(seen, 0, 50)


def test_probabilities_are_the_most_likely_ones():
    # By a search through all probabilities of draws that leave the mean what it has to be.
    counts, likelihoods = (14, 30, 26), []
    for elo in (0, 40):
        mean = expected_share(elo)
        draws = np.linspace(1e-6, 2 * min(mean, 1 - mean) - 1e-6, 200_001)
        chances = np.stack([1 - mean - draws / 2, draws, mean - draws / 2])
        likelihoods.append((np.array(counts) @ np.log(chances)).max())
    ratio = log_likelihood_ratio(counts, 0, 40)
    assert ratio == pytest.approx(likelihoods[1] - likelihoods[0], abs=1e-6)


def test_laws_of_ratios():
    random = np.random.default_rng(2)
    counts = random.integers(0, 60, size=(50, 5))
    ratios = log_likelihood_ratio(counts, 0, 20)
    assert ratios.shape == (50,)
    assert ratios == pytest.approx([float(log_likelihood_ratio(row, 0, 20)) for row in counts])
    # The view of the other side, and hypotheses that change places.
    assert log_likelihood_ratio(counts[:, ::-1], -20, 0) == pytest.approx(-ratios)
    assert log_likelihood_ratio(counts, 20, 0) == pytest.approx(-ratios)
    # Three hypotheses in a row.
    parts = log_likelihood_ratio(counts, 0, 7) + log_likelihood_ratio(counts, 7, 20)
    assert parts == pytest.approx(ratios)


@pytest.mark.parametrize("counts", [(0, 0, 0), (0, 0, 9), (9, 0, 0), (0, 9, 0), (0, 0, 0, 0, 9)])
def test_results_of_one_kind_are_no_problem(counts):
    ratio = float(log_likelihood_ratio(counts, 0, 30))
    # No game can tell more than a win that one hypothesis makes that much more likely.
    assert abs(ratio) < 0.01 + sum(counts) * math.log(expected_share(0) / expected_share(-30))


def test_bounds_are_walds():
    assert Sprt(0, 5).bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    low, high = Sprt(0, 5, alpha=0.01, beta=0.1).bounds
    assert (low, high) == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))


def test_a_test_counts_and_keeps_its_verdict():
    test = Sprt(0, 100, pairs=False)
    assert test.verdict == "running"
    verdicts = [test.add(Score(0, 0, 1)) for _ in range(20)]
    assert verdicts == sorted(verdicts, reverse=True)
    assert verdicts[-1] == test.verdict == "accept H0"
    assert test.counts == (20, 0, 0)
    for _ in range(100):
        test.add(Score(1, 0, 0))
    assert test.llr > test.bounds[1]
    assert test.verdict == "accept H0"


def test_pairs_are_counted_by_their_points():
    test = Sprt(0, 10)
    for pair in (*PAIRS, Score(1, 0, 1)):
        test.add(pair)
    assert test.counts == (1, 1, 2, 1, 1)
    assert test.llr == pytest.approx(float(log_likelihood_ratio([1, 1, 2, 1, 1], 0, 10)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Sprt(5, 0), "elo0=5, elo1=0: expected two numbers, the smaller first"),
        (lambda: Sprt(5, 5), "elo0=5, elo1=5: expected two numbers, the smaller first"),
        (
            lambda: Sprt(-math.inf, 0),
            "elo0=-inf, elo1=0: expected two numbers, the smaller first",
        ),
        (lambda: Sprt(0, math.inf), "elo0=0, elo1=inf: expected two numbers, the smaller first"),
        (lambda: Sprt(0, math.nan), "elo0=0, elo1=nan: expected two numbers, the smaller first"),
        (
            lambda: Sprt(0, 5, alpha=0),
            "alpha=0, beta=0.05: expected more than 0, together below 1",
        ),
        (
            lambda: Sprt(0, 5, alpha=0.5, beta=0.5),
            "alpha=0.5, beta=0.5: expected more than 0, together below 1",
        ),
        (
            lambda: Sprt(0, 5).add(Score(1, 0, 0)),
            "Score(wins=1, draws=0, losses=0): expected 2 game(s), not 1",
        ),
        (
            lambda: log_likelihood_ratio([3], 0, 5),
            "counts of shape (1,): expected two or more numbers of at least 0",
        ),
        (
            lambda: log_likelihood_ratio([3, -1, 2], 0, 5),
            "counts of shape (3,): expected two or more numbers of at least 0",
        ),
    ],
)
def test_mistakes_get_one_sentence(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call()
    assert str(caught.value) == message


def tilted(chances, elo):
    """Probabilities in proportion to chances and a power of e by points, with the mean of elo."""
    points = np.linspace(0, 1, len(chances))
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        weights = chances * np.exp(middle * points)
        weights /= weights.sum()
        low, high = (middle, high) if weights @ points < expected_share(elo) else (low, middle)
    return weights


def simulate(chances, elo0, elo1, matches, seed):
    """The ends of many tests at once: how many results it took, and whether H1 was accepted."""
    random = np.random.default_rng(seed)
    low, high = Sprt(elo0, elo1).bounds
    counts = np.zeros((matches, len(chances)))
    running = np.arange(matches)
    lengths, accepted = np.zeros(matches, dtype=int), np.zeros(matches, dtype=bool)
    while running.size:
        results = random.choice(len(chances), p=chances, size=(running.size, 24))
        path = counts[running, None] + np.eye(len(chances))[results].cumsum(axis=1)
        ratios = log_likelihood_ratio(path, elo0, elo1)
        over = (ratios <= low) | (ratios >= high)
        ended, first = over.any(axis=1), over.argmax(axis=1)
        lengths[running] += np.where(ended, first + 1, path.shape[1])
        accepted[running[ended]] = ratios[ended, first[ended]] >= high
        counts[running] = path[:, -1]
        running = running[~ended]
    return lengths, accepted


# A match of games, and one of pairs of which most are split, as where the first move decides.
MATCHES = {
    "trinomial": (np.array([0.35, 0.3, 0.35]), 60.0),
    "pentanomial": (np.array([0.05, 0.15, 0.6, 0.15, 0.05]), 40.0),
}


@pytest.mark.parametrize("kind", MATCHES)
def test_verdicts_are_wrong_as_rarely_as_they_say(kind):
    chances, elo1 = MATCHES[kind]
    _, accepted = simulate(tilted(chances, 0), 0, elo1, matches=400, seed=11)
    assert accepted.mean() <= 0.05 + 0.02
    lengths, accepted = simulate(tilted(chances, elo1), 0, elo1, matches=400, seed=12)
    assert (~accepted).mean() <= 0.05 + 0.02
    # A match of a length that is fixed before, with the same errors, takes (2 * 1.645 sd / gap)^2.
    points = np.linspace(0, 1, len(chances))
    deviation = math.sqrt(chances @ (points - 0.5) ** 2)
    fixed = (2 * 1.645 * deviation / (expected_share(elo1) - 0.5)) ** 2
    assert lengths.mean() < 0.7 * fixed


def test_the_simulated_tests_are_those_of_the_class():
    for chances, results in ((MATCHES["trinomial"][0], GAMES), (MATCHES["pentanomial"][0], PAIRS)):
        lengths, accepted = simulate(chances, 0, 90, matches=1, seed=13)
        random = np.random.default_rng(13)
        test = Sprt(0, 90, pairs=results is PAIRS)
        played = 0
        while test.verdict == "running":
            for result in random.choice(len(chances), p=chances, size=24):
                if test.verdict == "running":
                    test.add(results[result])
                    played += 1
        assert (played, test.verdict == "accept H1") == (lengths[0], accepted[0])
