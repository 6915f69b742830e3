"""Exact solvers against positions with known values."""

import importlib
import re
import threading
import time
from pathlib import Path

import pytest

import spielbaum as sb
from spielbaum import _core
from spielbaum.cli.main import run
from spielbaum.cli.shared import output
from spielbaum.solvers import SolveProgress
from spielbaum.solvers.solver import has_solver, shared_solver
from timing import measures_time

WON = "121212"
DATA = Path(__file__).parents[1] / "data" / "connect4"
REVERSI = Path(__file__).parents[1] / "data" / "reversi"
FFO = ("fforum-1-19.obf", "fforum-20-34.obf")

# Width x height and the value for the first player; from the same source as the perft counts.
BOARDS = [
    (4, 4, 0), (5, 4, 0), (6, 4, -1), (7, 4, 0), (4, 5, 0), (5, 5, 0), (6, 5, 0),
    (4, 6, 0), (5, 6, 0), (4, 7, 0), (4, 8, 0), (4, 9, 0),
]  # fmt: skip


@pytest.mark.parametrize("name", ["Test_L3_R1", "Test_L2_R1", "Test_L1_R1"])
def test_connect_four_scores(name):
    game = sb.game("connect4")
    lines = (DATA / f"{name}.txt").read_text().splitlines()[1:]
    assert len(lines) == 1000
    for line in lines:
        position, score = line.split()
        solution = sb.solve(game.state(position), moves=False, pv=False)
        assert solution.score == int(score), position
        assert solution.value == (int(score) > 0) - (int(score) < 0)


@pytest.mark.parametrize(("columns", "rows", "value"), BOARDS)
def test_board_sizes(columns, rows, value):
    start = sb.game("connect4", rows=rows, columns=columns).initial()
    assert sb.solve(start, exact=False, moves=False).value == value


def test_moves_and_line_agree_with_the_score():
    game = sb.game("connect4")
    for line in (DATA / "Test_L3_R1.txt").read_text().splitlines()[1:100]:
        state = game.state(line.split()[0])
        solution = sb.solve(state)
        assert tuple(move.move for move in solution.moves) == state.legal_moves
        assert max(move.score for move in solution.moves) == solution.score
        for move in solution.moves:
            reply = sb.solve(state.play(move.move), moves=False, pv=False)
            assert reply.score == -move.score
        for move in solution.pv:
            state = state.play(move)
        assert state.outcome is not None
        weak = sb.solve(game.state(line.split()[0]), exact=False)
        assert weak.score == solution.value
        assert [move.score for move in weak.moves] == [move.value for move in solution.moves]


def test_a_finished_game_is_solved():
    solution = sb.solve(sb.game("connect4").state("1212121"))
    assert (solution.score, solution.moves, solution.pv) == (-18, (), ())


@measures_time
def test_budgets():
    start = sb.game("connect4").initial()
    with pytest.raises(sb.NotSolved, match="after 12,345 nodes"):
        sb.solve(start, budget=sb.Budget(nodes=12345), lookup=False)
    began = time.perf_counter()
    with pytest.raises(sb.NotSolved):
        sb.solve(start, budget=sb.Budget(seconds=0.2), lookup=False)
    assert time.perf_counter() - began < 2


@measures_time
def test_stop_from_another_thread():
    token = sb.StopToken()
    stopped_at = []
    threading.Timer(0.3, lambda: (token.stop(), stopped_at.append(time.perf_counter()))).start()
    with pytest.raises(sb.NotSolved):
        sb.solve(sb.game("connect4").initial(), budget=sb.Budget(stop=token), lookup=False)
    assert time.perf_counter() - stopped_at[0] < 0.5


def test_another_thread_sees_how_far_a_search_is():
    progress, token, seen = SolveProgress(), sb.StopToken(), []

    def look():
        while progress.nodes < 100_000:
            time.sleep(0.01)
        seen.append(progress.nodes)
        token.stop()

    watcher = threading.Thread(target=look)
    watcher.start()
    with pytest.raises(sb.NotSolved) as stopped:
        sb.solve(
            sb.game("connect4").initial(),
            budget=sb.Budget(stop=token),
            lookup=False,
            progress=progress,
        )
    watcher.join()
    assert 100_000 <= seen[0] <= progress.nodes <= stopped.value.nodes


@measures_time
@pytest.mark.parametrize(("game", "empty"), [("reversi", 60), ("reversi:size=6", 32)])
def test_what_is_out_of_reach_is_refused_at_once(capsys, game, empty):
    began = time.perf_counter()
    assert run(["solve", game]) == 2
    assert time.perf_counter() - began < 1
    assert capsys.readouterr().err == (
        f"spielbaum: {game} with {empty} empty cells is too far from its end to be solved in time: "
        "in 10 minutes the solver handles up to 29; give it more time with --seconds S\n"
    )


