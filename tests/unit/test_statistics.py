"""Intervals and tests of the arena: published examples, laws, and how often intervals are right."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielbaum.base.statistics import (
    Estimate,
    Score,
    bootstrap_estimate,
    elo_difference,
    elo_estimate,
    expected_share,
    likelihood_of_superiority,
    normal_quantile,
    paired_test,
    share_estimate,
    sign_test,
)

COUNTS = st.integers(0, 200)
SCORES = st.builds(Score, COUNTS, COUNTS, COUNTS).filter(lambda score: score.games)


def test_scores_add_up():
    score = Score(3, 2, 1)
    assert (score.games, score.points(), score.share("nothing")) == (6, 4.0, 0.5)
    assert sum([score, Score(1, 0, 0)], Score(0, 0, 0)) == Score(4, 2, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Score(-1, 0, 0), "wins=-1: expected a whole number of at least 0"),
        (lambda: Score(1, 0.5, 0), "draws=0.5: expected a whole number of at least 0"),
        (lambda: Score(0, 0, 0).share(), "a score of no games has no share"),
        (lambda: Score(1, 0, 0).points("double"), "scoring 'double': expected half or nothing"),
        (lambda: normal_quantile(1.0), "confidence 1.0: expected a number between 0 and 1"),
        (lambda: elo_difference(1.1), "share 1.1: expected a number from 0 to 1"),
        (lambda: bootstrap_estimate([]), "a score of no games has no share"),
        (
            lambda: bootstrap_estimate([Score(0, 0, 0)]),
            "a pair without games cannot be resampled",
        ),
        (
            lambda: bootstrap_estimate([Score(1, 0, 1)], resamples=0),
            "resamples=0: expected at least 1",
        ),
        (lambda: sign_test(-1, 2), "cases -1 and 2: expected numbers of at least 0"),
        (lambda: paired_test([1], [1, 2]), "1 and 2 results: expected as many of both"),
    ],
)
def test_mistakes_get_one_sentence(call, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call()
    assert str(caught.value) == message


# Newcombe, Two-sided confidence intervals for the single proportion (1998), Table I, method 3.
@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
@pytest.mark.parametrize("scoring", ["half", "nothing"])
def test_without_draws_the_interval_is_wilsons(wins, games, low, high, scoring):
    estimate = share_estimate(Score(wins, 0, games - wins), scoring)
    assert estimate.low == pytest.approx(low, abs=5e-5)
    assert estimate.high == pytest.approx(high, abs=5e-5)


def test_draws_that_count_nothing_are_losses():
    assert share_estimate(Score(15, 100, 33), "nothing") == share_estimate(Score(15, 0, 133))


# Tango's intervals of a difference of proportions of pairs, which is here that of wins and losses:
# Fagerland, Lydersen and Laake, Recommended tests and confidence intervals for paired binomial
# proportions (2014), Bentur's data; and Statistical analysis of contingency tables (2017), Cavo's.
@pytest.mark.parametrize(
    ("score", "low", "high"),
    [(Score(1, 13, 7), -0.517, -0.026), (Score(6, 139, 16), -0.1240, -0.0054)],
)
def test_with_draws_the_interval_is_tangos(score, low, high):
    estimate = share_estimate(score)
    assert 2 * estimate.low - 1 == pytest.approx(low, abs=5e-4)
    assert 2 * estimate.high - 1 == pytest.approx(high, abs=5e-4)


def test_ends_of_the_interval_are_where_the_definition_says():
    score, z = Score(9, 14, 4), normal_quantile(0.95)
    estimate = share_estimate(score)
    for mean in (estimate.low, estimate.high):
        draws = np.linspace(1e-6, 2 * min(mean, 1 - mean) - 1e-6, 100_001)
        wins, losses = mean - draws / 2, 1 - mean - draws / 2
        likelihood = (
            score.wins * np.log(wins) + score.draws * np.log(draws) + score.losses * np.log(losses)
        )
        most_likely = draws[likelihood.argmax()]
        variance = mean * (1 - mean) - most_likely / 4
        distance = (estimate.value - mean) ** 2 * score.games
        assert distance == pytest.approx(z * z * variance, rel=1e-4)


def test_drawn_games_only():
    # The share of wins is then at most as Wilson's interval of no wins says: z^2 / (n + z^2).
    z = normal_quantile(0.95)
    estimate = share_estimate(Score(0, 10, 0))
    assert 2 * estimate.high - 1 == pytest.approx(z * z / (10 + z * z))
    assert estimate.low == pytest.approx(1 - estimate.high)


@pytest.mark.parametrize("confidence", [0.1, 0.2, 0.5, 0.8, 0.99])
def test_one_drawn_game(confidence):
    z = normal_quantile(confidence)
    estimate = share_estimate(Score(0, 1, 0), confidence=confidence)
    assert 2 * estimate.high - 1 == pytest.approx(z * z / (1 + z * z))
    assert estimate.low == pytest.approx(1 - estimate.high)


@given(SCORES)
def test_laws_of_intervals(score):
    estimate = share_estimate(score)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    other = share_estimate(Score(score.losses, score.draws, score.wins))
    assert other.low == pytest.approx(1 - estimate.high, abs=1e-9)
    wide = share_estimate(score, confidence=0.99)
    assert wide.low <= estimate.low
    assert wide.high >= estimate.high
    # A binomial interval of half points would pretend more variance than there is.
    z, share, games = normal_quantile(0.95), estimate.value, score.games
    half = z * math.sqrt(share * (1 - share) / games + (z / 2 / games) ** 2) / (1 + z * z / games)
    assert estimate.high - estimate.low <= 2 * half + 1e-9


@pytest.mark.parametrize(
    "chances",
    [
        (0.45, 0.1, 0.45),
        (0.25, 0.5, 0.25),
        (0.5, 0.2, 0.3),
        (0.3, 0.6, 0.1),
        (0.7, 0.1, 0.2),
        (0.85, 0.1, 0.05),
        (0.1, 0.9, 0.0),
    ],
)
@pytest.mark.parametrize("games", [10, 30])
def test_intervals_hold_the_truth_as_often_as_they_say(chances, games):
    # Not simulated: every possible score with its probability.
    truth = chances[0] + chances[1] / 2
    coverage = 0.0
    for wins in range(games + 1):
        for draws in range(games - wins + 1):
            counts = (wins, draws, games - wins - draws)
            estimate = share_estimate(Score(*counts))
            if estimate.low <= truth <= estimate.high:
                ways = math.comb(games, wins) * math.comb(games - wins, draws)
                coverage += ways * math.prod(map(pow, chances, counts))
    assert coverage > 0.92


def test_bootstrap_is_reproducible_and_agrees_with_theory():
    pairs = [Score(2, 0, 0)] * 300 + [Score(1, 1, 0)] * 200 + [Score(0, 0, 2)] * 200
    estimate = bootstrap_estimate(pairs, seed=3)
    assert estimate == bootstrap_estimate(pairs, seed=3)
    assert estimate != bootstrap_estimate(pairs, seed=4)
    shares = [pair.share() for pair in pairs]
    error = np.std(shares) / math.sqrt(len(pairs))
    assert estimate.value == pytest.approx(np.mean(shares))
    assert estimate.low == pytest.approx(estimate.value - 1.96 * error, abs=0.1 * error)
    assert estimate.high == pytest.approx(estimate.value + 1.96 * error, abs=0.1 * error)


def test_bootstrap_knows_that_games_of_a_pair_depend_on_each_other():
    # The first player wins every game: pairs say that both are equal, games alone say little.
    pairs = [Score(1, 0, 1)] * 30
    assert bootstrap_estimate(pairs) == Estimate(0.5, 0.5, 0.5)
    assert share_estimate(sum(pairs, Score(0, 0, 0))).high > 0.6
    # The better opening wins twice: here games alone would say too much.
    pairs = [Score(2, 0, 0)] * 30 + [Score(0, 0, 2)] * 30
    assert bootstrap_estimate(pairs).high > share_estimate(Score(60, 0, 60)).high + 0.02


def test_bootstrap_weighs_groups_by_their_games():
    estimate = bootstrap_estimate([Score(2, 0, 0)] * 20 + [Score(0, 1, 0)] * 20, "nothing")
    assert estimate.value == pytest.approx(40 / 60)
    assert estimate.low < estimate.value < estimate.high


def test_bootstrap_intervals_hold_the_truth_as_often_as_they_say():
    random = np.random.default_rng(1)
    chances, points = [0.1, 0.15, 0.35, 0.2, 0.2], np.arange(5) / 4
    kinds = [Score(0, 0, 2), Score(0, 1, 1), Score(1, 0, 1), Score(1, 1, 0), Score(2, 0, 0)]
    truth = float(points @ chances)
    inside = 0
    for seed, drawn in enumerate(random.multinomial(80, chances, size=400)):
        pairs = [kind for kind, count in zip(kinds, drawn, strict=True) for _ in range(count)]
        estimate = bootstrap_estimate(pairs, resamples=1000, seed=seed)
        inside += estimate.low <= truth <= estimate.high
    assert 0.93 <= inside / 400 <= 0.98


def test_elo_of_shares():
    assert elo_difference(10 / 11) == pytest.approx(400)
    assert (elo_difference(0), elo_difference(1)) == (-math.inf, math.inf)
    assert expected_share(math.inf) == 1
    for elo in (-700, -3.5, 0, 120):
        assert elo_difference(expected_share(elo)) == pytest.approx(elo)
    estimate = elo_estimate(share_estimate(Score(5, 0, 0)))
    assert estimate.value == estimate.high == math.inf
    assert estimate.low == pytest.approx(elo_difference(5 / (5 + normal_quantile(0.95) ** 2)))


def test_likelihood_of_superiority():
    # By hand: after one win the density of its probability p is 2 p, and 3/4 of it is above 1/2.
    assert likelihood_of_superiority(Score(1, 0, 0)) == pytest.approx(0.75)
    assert likelihood_of_superiority(Score(0, 7, 0)) == pytest.approx(0.5)
    assert likelihood_of_superiority(Score(2, 9, 1)) == pytest.approx(11 / 16)
    # The usual approximation, by the normal distribution, is close for many games.
    usual = (1 + math.erf((550 - 500) / math.sqrt(2 * 1050))) / 2
    assert likelihood_of_superiority(Score(550, 900, 500)) == pytest.approx(usual, abs=1e-3)
    assert likelihood_of_superiority(Score(10**7, 0, 10**7)) == pytest.approx(0.5)
    # What is certain is certain, however many games there were.
    assert likelihood_of_superiority(Score(10**6, 0, 10**5)) == 1
    assert likelihood_of_superiority(Score(10**5, 0, 10**6)) == 0


@given(COUNTS, COUNTS)
def test_sides_of_superiority_add_up_to_one(wins, losses):
    both = [
        likelihood_of_superiority(score)
        for score in (Score(wins, 0, losses), Score(losses, 3, wins))
    ]
    assert sum(both) == pytest.approx(1)


def test_sign_test():
    # Armitage and Berry's media for tubercle bacilli, after Liddell (1983): P = 0.0129.
    assert sign_test(12, 2) == pytest.approx(0.0129, abs=5e-5)
    assert sign_test(1, 7) == sign_test(7, 1) == pytest.approx(2 * (1 + 8) / 2**8)
    assert sign_test(0, 0) == sign_test(5, 5) == 1
    assert sign_test(1_000_000, 1_002_000) == pytest.approx(
        math.erfc((2000 - 1) / math.sqrt(2_002_000) / math.sqrt(2)), rel=1e-3
    )


@given(st.integers(0, 60), st.integers(0, 60))
def test_sign_test_is_the_sum_of_binomial_coefficients(better, worse):
    cases = better + worse
    tail = sum(math.comb(cases, k) for k in range(min(better, worse) + 1))
    assert sign_test(better, worse) == pytest.approx(min(1.0, 2 * tail / 2**cases))


def test_paired_test_leaves_ties_out():
    assert paired_test([1, 1, 0, 0.5], [0, 1, 1, 0.5]) == 1
    assert paired_test([3] * 6, [2] * 6) == pytest.approx(2 / 2**6)


def test_shares_as_percents():
    assert Estimate(0.5, 0.25, 0.75).percent == Estimate(50.0, 25.0, 75.0)


def test_estimates_are_written_with_their_interval():
    assert f"{Estimate(0.5, 0.25, 0.75):.1%}" == "50.0% (25.0% to 75.0%)"
