"""S4 to the letter: what its text says about losses, matches, games of masters and sizes."""

import os
import shutil
import tomllib

import numpy as np
import pytest
import torch

from commands import assert_one_clear_line
from learning import runs_of
from spielbaum.base.errors import SpecError
from spielbaum.base.statistics import Score
from spielbaum.train.config import config_names, read_toml, write_toml
from spielbaum.train.data.games_file import Memory, PlayedGame, Totals, read_games
from spielbaum.train.data.samples import PADDING
from spielbaum.train.methods.alphazero import config as alphazero
from spielbaum.train.methods.alphazero.learner import Learner
from spielbaum.train.methods.alphazero.learning import Trained
from spielbaum.train.methods.dqn import config as dqn
from spielbaum.train.methods.dqn.database import load_database, record_teacher
from spielbaum.train.methods.dqn.replay import Replay, final_rewards
from spielbaum.train.nets.net_config import shape_of
from spielbaum.train.nets.towers import make_net
from spielbaum.train.nets.training import Batch, policy_loss

Run = runs_of("alphazero")
DqnRun = runs_of("dqn")

STOCKFISH = shutil.which("stockfish", path=f"{os.environ['PATH']}:/usr/games")
needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")

TINY = {
    "game": "tictactoe",
    "recipe": "s4",
    "model_updates": 4,
    "network": {"kind": "dense", "blocks": 1, "width": 8},
    "self_play": {"episodes": 2, "num_simulations": 4, "concurrent": 2, "processes": 1},
    "retraining": {"starting_memory_size": 1, "batch_size_1": 16, "batch_size_2": 8},
    "evaluation": {"start_evaluation": 2, "eval_episodes": 2},
}
NEWER = {"retraining": ["mask_unvisited"], "evaluation": ["before_first_match"]}
"""Options that the folders of earlier runs do not name."""


# ---- the policy loss (4.3.3) ----
def test_illegal_and_unvisited_moves_are_masked_by_minus_100():
    """Against the text itself: all logits without a share of visits are -100, then softmax."""
    rng = np.random.default_rng(1)
    logits = 5 * rng.standard_normal((2, 12))
    legal, visits = [[1, 3, 5, 7], [0, 2]], [[10, 0, 40, 0], [50, 0]]
    expected = []
    for row, moves, counts in zip(logits, legal, visits, strict=True):
        target = np.zeros(12)
        target[moves] = np.array(counts) / 50
        masked = np.where(target == 0, -100.0, row)
        chances = np.exp(masked - masked.max())
        expected.append(-(target * np.log(chances / chances.sum())).sum())
    actions = torch.tensor([legal[0], [*legal[1], PADDING, PADDING]])
    policy = torch.tensor([visits[0], [*visits[1], 0, 0]]) / 50
    given = torch.tensor(logits, dtype=torch.float32, requires_grad=True)
    batch = Batch(given, actions, policy, torch.zeros(2, 1), torch.ones(2))
    loss = policy_loss(given, batch, mask_unvisited=True)
    assert loss.item() == pytest.approx(np.mean(expected), rel=1e-5)
    assert policy_loss(given, batch).item() > loss.item()
    loss.backward()
    visited = np.zeros((2, 12), bool)
    visited[0, [1, 5]] = visited[1, 0] = True
    assert not given.grad.numpy()[~visited].any()
    assert np.abs(given.grad.numpy()[0, [1, 5]]).min() > 1e-3


def test_the_option_reaches_the_training(tmp_path):
    played = PlayedGame(
        *(0, [4], (0.0, 0.0), [np.eye(9, dtype=np.float32)[4]], [0.0], [True], [False])
    )
    losses = {}
    for masked in (False, True):
        changed = {"retraining": {**TINY["retraining"], "mask_unvisited": masked}}
        folder = tmp_path / str(masked)
        folder.mkdir()
        memory = Memory(folder / "games", 100)
        memory.add([played] * 4, 1, Totals(games=4))
        learner = Learner(alphazero.read_config({**TINY, **changed}), folder)
        losses[masked] = learner.train([each.path for each in memory.files], 4)[0].policy
    assert losses[False] > 0.1
    assert losses[True] == pytest.approx(0.0, abs=1e-6)  # one move was visited: it is certain


def test_it_is_on_in_the_recipe_of_s4_alone():
    for name in config_names(alphazero.CONFIGS):
        config = alphazero.load_config(name)
        is_s4 = name.startswith("s4-")
        assert config.recipe == "s4" or not is_s4
        assert config.retraining.mask_unvisited is is_s4
        assert (config.evaluation.before_first_match == "untrained") is is_s4
    assert alphazero.read_config({"game": "tictactoe"}).retraining.mask_unvisited
    off = {"game": "tictactoe", "retraining": {"mask_unvisited": False}}
    assert not alphazero.read_config(off).retraining.mask_unvisited
    assert not alphazero.Retraining().mask_unvisited
    assert alphazero.Evaluation().before_first_match == "newest"


