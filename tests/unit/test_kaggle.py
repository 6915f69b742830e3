"""ConnectX: the agent that Kaggle's environment calls, and the file that plays without us."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import spielbaum as sb
from commands import Cli, assert_one_clear_line
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.models.ntuple import NTupleNetwork
from spielbaum.models.ntuple_file import save_network
from spielbaum.models.shipped import find_model
from spielbaum.protocols.kaggle import agent as kaggle
from spielbaum.protocols.kaggle import export
from spielbaum.protocols.kaggle import submission as kaggle_submission
from spielbaum.protocols.kaggle.export import exported_options, submission
from spielbaum.protocols.kaggle.submission import Board, Player, Search, Settings
from timing import measures_time

SIZES = [(6, 7, 4), (4, 5, 3), (8, 9, 5), (3, 3, 3), (5, 11, 4)]
Agent = Callable[[Any, Any], int]


def configuration(rows: int = 6, columns: int = 7, inarow: int = 4, limit: float = 0.05) -> Any:
    return {"rows": rows, "columns": columns, "inarow": inarow, "actTimeout": limit}


def observation(state: sb.State, bank: float = 0.0) -> Any:
    """What Kaggle tells the player to move; our cells run from the bottom, theirs from the top."""
    columns = int(state.game.options["columns"])
    rows = [state.cells[i : i + columns] for i in range(0, len(state.cells), columns)]
    board = [cell for row in reversed(rows) for cell in row]
    return {"board": board, "mark": state.to_move + 1, "remainingOverageTime": bank}


def both_stones(board: Board, state: sb.State) -> list[int]:
    """The bitboards of the player to move and of the other."""
    told = observation(state)
    return [board.stones(told["board"], mark) for mark in (told["mark"], 3 - told["mark"])]


def asked(agent: Agent, moves: str, **options: Any) -> int:
    """The column that an agent chooses after some moves."""
    rules = configuration(**options)
    sizes = {name: rules[name] for name in ("rows", "columns", "inarow")}
    return agent(observation(sb.game("connect4", **sizes).state(moves)), rules)


def exported(spec: str = "mcts", clock: Callable[[], float] = time.perf_counter) -> Agent:
    """The last callable of an exported file, which is run as Kaggle does it."""
    names: dict[str, Any] = {}
    exec(compile(submission(spec), "submission", "exec"), names)
    assert "__file__" not in names
    names["time"] = SimpleNamespace(perf_counter=clock)
    found = [value for value in names.values() if callable(value)][-1]
    assert found.__name__ == "agent"
    return found  # type: ignore[no-any-return]


@pytest.fixture(params=["ours", "exported"])
def agent(request: pytest.FixtureRequest) -> Agent:
    return kaggle.agent("mcts") if request.param == "ours" else exported()


# Both


@pytest.mark.parametrize(
    ("moves", "column"), [("121212", 0), ("717273", 6), ("12121", 0), ("11223", 3)]
)
def test_a_win_is_taken_and_a_threat_blocked(agent: Agent, moves: str, column: int) -> None:
    assert asked(agent, moves) == column


@pytest.mark.parametrize(("rows", "columns", "inarow"), SIZES)
def test_a_game_on_any_board(agent: Agent, rows: int, columns: int, inarow: int) -> None:
    rng = random.Random(rows)
    rules = configuration(rows, columns, inarow, limit=0.01)
    state = sb.game("connect4", rows=rows, columns=columns, inarow=inarow).initial()
    while state.outcome is None:
        if state.to_move == rows % 2:
            column = agent(observation(state), rules)
            assert type(column) is int
            assert column in state.legal_moves
        else:
            column = rng.choice(state.legal_moves)
        state = state.play(column)


def test_attributes_are_as_good_as_keys(agent: Agent) -> None:
    told = observation(sb.game("connect4").state("121212"))
    assert agent(SimpleNamespace(**told), SimpleNamespace(**configuration())) == 0


@measures_time
def test_the_time_is_kept(agent: Agent) -> None:
    start = sb.game("connect4").initial()
    for limit, bank in ((0.3, 0.0), (0.1, 30.0)):
        began = time.perf_counter()
        agent(observation(start, bank), configuration(limit=limit))
        planned = kaggle_submission.thinking_seconds(
            {"remainingOverageTime": bank}, {"actTimeout": limit}
        )
        # The first call also makes tables; a busy machine gets some grace.
        assert planned * 0.8 < time.perf_counter() - began < planned + 0.5


def test_a_bank_that_is_nearly_empty_is_left_alone() -> None:
    for bank in (0, 5, 10):
        told = {"remainingOverageTime": bank}
        assert kaggle_submission.thinking_seconds(told, {"actTimeout": 2}) < 2
        assert kaggle_submission.thinking_seconds(told, {"actTimeout": 0}) <= 0.01
    spent = 60.0
    for _ in range(21):
        spent -= kaggle_submission.thinking_seconds(
            {"remainingOverageTime": spent}, {"actTimeout": 0}
        )
    assert spent > kaggle_submission.RESERVE


# The agent in this process


def test_the_tree_is_kept_in_a_game_and_not_for_the_next() -> None:
    agent = kaggle.agent("mcts:memory=16")
    state = sb.game("connect4").initial()
    kept = []
    for _ in range(3):
        state = state.play(agent(observation(state), configuration()))
        assert agent.decision is not None
        kept.append(agent.decision.stats["kept"])
        state = state.play(agent.decision.pv[1])
    assert kept[0] == 0
    assert kept[1] > 0
    assert kept[2] > 0
    asked(agent, "4")
    assert agent.decision.stats["kept"] == 0
    asked(agent, "4")
    assert agent.decision.stats["kept"] == 0


def test_boards_that_connect4_does_not_have() -> None:
    with pytest.raises(sb.SpecError, match="rows=40: expected a whole number from 2 to 16"):
        kaggle.agent("random")({"board": [0] * 40, "mark": 1}, {"rows": 40, "columns": 1})


# The exported file


def test_the_tree_of_the_file_is_kept() -> None:
    player = Player(Settings())
    state = sb.game("connect4").initial()
    state = state.play(player.choose(observation(state), configuration()))
    first = player.search
    assert first is not None
    assert first.root is not None
    reply = max(first.best(first.root).children, key=lambda child: child.visits)
    state = state.play(first.board.column(reply.cell))
    known = reply.visits
    player.choose(observation(state), configuration(limit=0))
    assert player.search is first
    assert first.root is reply
    assert reply.visits >= known > 0
    player.choose(observation(state), configuration(limit=0))
    assert player.search is not first


@pytest.mark.parametrize("select", ["uct", "amaf", "rave"])
@pytest.mark.parametrize("playout", ["random", "lgr", "gdk"])
@pytest.mark.parametrize("solver", ["on", "off"])
def test_every_rule_of_the_file_sees_wins_and_threats(
    select: str, playout: str, solver: str
) -> None:
    spec = f"mcts:select={select},playout={playout},solver={solver},forget=on,keep=off"
    # A clock that goes on by a tick at every look: 500 iterations on every machine.
    play = exported(spec, clock=itertools.count(0.0, 0.9 / 500).__next__)
    assert asked(play, "121212", limit=1) == 0
    assert asked(play, "12121", limit=1) == 0


@pytest.mark.parametrize(
    ("moves", "rows", "columns", "inarow"),
    [("", 3, 3, 3), ("2", 3, 3, 3), ("213", 4, 4, 3), ("21343421", 4, 4, 4)],
)
def test_the_file_proves_what_is_so(moves: str, rows: int, columns: int, inarow: int) -> None:
    state = sb.game("connect4", rows=rows, columns=columns, inarow=inarow).state(moves)
    board = Board(rows, columns, inarow)
    search = Search(board, Settings())
    search.start_from(*both_stones(board, state))
    column = search.run(time.perf_counter() + 20)
    judge = sb.agent("alphabeta:eval=none,analyse=on,memory=16")
    decision = judge.choose(state, sb.Budget(seconds=20))
    assert search.root is not None
    assert search.root.proof == -decision.value
    chosen = next(move for move in decision.moves if move.move == column)
    assert chosen.value == decision.value


def test_lines_of_the_file_are_those_of_the_rules() -> None:
    rng = random.Random(5)
    for rows, columns, inarow in SIZES:
        board = Board(rows, columns, inarow)
        state = sb.game("connect4", rows=rows, columns=columns, inarow=inarow).initial()
        while state.outcome is None:
            own, other = both_stones(board, state)
            open_cells = board.open_cells(own | other)
            assert tuple(map(board.column, open_cells)) == state.legal_moves
            for cell in open_cells:
                outcome = state.play(board.column(cell)).outcome
                assert board.wins(own, cell) == (outcome is not None and outcome.winner is not None)
            state = state.play(rng.choice(state.legal_moves))


def test_the_file_needs_only_the_standard_library(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "submission.py"
    ran = cli("kaggle", "export", "rave-lgr:c=0.3", "-o", str(path))
    assert (ran.code, ran.err) == (0, "")
    assert "rave-lgr:c=0.3" in ran.out
    script = """
