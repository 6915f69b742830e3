"""The agent alphabeta: values, budgets, switches, stopping."""

import os
import random
import resource
import sys
import threading
import time
from itertools import product
from pathlib import Path

import pytest

import spielbaum as sb
from heap import Heap
from spielbaum.base.memory import MOST_MEGABYTES, machine_megabytes
from timing import measures_time

START = {"connect4": "4453", "reversi": None, "yavalath": "e5 d4", "chess": None, "tictactoe": "b2"}


def position(name):
    game = sb.game(name)
    return game.initial() if START[name] is None else game.state(START[name])


@pytest.mark.parametrize("name", START)
def test_switches_do_not_change_the_value_of_a_fixed_depth(name):
    # The table may know more than the depth asks for, so only searches without it are compared.
    depth = 3 if name in ("chess", "yavalath") else 4
    budget = sb.Budget(depth=depth)
    values = set()
    for on in product((True, False), repeat=3):
        switches = dict(zip(("iterative", "ordering", "windows"), on, strict=True))
        agent = sb.agent("alphabeta", tt=False, cutoffs=False, **switches)
        values.add(agent.choose(position(name), budget).value)
    assert len(values) == 1


@pytest.mark.parametrize("name", START)
def test_minimax_without_pruning_finds_the_same(name):
    budget = sb.Budget(depth=3 if name in ("chess", "yavalath") else 4)
    plain = sb.agent("alphabeta:pruning=off,tt=off,analyse=on").choose(position(name), budget)
    pruned = sb.agent("alphabeta:tt=off,windows=off,quiescence=off,analyse=on").choose(
        position(name), budget
    )
    assert plain.value == pruned.value
    assert [move.value for move in plain.moves] == [move.value for move in pruned.moves]
    assert plain.stats["nodes"] > pruned.stats["nodes"]


def test_minimax_without_pruning_and_table_visits_every_node():
    start = sb.game("tictactoe").initial()
    agent = sb.agent("alphabeta:pruning=off,tt=off,iterative=off")
    positions = [sb.perft(start, depth) for depth in range(1, 10)]
    assert sum(positions) == 549_945
    for depth in (1, 4, 9):
        nodes = agent.choose(start, sb.Budget(depth=depth)).stats["nodes"]
        assert nodes == sum(positions[:depth])
    # With a table, transpositions are searched once; cutoffs and windows make no difference.
    counts = {
        sb.agent(f"alphabeta:pruning=off,iterative=off,cutoffs={on},windows={on}")
        .choose(start, sb.Budget(depth=9))
        .stats["nodes"]
        for on in ("on", "off")
    }
    assert len(counts) == 1
    assert max(counts) < 549_945 / 10


