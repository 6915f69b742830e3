"""Searches return in time whatever a game does: positions that come again, games without an end."""

import os
import threading
import time

import numpy as np
import pytest

import cyclic_games
import spielbaum as sb
from spielbaum.agents.registry import agents
from spielbaum.testing import check_game
from timing import measures_time

GRAPHS = (
    "uct1",
    "uct2",
    "uct3",
    "mcts:select=ucd,d1=2,d2=1,d3=1,playout=random",
    "uct1:reuse=on,symmetry=off,solver=on",
    "uct3:reuse=on,solver=on",
)
NOT_HERE = (
    *("human", "perfect"),
    *("book", "net", "ntuple", "qtable"),  # which need files
    *("gtp", "nboard", "uci", "ugi"),  # and programs
)
"""Agents that need a person, a file, a solver or an engine."""
ALL = tuple(
    info.name
    for info in agents()
    if info.name not in NOT_HERE and info.factory.__module__.startswith("spielbaum.")
)  # other tests register agents of their own
FUZZ = int(os.environ.get("SPIELBAUM_FUZZ", "40"))


@pytest.fixture(autouse=True, scope="module")
def games():
    cyclic_games.register()


@pytest.mark.parametrize("spec", dict.fromkeys((*ALL, *GRAPHS)))
def test_every_agent_plays_the_token_game(spec):
    agent, state = sb.agent(spec), sb.game("token").initial()
    while state.outcome is None and len(state.history) < 12:
        decision = agent.choose(state, sb.Budget(iterations=50, seconds=20))
        assert decision.move in state.legal_moves
        assert decision.stats.get("seconds", 0.0) < 10
        state = state.play(decision.move)


@measures_time
@pytest.mark.parametrize("spec", dict.fromkeys((*ALL, *GRAPHS)))
def test_time_limits_hold_in_games_without_an_end(spec):
    agent, state = sb.agent(spec), sb.game("endless").initial()
    began = time.monotonic()
    agent.choose(state, sb.Budget(seconds=0.1))
    assert time.monotonic() - began < 1.0


@pytest.mark.parametrize("spec", ["uct", "uct3", "rave-lgr", "mcts:playout=gdk"])
def test_iterations_end_in_games_without_an_end(spec):
    decision = sb.agent(spec).choose(sb.game("endless").initial(), sb.Budget(iterations=3))
    assert decision.stats["iterations"] == 3
    assert decision.value == 0.0  # playouts without an end are drawn


@measures_time
def test_stop_ends_a_playout():
    agent, stopped = sb.agent("uct:cut=1000000,eval=none"), []
    timer = threading.Timer(0.1, lambda: (stopped.append(time.monotonic()), agent.stop()))
    timer.start()
    agent.choose(sb.game("endless").initial(), sb.Budget(iterations=1000))
    assert time.monotonic() - stopped[0] < 0.5


def test_playouts_beside_a_network_end_by_the_clock():
    class Even:
        def evaluate(self, planes, legal):
            return np.zeros(len(planes)), np.zeros(legal.shape)

    class Endless(cyclic_games.Endless):
        name = "endless_planes"
        plane_shape = (1, 1, 1)

        def planes(self, state):
            return np.full((1, 1, 1), state, np.float32)

    sb.register_game(Endless, replace=True)
    agent = sb.agent("mcts:select=uct,blend=0.5,cut=1000000,eval=none").with_evaluator(Even())
    began = time.monotonic()
    agent.choose(sb.game("endless_planes").initial(), sb.Budget(seconds=0.1))
    assert time.monotonic() - began < 20  # one playout to its cut, and not a second one


@pytest.mark.parametrize("seed", range(FUZZ))
def test_random_games_with_cycles(seed):
    state = sb.game("maze", seed=seed).initial()
    for spec in (*GRAPHS, "uct", "mcts", "alphabeta"):
        decision = sb.agent(spec).choose(state, sb.Budget(iterations=50, nodes=2000, seconds=20))
        assert decision.move in state.legal_moves
        assert decision.stats.get("seconds", 0.0) < 10


def test_graphs_still_merge_positions():
    state = sb.game("connect4").initial()
    nodes = {
        spec: sb.agent(spec).choose(state, sb.Budget(iterations=3000)).stats["nodes"]
        for spec in ("uct", "uct1:symmetry=off", "uct1:symmetry=on")
    }
    assert nodes["uct1:symmetry=on"] < nodes["uct1:symmetry=off"] < nodes["uct"]


def test_a_kept_graph_goes_on_where_the_game_is():
    agent, state = sb.agent("uct1:reuse=on,symmetry=off"), sb.game("connect4").initial()
    for _ in range(3):
        decision = agent.choose(state, sb.Budget(iterations=500))
        state = state.play(decision.move).play(decision.pv[1])
    kept = agent.choose(state, sb.Budget(iterations=500))
    assert kept.stats["kept"] > 0
    # Positions that were found before and after the kept root are the same nodes.
    assert kept.stats["nodes"] < kept.stats["kept"] + 500


def test_check_game_knows_games_with_cycles():
    assert check_game("token", games=5) > 20