import sys
names = {}
exec(open(sys.argv[1]).read(), names)
print(names["SETTINGS"].c, names["agent"]({"board": [0] * 42, "mark": 1}, {"actTimeout": 0.1}))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("0.3 ")


def test_settings_are_the_options_of_mcts() -> None:
    mcts = next(info for info in sb.agents() if info.name == "mcts")
    defaults = {option.name: option.default for option in mcts.options} | {"iterations": 0}
    for name, value in Settings()._asdict().items():
        assert value == defaults[name]
        assert type(value) is type(defaults[name])
    assert exported_options("uct")["final"] == "select"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("alphabeta", ["alphabeta", "expected mcts or one of its presets"]),
        ("mtcs", ["did you mean mcts?"]),
        ("mcts:select=ucb1-tuned", ["select=ucb1-tuned", "uct, amaf or rave"]),
        ("mcts:playout=mast", ["playout=mast", "random, lgr or gdk"]),
        ("mcts:memory=64", ["memory=64", "expected 512"]),
        ("mcts:c=x", ["c=x"]),
        ("net:tictactoe", ["the network is for tictactoe; ConnectX is connect4"]),
        ("ntuple:tictactoe", ["the network is for tictactoe; ConnectX is connect4"]),
        ("net:connect4,play=value", ["play=value", "expected auto"]),
        ("ntuple:connect4,depth=4", ["depth=4", "expected 0"]),
        ("net:/nowhere/a.onnx", ["No such file"]),
    ],
)
def test_what_cannot_be_exported(cli: Cli, tmp_path: Path, spec: str, words: list[str]) -> None:
    path = tmp_path / "submission.py"
    assert_one_clear_line(cli("kaggle", "export", spec, "-o", str(path)), *words)
    assert not path.exists()