def resident_megabytes():
    """Memory that this process really uses."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_short_search_does_not_touch_the_memory_of_a_large_table():
    state = sb.game("yavalath").initial()
    kept = [sb.agent(f"alphabeta:memory={memory}") for memory in (1, 64, 512)]
    used, nodes = [], set()
    for agent in kept:
        before = resident_megabytes()
        nodes.add(agent.choose(state, sb.Budget(depth=4)).stats["nodes"])
        used.append(resident_megabytes() - before)
    # 64 and 512 if each entry had its final place; large pages are of 2 megabytes.
    assert max(used) <= 6
    assert len(nodes) == 1  # nothing was lost on the way


@pytest.mark.skipif(sys.platform != "linux", reason="counts page faults")
def test_a_game_after_the_first_does_not_wait_for_memory():
    state, agent = sb.game("connect4").initial(), sb.agent("alphabeta")
    agent.choose(state, sb.Budget(depth=10))
    agent.reset()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    agent.choose(state, sb.Budget(depth=10))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 20


def test_a_table_that_grew_knows_what_one_of_another_size_knows():
    # The larger one grows further, and neither is full.
    for name, depth in (("connect4", 11), ("reversi", 7), ("chess", 5)):
        found = {
            sb.agent(f"alphabeta:memory={memory}")
            .choose(position(name), sb.Budget(depth=depth))
            .stats["nodes"]
            for memory in (64, 256)
        }
        assert len(found) == 1, name


def test_reset_while_it_thinks_does_not_wait():
    agent, state = sb.agent("alphabeta"), sb.game("chess").initial()
    fresh = agent.choose(state, sb.Budget(depth=3))
    agent.reset()
    begun, token = threading.Event(), sb.StopToken()
    budget = sb.Budget(seconds=60, stop=token, report=lambda so_far: begun.set())
    thinking = threading.Thread(target=lambda: agent.choose(state, budget))
    thinking.start()
    begun.wait()
    agent.reset()
    assert thinking.is_alive()
    token.stop()
    thinking.join()
    assert agent.choose(state, sb.Budget(depth=3)) == fresh


def test_spec_strings_round_trip():
    for spec in ("alphabeta", "alphabeta:iterative=off,tt=off", "alphabeta:analyse=on,memory=8"):
        assert str(sb.agent(spec)) == spec
    with pytest.raises(sb.SpecError, match="its options are iterative, tt, cutoffs"):
        sb.agent("alphabeta:depht=3")


def test_tictactoe_is_a_draw_and_known_to_be():
    decision = sb.agent("alphabeta").choose(sb.game("tictactoe").initial(), sb.Budget(depth=20))
    assert decision.value == 0.0
    assert decision.stats["depth"] == 9
    assert len(decision.pv) == 9


def test_wins_and_losses_are_proven():
    win = sb.game("connect4").state("121212")
    decision = sb.agent("alphabeta").choose(win, sb.Budget(depth=4))
    assert (win.text(decision.move), decision.value) == ("a4", 1.0)
    assert decision.stats["plies_to_end"] == 1
    lost = sb.game("connect4").state("33445")  # x threatens b1 and f1
    decision = sb.agent("alphabeta").choose(lost, sb.Budget(depth=4))
    assert (decision.value, decision.stats["plies_to_end"]) == (-1.0, 2)


def test_analyse_gives_every_move_its_value():
    state = sb.game("connect4").state("52753311433677442422121")
    exact = sb.solve(state)
    decision = sb.agent("alphabeta:analyse=on").choose(state, sb.Budget(depth=30))
    assert [move.move for move in decision.moves] == list(state.legal_moves)
    for found, known in zip(decision.moves, exact.moves, strict=True):
        assert found.value == known.value
        assert found.pv[0] == found.move


@pytest.mark.parametrize("switches", ["", ",iterative=off", ",windows=off", ",analyse=on"])
def test_what_is_proven_is_true_also_of_moves_that_are_not_the_best(switches):
    game, rng, proven = sb.game("tictactoe"), random.Random(7), 0
    for _ in range(100):
        state = game.initial()
        for _ in range(rng.randrange(2, 6)):
            after = state.play(rng.choice(state.legal_moves))
            state = state if after.outcome else after
        exact = {move.move: move.value for move in sb.solve(state, exact=False).moves}
        agent = sb.agent(f"alphabeta:memory=1{switches}")
        for move in agent.choose(state, sb.Budget(depth=6)).moves:
            if move.proven is not None:
                proven += 1
                assert move.proven == exact[move.move], (state.notation, state.text(move.move))
    assert proven > 100


@pytest.mark.parametrize("name", START)
def test_equal_calls_give_equal_decisions(name):
    first, second = (
        sb.agent("alphabeta").choose(position(name), sb.Budget(nodes=20_000)) for _ in range(2)
    )
    assert first == second
    assert first.stats["nodes"] == second.stats["nodes"] <= 20_000


def test_reset_forgets():
    agent = sb.agent("alphabeta")
    first = agent.choose(position("connect4"), sb.Budget(nodes=20_000))
    agent.reset()
    assert agent.choose(position("connect4"), sb.Budget(nodes=20_000)) == first


@measures_time
def test_stop_by_token_and_by_agent():
    for by_token in (True, False):
        agent, token, stopped_at = sb.agent("alphabeta"), sb.StopToken(), []

        def stop(agent=agent, token=token, stopped_at=stopped_at, by_token=by_token):
            stopped_at.append(time.perf_counter())
            token.stop() if by_token else agent.stop()

        threading.Timer(0.3, stop).start()
        decision = agent.choose(sb.game("chess").initial(), sb.Budget(seconds=30, stop=token))
        assert time.perf_counter() - stopped_at[0] < 0.5  # 50 ms on a quiet machine
        assert decision.move in sb.game("chess").initial().legal_moves


@pytest.mark.parametrize("threads", [1, 2])
def test_reports_come_after_every_depth(threads):
    state, reports = position("connect4"), []
    budget = sb.Budget(depth=7, report=reports.append)
    decision = sb.agent("alphabeta", threads=threads).choose(state, budget)
    assert [report.stats["depth"] for report in reports] == list(range(1, 8))
    assert all(report.pv[0] == report.move for report in reports)
    assert [len(report.moves) for report in reports] == [7] * 7
    nodes = [report.stats["nodes"] for report in reports]
    assert nodes == sorted(nodes)
    if threads == 1:
        assert reports[-1] == decision


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_of_a_report_ends_the_search(threads):
    def fail(decision):
        raise RuntimeError(f"at depth {decision.stats['depth']}")

    agent = sb.agent("alphabeta", threads=threads)
    with pytest.raises(RuntimeError, match="at depth 1"):
        agent.choose(position("chess"), sb.Budget(seconds=60, report=fail))
    # The agent can go on.
    assert agent.choose(position("chess"), sb.Budget(depth=2)).stats["depth"] >= 2


def test_threads_share_an_agent_one_after_the_other():
    agent, state = sb.agent("alphabeta:memory=1"), position("chess")
    expected = sb.agent("alphabeta:memory=1").choose(state, sb.Budget(depth=4)).value
    values = []

    def think():
        values.extend(agent.choose(state, sb.Budget(depth=4)).value for _ in range(5))

    threads = [threading.Thread(target=think) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == [expected] * 20


def test_a_report_does_not_ask_its_own_agent():
    agent, state = sb.agent("alphabeta"), position("chess")
    ask_again = sb.Budget(depth=3, report=lambda decision: agent.choose(state) and None)
    with pytest.raises(RuntimeError, match="asked while it thinks"):
        agent.choose(state, ask_again)
    assert agent.choose(state, sb.Budget(depth=2)).stats["depth"] == 2


def test_a_table_is_not_larger_than_the_machine():
    for make in (
        lambda: sb.agent("alphabeta", memory=MOST_MEGABYTES + 1),
        lambda: sb.agent("perfect", memory=MOST_MEGABYTES + 1),
        lambda: sb.solve(position("tictactoe"), memory=MOST_MEGABYTES + 1),
    ):
        with pytest.raises(
            sb.SpecError, match=f"expected a whole number from 1 to {MOST_MEGABYTES}"
        ):
            make()
    assert max(machine_megabytes(), 256) >= MOST_MEGABYTES


def test_any_depth_can_be_asked_for():
    decision = sb.agent("alphabeta").choose(position("tictactoe"), sb.Budget(depth=2**40))
    assert decision.value == 0.0


@measures_time
def test_threads_stop_and_keep_to_their_nodes():
    agent, token = sb.agent("alphabeta:threads=2"), sb.StopToken()
    threading.Timer(0.2, token.stop).start()
    began = time.perf_counter()
    agent.choose(position("chess"), sb.Budget(seconds=30, stop=token))
    assert time.perf_counter() - began < 0.7
    decision = agent.choose(position("yavalath"), sb.Budget(nodes=20_001))
    assert 10_000 < decision.stats["nodes"] <= 20_002


@pytest.mark.parametrize("text", ["chess", "tictactoe", "connect4", "reversi", "yavalath"])
def test_every_game_can_be_searched_without_an_evaluation(text):
    decision = sb.agent("alphabeta:eval=none").choose(position(text), sb.Budget(depth=2))
    assert decision.value == 0.0


def test_an_unknown_evaluation_is_named():
    agent = sb.agent("alphabeta:eval=material")
    with pytest.raises(
        sb.SpecError, match="eval=material: expected one of auto, threats, patterns"
    ):
        agent.choose(position("yavalath"))


def test_a_budget_that_is_over_at_once_still_gives_a_legal_move():
    state = sb.game("chess").initial()
    decision = sb.agent("alphabeta").choose(state, sb.Budget(nodes=1))
    assert decision.move in state.legal_moves
    assert decision.stats["depth"] == 0


def test_what_alphabeta_cannot_do():
    with pytest.raises(sb.SpecError, match="searches one depth"):
        sb.agent("alphabeta:iterative=off").choose(position("connect4"))
    with pytest.raises(sb.IllegalMove, match="the game is over"):
        sb.agent("alphabeta").choose(sb.game("connect4").state("1212121"))


def test_games_in_python_are_searched_too():
    sb.register_game(Heap, replace=True)
    for stones in range(1, 20):
        state = sb.game("test_heap", stones=stones).initial()
        decision = sb.agent("alphabeta").choose(state, sb.Budget(depth=20))
        assert decision.value == (-1.0 if stones % 4 == 0 else 1.0)
        if stones % 4:
            assert decision.move == stones % 4 - 1


def test_a_game_registered_in_between_does_not_disturb_other_games():
    state = sb.game("connect4").state("52753311433677442422121")  # keeps the game alive
    agent = sb.agent("alphabeta")
    decision, solution = agent.choose(state, sb.Budget(depth=3)), sb.solve(state)
    sb.register_game(type("Heap", (Heap,), {"name": "another_heap"}), replace=True)
    again = sb.game("connect4").state(state.notation)
    assert agent.choose(again, sb.Budget(depth=3)).value == decision.value
    assert sb.solve(again).score == solution.score


def test_games_in_python_run_in_one_thread():
    sb.register_game(Heap, replace=True)
    state = sb.game("test_heap").initial()
    with pytest.raises(
        sb.SpecError, match=r"test_heap: option threads=2: the game is written in Python"
    ):
        sb.agent("alphabeta:threads=2").choose(state)
