"""Iterations that take as long as those of a reference."""

from types import SimpleNamespace

import pytest

import spielbaum as sb
from spielbaum.arena import relative
from spielbaum.arena.relative import relative_limits
from spielbaum.play import table
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Opening


class Measured(sb.Agent):
    """Takes the next number of seconds for every move, and counts what it is asked for."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds = clock, iter(seconds)
        self.asked, self.resets = [], 0

    def reset(self, seed=None):
        self.resets += 1

    def choose(self, state, budget=None):
        self.asked.append((len(state.history), budget.iterations))
        self.clock.now += next(self.seconds)
        return sb.Decision(state.legal_moves[0])


def measured(monkeypatch, seconds, openings, game="connect4"):
    clock = SimpleNamespace(now=0.0, perf_counter=lambda: clock.now)
    agent = Measured(clock, seconds)
    monkeypatch.setattr(table, "time", clock)
    monkeypatch.setattr(relative, "stored_agent", lambda spec: agent)
    return relative_limits(sb.game(game), "uct", 50, openings), agent


def test_everybody_gets_the_median_time_of_a_move(monkeypatch):
    # The first search warms up: its time, which is the longest, does not count.
    times = [100.0, *[1.0] * 5, *[2.0] * 3, *[9.0] * 4]
    limits, agent = measured(monkeypatch, times, [Opening("", ("a1",))])
    assert limits == Limits(seconds=2.0)
    assert agent.asked == [(0, 50), *((ply, 50) for ply in range(1, 13))]
    assert agent.resets == 12  # no tree is kept


def test_a_few_openings_and_a_few_plies_are_enough(monkeypatch):
    limits, agent = measured(monkeypatch, iter(lambda: 0.5, None), [Opening()] * 40)
    assert len(agent.asked) == 1 + 12 * 12
    assert limits.seconds == pytest.approx(0.5)


def test_games_that_end_early_are_no_problem(monkeypatch):
    _, agent = measured(monkeypatch, iter(lambda: 0.5, None), [Opening()], "tictactoe")
    assert len(agent.asked) == 1 + 7  # the first moves one after the other win after seven plies


def test_no_time_at_all_is_next_to_none(monkeypatch):
    limits, _ = measured(monkeypatch, iter(lambda: 0.0, None), [Opening()])
    assert limits.seconds == 1e-6
