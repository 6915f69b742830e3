"""Limits and clocks: what they allow, what they refuse, and when a clock has run out."""

from types import SimpleNamespace

import pytest

import spielbaum as sb
from spielbaum.play import referee, table
from spielbaum.play.clock import LEAST, OVERHEAD, RESERVED_MOVES, USUAL_MOVES, think_seconds
from spielbaum.play.limits import Limits, limits_of_each
from spielbaum.play.referee import GameTask, Seat, play_game

TICTACTOE = sb.game("tictactoe")


# ---- limits ----
@pytest.mark.parametrize(
    "limits",
    [
        Limits(),
        Limits(iterations=100),
        Limits(seconds=0.25),
        Limits(nodes=5000, depth=3),
        Limits(clock=60.0, increment=0.5),
        Limits(clock=2.5),
        Limits(iterations=1_234_567, seconds=0.12345678),
        Limits(nodes=10**9, depth=1),
    ],
)
def test_limits_come_back_from_their_text(limits):
    assert Limits.parse(limits.text) == limits


def test_only_times_may_have_fractions():
    limits = Limits.parse("iterations=100,nodes=20,depth=3,seconds=1")
    assert [type(each) for each in (limits.iterations, limits.nodes, limits.depth)] == [int] * 3
    assert type(limits.seconds) is float
    assert Limits.parse("seconds=0.75").seconds == 0.75
    assert Limits.parse("iterations=1e6") == Limits(iterations=1_000_000)
    assert Limits.parse("clock=1.5,increment=0.25") == Limits(clock=1.5, increment=0.25)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Limits(increment=1.0), "increment=1: expected 0 or more, and a clock"),
        (lambda: Limits(clock=9, increment=-1), "increment=-1: expected 0 or more, and a clock"),
        (lambda: Limits(clock=9, seconds=2), "seconds=2,clock=9: expected one of them"),
        (lambda: Limits.parse("depth=many"), "limit 'depth=many': expected iterations"),
        (lambda: Limits.parse("depth"), "limit 'depth': expected iterations"),
        (lambda: Limits(iterations=-1), "budget: option iterations=-1: expected a whole number"),
        (lambda: Limits.parse("depth=2.5"), "budget: option depth=2.5: expected a whole number"),
        (lambda: Limits.parse("nodes=inf"), "budget: option nodes=inf: expected a whole number"),
        (lambda: Limits.parse("depth=nan"), "budget: option depth=nan: expected a whole number"),
        (lambda: Limits(clock=0), "clock=0: expected a number of seconds above 0"),
        (lambda: Limits(clock=-3), "clock=-3: expected a number of seconds above 0"),
        (lambda: Limits.parse("clock=inf"), "clock=inf: expected a number of seconds above 0"),
        (lambda: Limits.parse("clock=nan"), "clock=nan: expected a number of seconds above 0"),
        (lambda: Limits(clock=5, increment=float("inf")), "increment=inf: expected 0 or more"),
        (lambda: Limits(clock=5, increment=float("nan")), "increment=nan: expected 0 or more"),
    ],
)
def test_limits_that_make_no_sense_are_refused(call, message):
    with pytest.raises(sb.SpecError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_a_fraction_of_a_second_may_be_gained_with_every_move():
    assert Limits(clock=5, increment=0.5).increment == 0.5
    assert Limits(clock=5).increment == 0


def test_the_budget_has_all_limits():
    budget = Limits(iterations=7, seconds=0.5, nodes=8, depth=9).budget(None)
    assert (budget.iterations, budget.seconds, budget.nodes, budget.depth) == (7, 0.5, 8, 9)
    assert Limits(depth=2).budget(None).seconds is None


def test_a_clock_is_shared_out():
    limits = Limits(clock=50, increment=2)
    # By the rule of all clocks: of what is left, and of the whole clock at first.
    assert limits.budget(None).seconds == think_seconds(50, 2) == pytest.approx(3.12667, abs=1e-5)
    assert limits.budget(25.3).seconds == think_seconds(25.3, 2)
    # Never more than most of what is left, were the increment ever so long; and never nothing.
    assert Limits(clock=50, increment=90).budget(10.3).seconds == pytest.approx(5.97)
    assert Limits(clock=50).budget(0.0).seconds == LEAST


def test_how_long_a_move_may_take():
    assert Limits(iterations=5).longest == 0
    assert Limits(seconds=0.25).longest == 0.25
    assert Limits(clock=0.5).longest == 0.5
    assert Limits(clock=30, increment=2).longest == 30


# ---- clocks in games ----
class Thinker(sb.Agent):
    """Plays the first legal move, after as many seconds on the clock of the test as it is told."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds, self.budgets = clock, iter(seconds), []

    def choose(self, state, budget=None):
        self.budgets.append(budget)
        self.clock.now += next(self.seconds, 0.0)
        return sb.Decision(state.legal_moves[0], value=0.25)


@pytest.fixture
def clock(monkeypatch):
    """The time of the games, which passes only when an agent thinks."""
    clock = SimpleNamespace(now=100.0)
    watch = SimpleNamespace(perf_counter=lambda: clock.now, time=lambda: 1e9 + clock.now)
    for module in (table, referee):
        monkeypatch.setattr(module, "time", watch)
    return clock


def timed_game(clock, limits, *seconds):
    """A game of the limited agent, which moves first, against one that takes no time."""
    agents = [Thinker(clock, seconds), Thinker(clock, [])]
    players = SimpleNamespace(get=lambda seats: agents)
    task = GameTask("tictactoe", (Seat("slow", limits), Seat("quick", Limits())))
    return play_game(task, players), agents[0].budgets


def left(budget, increment=0.0):
    """The seconds on the clock that a budget was made of."""
    share = budget.seconds + OVERHEAD - 0.75 * increment
    return round(share * USUAL_MOVES + RESERVED_MOVES * OVERHEAD, 6)


def test_thinking_takes_time_from_the_clock(clock):
    record, budgets = timed_game(clock, Limits(clock=10), 1.0, 2.0, 3.0)
    assert [left(each) for each in budgets] == [10, 9, 7, 4]
    assert record.ended_by == "rules"
    assert record.seconds == (1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 0.0)
    assert record.started == 1e9 + 100


def test_times_are_kept_to_the_microsecond(clock):
    record, _ = timed_game(clock, Limits(clock=10), 1.23456789)
    assert record.seconds[0] == 1.234568


def test_a_move_gains_the_increment(clock):
    record, budgets = timed_game(clock, Limits(clock=10, increment=0.5), 1.0, 2.0, 3.0)
    assert [left(each, 0.5) for each in budgets] == [10, 9.5, 8, 5.5]
    assert record.ended_by == "rules"


def test_the_increment_lets_an_agent_think_longer_than_its_clock_says(clock):
    record, _ = timed_game(clock, Limits(clock=2, increment=1.5), 1.5, 1.5, 1.5, 1.5)
    assert record.ended_by == "rules"
    record, _ = timed_game(clock, Limits(clock=2), 1.5, 1.5, 1.5, 1.5)
    assert record.ended_by == "time"


def test_who_takes_longer_than_the_clock_loses(clock):
    record, _ = timed_game(clock, Limits(clock=5, increment=2), 4.0, 3.25)
    assert (record.ended_by, record.rewards) == ("time", (-1.0, 1.0))
    # Three seconds were left: the increment comes after the move, which was too late.
    assert record.reason == "slow: the clock ran out 0.25 s ago"
    assert len(record.moves) == 2  # the late move does not count
    assert record.seconds == (4.0, 0.0, 3.25)


def test_the_last_moment_is_in_time(clock):
    record, _ = timed_game(clock, Limits(clock=4), 3.0, 1.0, 0.0)
    assert record.ended_by == "rules"


def test_without_a_clock_nobody_is_late(clock):
    record, budgets = timed_game(clock, Limits(seconds=1), 1e6, 1e6)
    assert record.ended_by == "rules"
    assert [each.seconds for each in budgets] == [1] * len(budgets)


@pytest.mark.parametrize(
    ("text", "agents", "problem"),
    [
        ("depth=3/nodes=5", 3, ", or of each of the 3, separated by /"),
        ("depth=3/", 2, ", or of each of the 2, separated by /"),
        ("depth=3/nodes=5", 1, ""),  # one agent has nobody to differ from
    ],
)
def test_limits_for_other_numbers_of_agents(text, agents, problem):
    with pytest.raises(sb.SpecError) as error:
        limits_of_each(text, agents)
    assert str(error.value) == f"--limits {text!r}: expected limits of all agents{problem}"
