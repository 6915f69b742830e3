"""Q-learning with a table, and Expert Iteration: what they learn, and the files that they leave."""

import numpy as np
import pytest

import spielbaum as sb
from spielbaum.agents.qtable import QTable
from spielbaum.base.errors import ModelError
from spielbaum.models.ntuple_file import load_network
from spielbaum.models.shipped import find_model
from spielbaum.play.table import Player, Table, Turn
from spielbaum.train.data.games_file import Memory, read_games
from spielbaum.train.method import method
from spielbaum.train.methods.qlearning.method import Learner
from spielbaum.train.run import Run


def trained(name, folder, **changes):
    wanted = method(name)
    values = {key.replace("__", "."): value for key, value in changes.items()}
    config = wanted.config_type.load("tictactoe").with_values(values)
    return Run(wanted, config, folder).run()


def test_q_learning_corrects_a_move_by_what_follows():
    game = sb.game("tictactoe")
    config = method("qlearning").config_type.load("tictactoe").with_values({"learning.alpha": 0.5})
    learner = Learner(config)
    before = game.state("a1 b1 a2 b2")  # x wins with a3, else o with b3
    table = Table(before, [Player(None), Player(None)])

    def teach(state, text):
        turn = Turn(table, state.to_move, state, sb.Budget(), 0)
        learner.played(turn, sb.Decision(state.parse(text)), state.parse(text), 0.0)
        return learner.table.of(state)[state.parse(text)].item()

    assert teach(before, "a3") == 0.5
    assert teach(before, "a3") == 0.75
    other = before.play("c3")
    assert teach(other, "b3") == 0.5
    assert teach(before, "c3") == -0.25  # half of what o can get
    assert learner.changes == [1.0, 0.5, 1.0, 0.5]


def test_q_learning_fills_the_table_and_does_not_lose(tmp_path):
    rows = trained("qlearning", tmp_path, rounds=8, games=700, evaluation__every=8)
    assert rows[-1].positions > 4000
    assert rows[-1].shares["random"] > 0.8
    table = QTable.load(tmp_path / "best.npz")
    assert len(table) == rows[-1].positions
    agent = sb.agent(f"qtable:{tmp_path / 'best.npz'}")
    decision = agent.choose(sb.game("tictactoe").state("a1 b1 a2 b2"))
    assert decision.value == 1.0
    assert decision.stats == {"known": True}


def test_a_table_that_is_full_ends_the_training(tmp_path):
    rows = trained("qlearning", tmp_path, rounds=30, games=20, positions=100, evaluation__every=99)
    assert 1 <= len(rows) < 10
    assert rows[-1].positions > 100


def test_positions_that_a_table_does_not_know(tmp_path):
    QTable(sb.game("tictactoe")).save(tmp_path / "a.npz", {})
    agent, start = sb.agent(f"qtable:{tmp_path / 'a.npz'},seed=3"), sb.game("tictactoe").initial()
    moves = {agent.choose(start).move for _ in range(50)}
    assert len(moves) > 5
    agent.reset()
    assert agent.choose(start).stats == {"known": False}
    with pytest.raises(ModelError, match="is for tictactoe, not for connect4"):
        agent.choose(sb.game("connect4").initial())


def test_tables_that_are_damaged(tmp_path):
    table = QTable(sb.game("tictactoe"))
    table.of(table.game.initial())[0] = np.nan
    table.save(tmp_path / "a.npz", {})
    with pytest.raises(ModelError, match="damaged"):
        QTable.load(tmp_path / "a.npz")
    with pytest.raises(ModelError, match="no table of values"):
        QTable.load(find_model("tictactoe", ".npz"))
    with pytest.raises(ValueError, match="needs the file of a table"):
        sb.agent("qtable")


def test_expert_iteration_learns_what_the_expert_finds(tmp_path):
    rows = trained(
        "expert", tmp_path, rounds=6, play__games=40, evaluation__every=6, evaluation__games=20
    )
    assert [row.games for row in rows] == [40, 80, 120, 160, 200, 240]
    assert rows[-1].error < rows[0].error
    assert rows[-1].agreed > rows[0].agreed
    assert rows[-1].shares["random"] > 0.7
    assert load_network(tmp_path / "best.npz").training["games"] == 240


def test_expert_iteration_learns_successors_and_forgets_old_games(tmp_path):
    rows = trained("expert", tmp_path, rounds=4, play__games=20, learning__positions=100)
    files = Memory(tmp_path / "games", 1).files
    assert files[-1].generation == 4
    assert 100 <= sum(each.positions for each in files) < rows[-1].positions
    for played in read_games(files[-1].path):
        for worths, value in zip(played.policies, played.values, strict=True):
            assert max(worths) == pytest.approx(value, abs=1e-3)  # one for each move, the best too


def test_expert_iteration_is_for_two_players():
    with pytest.raises(ValueError, match="two players"):
        method("expert").config_type.read({"game": "yavalath:players=3"})