# Trained agents


def namespace(source: str) -> dict[str, Any]:
    """The names of an exported file, which is run as Kaggle does it."""
    names: dict[str, Any] = {}
    exec(compile(source, "submission", "exec"), names)
    assert [value for value in names.values() if callable(value)][-1] is names["agent"]
    return names


def positions(count: int) -> list[sb.State]:
    rng, found = random.Random(3), []
    while len(found) < count:
        state = sb.game("connect4").initial()
        for _ in range(rng.randrange(36)):
            following = state.play(rng.choice(state.legal_moves))
            state = state if following.outcome is not None else following
        found.append(state)
    return found


@pytest.mark.parametrize("name", ["connect4", "connect4-dqn"])
def test_a_network_in_numpy_is_the_network(name: str) -> None:
    names = namespace(submission(f"net:{name}"))
    evaluator = NetEvaluator.load(find_model(name, ".onnx"))
    board = names["Board"](6, 7, 4)
    for state in positions(20):
        own, other = both_stones(board, state)
        value, priors = names["evaluator"](6, 7, 4)(own, other, board.open_cells(own | other))
        values, logits = evaluator.evaluate_states([state])
        shares = np.exp(logits[0][list(state.legal_moves)].astype(float))
        assert value == pytest.approx(values[0, 0], abs=1e-4)
        assert priors == pytest.approx(shares / shares.sum(), abs=1e-4)


def small_tuples(path: Path, **options: Any) -> NTupleNetwork:
    """A network with tuples of several lengths, which is quicker to write than the shipped one."""
    rules = sb.game("connect4")
    network = NTupleNetwork(rules, [[0, 1, 2, 3], [3, 10, 17], [41, 5, 20, 8, 9]], **options)
    network.weights[:] = np.random.default_rng(1).normal(0, 0.3, network.weights.shape)
    save_network(network, path)
    return network


@pytest.mark.parametrize(
    "options",
    [{}, {"contents": 3, "table_per_player": False}, {"bias": True, "k": 0.7, "squash": False}],
)
def test_tuples_in_numpy_are_the_tuples(tmp_path: Path, options: dict[str, Any]) -> None:
    network = small_tuples(tmp_path / "a.npz", **options)
    names = namespace(submission(f"ntuple:{tmp_path / 'a.npz'}"))
    board = names["Board"](6, 7, 4)
    for state in positions(20):
        own, other = both_stones(board, state)
        value, priors = names["evaluator"](6, 7, 4)(own, other, board.open_cells(own | other))
        assert value == pytest.approx(network.value(state), abs=1e-5)
        assert sum(priors) == pytest.approx(1)


@pytest.mark.parametrize("kind", ["net", "ntuple"])
def test_trained_files_see_wins_and_threats_on_any_board(kind: str, tmp_path: Path) -> None:
    small_tuples(tmp_path / "a.npz")
    spec = "net:connect4" if kind == "net" else f"ntuple:{tmp_path / 'a.npz'}"
    names = namespace(submission(spec, iterations=60))
    for moves, column in (("121212", 0), ("717273", 6), ("12121", 0), ("11223", 3)):
        assert asked(names["agent"], moves, limit=60) == column
        assert names["PLAYER"].search.root.visits <= 61
    for rows, columns, inarow in SIZES[:3]:  # of which the model knows the first
        state = sb.game("connect4", rows=rows, columns=columns, inarow=inarow).initial()
        rules, rng = configuration(rows, columns, inarow, limit=60), random.Random(1)
        while state.outcome is None:
            column = rng.choice(state.legal_moves)
            if state.to_move == 0:
                column = names["agent"](observation(state), rules)
            state = state.play(column)


def test_an_iteration_budget(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "submission.py"
    cli("kaggle", "export", "uct", "--iterations", "25", "-o", str(path))
    names = namespace(path.read_text(encoding="utf-8"))
    asked(names["agent"], "44", limit=60)
    assert names["PLAYER"].search.root.visits == 25
    ours = kaggle.agent("uct", iterations=50)
    asked(ours, "44", limit=60)
    assert ours.decision is not None
    assert ours.decision.stats["iterations"] == 50


def test_files_have_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MOST_BYTES", 10_000)
    with pytest.raises(sb.SpecError, match=r"bytes; expected at most 10,000"):
        submission("net:connect4")