def test_the_time_of_a_solution_is_limited(capsys, monkeypatch):
    assert run(["solve", "reversi", "--seconds", "0.05"]) == 2
    said = capsys.readouterr().err
    assert re.search(r"is not solved after [\d,]+ nodes and 0.05 seconds; give it more", said)
    monkeypatch.setattr(
        importlib.import_module("spielbaum.cli.commands.solve"), "DEFAULT_SECONDS", 0.05
    )
    assert run(["solve", "connect4:rows=8,columns=9"]) == 2
    assert "and 0.05 seconds; give it more time with --seconds S\n" in capsys.readouterr().err


def test_without_a_terminal_progress_is_said_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(output, "SAY_SECONDS", 0.0)
    monkeypatch.setattr(output, "LOOK_SECONDS", 0.01)
    assert run(["solve", "reversi", "--seconds", "0.3"]) == 2
    said = capsys.readouterr().err
    assert re.search(r"^solving reversi: [\d,]+ nodes, .+, 0 of at most 0.3 s", said, re.M)


@pytest.mark.parametrize("number", range(1, 35))
def test_reversi_scores(number):
    lines = [line for name in FFO for line in (REVERSI / name).read_text().splitlines()]
    line = lines[number - 1]
    state = sb.game("reversi").state(line)
    scores = dict(move.strip().split(":") for move in line.split(";")[1:-1])
    expected = {state.parse(move): int(score) for move, score in scores.items()}
    solution = sb.solve(state, pv=False, lookup=False)
    assert {move.move: move.score for move in solution.moves} == expected
    assert solution.score == max(expected.values())


@pytest.mark.parametrize(("size", "empties"), [(4, 12), (6, 12), (8, 12), (10, 9)])
def test_reversi_of_every_size(size, empties):
    game = sb.game("reversi", size=size)
    agent = sb.agent("random", seed=size)
    for _ in range(5):
        state = game.initial()
        while state.outcome is None and state.cells.count(0) > empties:
            state = state.play(agent.choose(state).move)
        solution = sb.solve(state)
        weak = sb.solve(state, exact=False)
        assert tuple(move.move for move in solution.moves) == state.legal_moves
        assert weak.score == solution.value
        assert [move.score for move in weak.moves] == [move.value for move in solution.moves]
        for move in solution.moves:
            assert sb.solve(state.play(move.move), moves=False).score == -move.score
        end = state
        for move in solution.pv:
            end = end.play(move)
        assert end.outcome is not None
        assert final_score(end, state.to_move) == solution.score


def final_score(state, player):
    """Stones of a player minus the other's, empty cells counted for the winner."""
    own, other = state.cells.count(player + 1), state.cells.count(2 - player)
    empty = state.cells.count(0)
    return own - other + (empty if own > other else -empty if own < other else 0)


def test_reversi_that_is_over():
    solution = sb.solve(sb.game("reversi:size=4").state("XXXXXXXXXXXX---- O"))
    assert (solution.score, solution.moves, solution.pv) == (-16, (), ())


def test_all_of_tic_tac_toe():
    known = {}

    def value(state):
        """By minimax: one for each stone that the winner keeps, and one for the winning stone."""
        if state not in known:
            if state.outcome is not None:
                kept = (9 - len(state.history)) // 2
                known[state] = 0 if state.outcome.winner is None else -(kept + 1)
            else:
                known[state] = max(-value(state.play(move)) for move in state.legal_moves)
        return known[state]

    value(sb.game("tictactoe").initial())
    assert len(known) == 5478
    for state, score in list(known.items())[::10]:
        solution = sb.solve(state)
        assert solution.score == score
        assert [move.score for move in solution.moves] == [
            -known[state.play(move)] for move in state.legal_moves
        ]


def test_a_game_that_was_made_anew():
    # Which happens when somebody registers a game; games with the same spec are equal nonetheless.
    old = sb.game("connect4").state(WON)
    assert sb.solve(old).score == 18
    importlib.import_module("spielbaum.games.game")._make.cache_clear()
    assert sb.solve(sb.game("connect4").state(WON)).score == 18
    assert sb.solve(old).score == 18


def test_the_games_with_a_solver():
    for name in sb.games():
        game = sb.game(name)
        if has_solver(game):
            _core.make_solver(game._core, 1 << 20)
        elif game._python is None:
            with pytest.raises(ValueError, match="no solver"):
                _core.make_solver(game._core, 1 << 20)


def test_games_without_a_solver():
    message = "chess has no solver; the games with one are connect4, reversi, tictactoe"
    with pytest.raises(sb.SpecError, match=message):
        sb.solve(sb.game("chess").initial())
    with pytest.raises(sb.SpecError, match="memory=0"):
        sb.solve(sb.game("connect4").initial(), memory=0)


def test_tables_of_many_games_do_not_fill_the_memory():
    first = sb.game("connect4", rows=4, columns=4)
    kept = shared_solver(first, 300)
    assert shared_solver(first, 300) is kept
    others = [shared_solver(sb.game("connect4", rows=4, columns=c), 300) for c in range(5, 9)]
    assert len(set(others)) == 4
    assert shared_solver(first, 300) is not kept  # 1,200 megabytes came after it
    large = shared_solver(first, 4096)
    assert shared_solver(first, 4096) is large