# ---- the first match (4.3.4) ----
def judged(config, folder, monkeypatch):
    """Who plays on after each update, and whom the matches were between, if all are won."""
    run = Run(config, folder)
    matches = []

    def won(first, second):
        matches.append((int(first.stem), int(second.stem)))
        return Score(2, 0, 0)

    made = run.method
    made.start()
    made.load()
    monkeypatch.setattr(made, "_match", won)
    rows = [
        made._judge(Trained(generation, 0, [], 0.0))
        for generation in range(1, config.model_updates)
    ]
    made.close()
    run._lock.close()
    return [row.best for row in rows], matches


@pytest.mark.parametrize(
    ("before", "best", "matches"),
    [("untrained", [0, 0, 3], [(3, 0)]), ("newest", [1, 2, 3], [(3, 2)])],
)
def test_the_first_match_is_against_the_untrained_network(
    tmp_path, monkeypatch, before, best, matches
):
    evaluation = {**TINY["evaluation"], "before_first_match": before}
    config = alphazero.read_config({**TINY, "evaluation": evaluation})
    assert judged(config, tmp_path, monkeypatch) == (best, matches)


def test_without_a_gate_the_newest_network_plays(tmp_path, monkeypatch):
    evaluation = {**TINY["evaluation"], "gate": "none"}
    config = alphazero.read_config({**TINY, "evaluation": evaluation})
    assert config.evaluation.before_first_match == "untrained"
    assert judged(config, tmp_path, monkeypatch)[0] == [1, 2, 3]


def test_runs_from_before_these_options_go_on_as_they_began(tmp_path):
    config = alphazero.read_config(TINY)
    Run(config, tmp_path)._lock.close()
    path = tmp_path / "config.toml"
    told = read_toml(path)
    for section, keys in NEWER.items():
        for key in keys:
            del told[section][key]
    path.write_text(write_toml(told))
    longer = config.model_copy(update={"model_updates": 9})
    for _ in range(2):  # also once the file has been written again, for more updates
        run = Run(longer, tmp_path)
        run._lock.close()
        assert not run.config.retraining.mask_unvisited
        assert run.config.evaluation.before_first_match == "newest"
        assert run.config.model_updates == 9
    assert read_toml(path)["model_updates"] == 9
    with pytest.raises(SpecError, match=r"another configuration \(seed = 1, here 2\)"):
        Run(config.model_copy(update={"seed": 2}), tmp_path)
    path.write_text('game = "tictactoe"\nretraining = 5\n')
    with pytest.raises(SpecError, match="retraining = 5: expected a section"):
        Run(config, tmp_path)


def test_new_runs_do_as_s4_says(tmp_path):
    run = Run(alphazero.read_config(TINY), tmp_path)
    run._lock.close()
    assert run.config.retraining.mask_unvisited
    again = Run(alphazero.read_config(TINY), tmp_path)
    again._lock.close()
    assert again.config == run.config


# ---- sizes (4.2.1, 4.3.1) ----
@pytest.mark.parametrize(
    ("config", "count"),
    [
        (alphazero.load_config("s4-chess"), 23_257_676),  # the text says about 23.5 million
        (alphazero.load_config("s4-small"), 478_476),
        (dqn.load_config("s4-chess"), 22_500_571),  # the text says about 22.5 million
    ],
)
def test_numbers_of_parameters(config, count):
    assert make_net(config.rules(), config.network).parameter_count() == count


# ---- deep Q-learning (4.2) ----
def test_dqn_is_plain_and_learns_from_masters_first():
    config = dqn.load_config("s4-chess")
    assert not config.learning.double
    assert (config.learning.n_step, config.database.conservative) == (1, 0.0)
    assert (config.learning.loss, config.network.output) == ("mse", "relu")
    assert 0 < config.database.rounds < config.rounds
    assert (config.database.share, config.database.reward_plies) == (0.0, 10)
    assert config.epsilon(config.database.rounds + 1) == 1.0
    assert dqn.Learning().double  # elsewhere as before
    assert dqn.Database().teacher == ""


def test_the_last_ten_moves_rise_from_nothing_to_the_result(tmp_path):
    shares = final_rewards(14, 10)
    assert shares[:5] == [0.0] * 5
    assert shares[4:] == pytest.approx([step / 9 for step in range(10)])
    path = tmp_path / "masters.pgn"
    path.write_text('[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n', encoding="utf-8")
    config = dqn.load_config("s4-chess")
    database = config.database.model_copy(update={"games": (str(path),)})
    rules = config.rules()
    replay = Replay(rules, shape_of(rules, config.network))
    replay.add(load_database(database, rules), database.reward_plies)
    found = replay.take(np.arange(4), n_step=1, discount=0.99, cut=True)
    assert found.rewards.tolist() == pytest.approx([-6 / 9, 7 / 9, -8 / 9, 1.0])


