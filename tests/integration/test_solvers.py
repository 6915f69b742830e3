"""Exact solvers against positions with known values."""

import threading
import time
from pathlib import Path

import pytest

import spielbaum as sb

DATA = Path(__file__).parents[1] / "data" / "connect4"

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


def test_budgets():
    start = sb.game("connect4").initial()
    with pytest.raises(sb.NotSolved, match="after 12,345 nodes"):
        sb.solve(start, budget=sb.Budget(nodes=12345))
    began = time.perf_counter()
    with pytest.raises(sb.NotSolved):
        sb.solve(start, budget=sb.Budget(seconds=0.2))
    assert time.perf_counter() - began < 2


def test_stop_from_another_thread():
    token = sb.StopToken()
    stopped_at = []
    threading.Timer(0.3, lambda: (token.stop(), stopped_at.append(time.perf_counter()))).start()
    with pytest.raises(sb.NotSolved):
        sb.solve(sb.game("connect4").initial(), budget=sb.Budget(stop=token))
    assert time.perf_counter() - stopped_at[0] < 0.5


def test_games_without_a_solver():
    with pytest.raises(sb.SpecError, match="chess has no solver"):
        sb.solve(sb.game("chess").initial())
    with pytest.raises(sb.SpecError, match="memory=0"):
        sb.solve(sb.game("connect4").initial(), memory=0)