def tiny_dqn(**database):
    return dqn.read_config(
        {
            "game": "tictactoe",
            "rounds": 2,
            "network": {"kind": "dense", "blocks": 1, "width": 8, "batch_norm": False},
            "database": {"rounds": 1, "share": 0.0, **database},
            "play": {"games": 2},
            "learning": {"steps": 1, "batch_size": 4, "double": False},
            "evaluation": {"games": 2},
        }
    )


def test_games_of_a_teacher_stand_in_where_none_are_named(tmp_path):
    config = tiny_dqn(teacher="perfect", teacher_positions=30)
    assert config.needs_teacher
    rows = DqnRun(config, tmp_path).run()
    assert [row.games for row in rows] == [0, 2]  # the first round plays none of its own
    games = [
        each for file in Memory(tmp_path / "database", 1).files for each in read_games(file.path)
    ]
    assert sum(len(each.values) for each in games) >= 30
    assert all(each.first == 0 for each in games)
    assert all(each.rewards == (0, 0) for each in games)  # perfect, and nothing by chance
    assert rows[-1].repeated is not None
    before = {path: path.read_bytes() for path in (tmp_path / "database").glob("*.npz")}
    DqnRun(config.model_copy(update={"rounds": 3}), tmp_path).run()
    assert {path: path.read_bytes() for path in (tmp_path / "database").glob("*.npz")} == before


def test_named_games_need_no_teacher(tmp_path):
    assert not tiny_dqn(teacher="perfect", games=["a"]).needs_teacher
    assert not tiny_dqn(teacher="perfect", rounds=0).needs_teacher
    assert not tiny_dqn().needs_teacher
    with pytest.raises(SpecError, match=r"database\.teacher: there is no agent 'perfct'"):
        tiny_dqn(teacher="perfct")


def test_a_teacher_that_is_not_installed_is_told_in_one_sentence(cli, tmp_path):
    database = {"teacher": "uci:path=/nowhere/fish"}
    config = tiny_dqn(**database).model_copy(update={"game": "chess"})
    with pytest.raises(SpecError) as told:
        record_teacher(config, tmp_path / "database")
    words = (
        "no games are named (--games FILE.pgn), and those of uci:path=/nowhere/fish cannot stand"
    )
    assert words in str(told.value)
    assert not (tmp_path / "database").exists()
    path = tmp_path / "a.toml"
    path.write_text(write_toml(config.model_dump(mode="json")))
    ran = cli("train", "dqn", "chess", "--config", str(path), "--out", str(tmp_path / "run"))
    assert_one_clear_line(ran, words)
    assert not (tmp_path / "run").exists()


@needs_stockfish
def test_the_command_says_whose_games_stand_in(cli, tmp_path):
    written = dqn.load_config("s4-chess").dry().model_dump(mode="json")
    written["database"] |= {"teacher": f"uci:path={STOCKFISH},lines=2", "teacher_limits": "nodes=5"}
    written["database"]["teacher_positions"] = 5
    written |= {"rounds": 2, "network": {"kind": "dense", "blocks": 0, "output": "linear"}}
    written["play"] |= {"games": 1, "max_plies": 10}
    written["evaluation"]["opponents"] = []
    config, out = tmp_path / "a.toml", tmp_path / "run"
    config.write_text(write_toml(written))
    ran = cli("train", "dqn", "chess", "--config", str(config), "--out", str(out))
    assert ran.code == 0, ran
    assert "lines=2 stand in for those of masters" in " ".join(ran.out.split())
    # The file of the run itself is a configuration, too.
    ran = cli("train", "dqn", "chess", "--config", str(out / "config.toml"), "--out", str(out))
    assert ran.code == 0, ran
    assert tomllib.loads((out / "config.toml").read_text())["method"] == "dqn"


def test_another_configuration_says_how_to_go_on(cli, tmp_path):
    DqnRun(tiny_dqn(rounds=0), tmp_path)._lock.close()
    config = tmp_path / "other.toml"
    config.write_text('game = "tictactoe"\nmethod = "imitation"\n')
    arguments = ["train", "dqn", "tictactoe", "--out", str(tmp_path), "--config"]
    assert_one_clear_line(cli(*arguments, str(config)), "method = 'imitation': expected 'dqn'")
    config.write_text('game = "tictactoe"\n')
    ran = cli(*arguments, str(config))
    assert_one_clear_line(ran, f"or go on with --config {tmp_path / 'config.toml'}")
