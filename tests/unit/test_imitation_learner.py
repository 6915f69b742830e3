"""Imitation: which rows are learnt, how it is judged, and what is written down."""

import csv

import numpy as np
import pytest
import torch

from learning import NETWORK, Steps, flat, runs_of, samples, weights_of
from spielbaum.base.errors import SpecError
from spielbaum.models.onnx_file import read_net
from spielbaum.train.data.games_file import Memory, Totals
from spielbaum.train.data.recording import Recorder, Recording
from spielbaum.train.methods.imitation import learner as imitation_learner
from spielbaum.train.methods.imitation.config import read_config as imitation_config
from spielbaum.train.methods.imitation.method import ImitationRow as Row
from spielbaum.train.nets.training import Losses

Run = runs_of("imitation")

pytestmark = pytest.mark.usefixtures("one_thread")


def imitation(**training):
    return imitation_config(
        {
            "game": "tictactoe",
            "rounds": 4,
            "network": NETWORK,
            "training": {"batch_size": 4, "learning_rate": 0.1, "clip_norm": 2.5, **training},
        }
    )


def test_imitation_learns_every_position_once(monkeypatch):
    learner = imitation_learner.Learner(imitation(policy_weight=0.5, value_weight=2, reg_const=3))
    steps = Steps(monkeypatch, imitation_learner)
    losses = learner.learn(samples(11), 1)
    assert [len(rows) for rows in steps.rows] == [4, 4, 3]
    assert sorted(flat(steps.rows)) == list(range(11))
    assert losses == Losses(2.0, 4.0, 6.0)  # the means
    assert (learner.steps, learner.positions) == (3, 11)
    assert (steps.weights[0].policy, steps.weights[0].value) == (0.5, 2)
    assert steps.weights[0].regularisation == 3
    assert steps.clips == [2.5] * 3
    assert steps.rates == [(0.1, 0.0001, 0.25)]
    assert steps.symmetries[0] is learner._symmetries is not None
    learner.learn(samples(9), 2)  # the last one alone is too few
    assert [len(rows) for rows in steps.rows[3:]] == [4, 4]
    assert (learner.steps, learner.positions) == (5, 20)


def test_imitation_shuffles_anew_in_every_round(monkeypatch):
    orders = []
    for number in (1, 1, 2):
        learner = imitation_learner.Learner(imitation(symmetries=False))
        steps = Steps(monkeypatch, imitation_learner)
        learner.learn(samples(12), number)
        assert steps.symmetries == [None] * 3
        orders.append(flat(steps.rows))
    assert orders[0] == orders[1] != orders[2]
    # By other random numbers than those by which a round draws its files.
    assert orders[0] != np.random.default_rng([1, 1, 0]).permutation(12).tolist()


def test_dropout_of_a_round_does_not_depend_on_what_was_before():
    config = imitation()
    network = config.network.model_copy(update={"dropout": 0.5})
    found = []
    for drawn in (0, 5):
        learner = imitation_learner.Learner(config.model_copy(update={"network": network}))
        torch.rand(drawn)
        learner.learn(samples(11), 1)
        found.append(weights_of(learner.net))
    assert (found[0] == found[1]).all()


@pytest.mark.parametrize("target", ["raw", "normalised"])
def test_imitation_judges_by_hand(target):
    config = imitation()
    config = config.model_copy(
        update={"network": config.network.model_copy(update={"target": target, "dropout": 0.5})}
    )
    learner = imitation_learner.Learner(config)
    asked = samples(700, seed=4)  # more than are seen at a time
    policy, value, accuracy = learner.judge(asked)
    learner.net.eval()
    with torch.no_grad():
        values, logits = learner.net(torch.from_numpy(asked.planes.astype(np.float32)))
    values = values.numpy() if target == "raw" else 2 * values.numpy() - 1
    assert value == pytest.approx(np.mean((values - asked.values) ** 2), rel=1e-3)
    crossed, found = [], []
    for row, moves in enumerate(asked.actions):
        legal = moves[moves >= 0]
        own = logits.numpy()[row][legal].astype(float)
        chances = np.exp(own) / np.exp(own).sum()
        wanted = asked.policy[row][: len(legal)].astype(float)
        crossed.append(-(wanted * np.log(chances)).sum())
        found.append(own.argmax() == wanted.argmax())
    assert policy == pytest.approx(np.mean(crossed), rel=1e-2)
    assert accuracy == pytest.approx(np.mean(found), abs=0.01)


def test_checkpoints_of_imitation(tmp_path):
    learner = imitation_learner.Learner(imitation())
    learner.learn(samples(8), 1)
    learner.save(tmp_path / "a", {"round": 1})
    again = imitation_learner.Learner(imitation())
    assert again.load(tmp_path / "a")["round"] == 1
    assert (again.steps, again.positions) == (2, 8)
    assert (weights_of(again.net) == weights_of(learner.net)).all()
    learner.export(tmp_path / "a.onnx", {"round": 3})
    told = read_net(tmp_path / "a.onnx").training
    assert [told[name] for name in ("method", "steps", "positions", "round")] == [
        *("imitation", 2, 8, 3)
    ]
    assert told["config"]["rounds"] == 4


def test_dry_runs_of_imitation_are_small():
    large = imitation(batch_size=500, positions=10_000)
    network = large.network.model_copy(update={"width": (200,), "blocks": 20})
    dry = large.model_copy(update={"network": network}).dry()
    assert (dry.rounds, dry.network.width, dry.network.blocks) == (2, (16,), 2)
    assert (dry.training.positions, dry.training.batch_size) == (64, 16)
    settings = dry.evaluation
    assert (settings.every, settings.held_out, settings.positions) == (1, 2, 64)
    assert (settings.games, settings.simulations) == (2, 4)
    small = imitation().dry()
    assert (small.training.batch_size, small.network.width, small.network.blocks) == (4, (8,), 1)
    assert imitation().same_training(imitation().model_copy(update={"rounds": 77}))
    assert not imitation().same_training(imitation(batch_size=5))


def test_networks_that_do_not_fit_are_told():
    for network, words in (
        ({"encoding": "naive"}, "has no encoding 'naive'"),
        ({"output": "linear"}, "network.output = 'linear': expected 'heads'"),
    ):
        with pytest.raises(SpecError, match=words):
            imitation_config({"game": "tictactoe", "network": network})


def test_opponents_that_do_not_exist_are_told():
    with pytest.raises(SpecError, match=r"evaluation\.opponents: .*uct"):
        imitation_config({"game": "tictactoe", "evaluation": {"opponents": ["utc"]}})


# ---- runs ----
@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Ten files of three games each."""
    folder = tmp_path_factory.mktemp("games")
    recorder, memory = Recorder(Recording("tictactoe", "random"), 1), Memory(folder, 1)
    for _ in range(10):
        some = [recorder.play() for _ in range(3)]
        new = Totals(3, sum(len(each.values) for each in some))
        memory.add(some, 0, memory.totals + new)
    return folder


def run_config(folder, **sections):
    values = {"game": "tictactoe", "rounds": 3, "games": [str(folder)], "network": NETWORK}
    values["training"] = {"positions": 20, "batch_size": 8}
    values["evaluation"] = {"every": 2, "held_out": 5, "games": 2, "simulations": 2, "opening": 1}
    for name, changes in sections.items():
        values[name] = {**values[name], **changes}
    return imitation_config(values)


@pytest.fixture
def begun(games, tmp_path):
    """Makes runs that are asked, but not run."""
    made = []

    def begin(**sections):
        run = Run(run_config(games, **sections), tmp_path / str(len(made)))
        made.append(run)
        run.method.start()
        return run.method

    yield begin
    for run in made:
        run._lock.close()


def test_held_out_games_are_never_learnt(begun):
    run = begun()
    files = run._files()
    held = [game for file in files for game in run._games(file, held_out=True)]
    learnt = [game for file in files for game in run._games(file, held_out=False)]
    assert (len(held), len(learnt)) == (6, 24)  # one in five
    run.prepare()
    assert len(run._held) == sum(len(game.values) for game in held)
    whole = run._lessons(learnt)
    everything = begun(training={"positions": 10_000})._drawn(1)
    assert len(everything) == len(whole)


def test_as_many_positions_are_read_as_are_wanted(begun):
    run = begun()
    sizes = [
        sum(len(each.values) for each in run._games(file, held_out=False)) for file in run._files()
    ]
    for number in range(1, 6):
        count = len(run._drawn(number))
        assert 20 <= count < 20 + max(sizes)
    first, again, other = (run._drawn(number).planes.tobytes() for number in (1, 1, 2))
    assert first == again != other
    few = begun(evaluation={"positions": 1})
    few.prepare()
    assert 0 < len(few._held) <= 9  # those of one file


def test_rows_of_imitation_say_what_was_done(games, tmp_path):
    run = Run(run_config(games, evaluation={"opponents": ["random"]}), tmp_path)
    told = []
    rows = run.run(lambda now, lines: told.append(now))
    assert [row.round for row in rows] == [1, 2, 3]
    assert [row.accuracy is None for row in rows] == [True, False, False]
    assert [set(row.shares) for row in rows] == [set(), {"random"}, {"random"}]
    assert all(row.policy_loss > 0 and row.value_loss > 0 for row in rows)
    steps = [row.steps for row in rows]
    assert steps == sorted(steps)
    assert told[-1].counts == {"positions": rows[-1].positions, "steps": rows[-1].steps}
    assert rows[0].positions < rows[1].positions < rows[2].positions
    best = read_net(tmp_path / "best.onnx").training
    winner = max((row for row in rows if row.score is not None), key=lambda row: row.score)
    assert (best["round"], best["accuracy"], best["shares"]) == (
        *(winner.round, winner.accuracy),
        winner.shares,
    )
    assert read_net(tmp_path / "last.onnx").training["round"] == 3
    with (tmp_path / "metrics.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["share against random"] for line in lines] == [
        "",
        *(str(row.shares["random"]) for row in rows[1:]),
    ]
    assert [float(line["policy_loss"]) for line in lines] == [row.policy_loss for row in rows]
    assert (tmp_path / "losses.svg").exists()
    assert {each.activity for each in told} == {
        *("starting", "reading", "learning", "measuring", "finished")
    }


def test_rows_in_words_and_numbers():
    row = Row(round=2, seconds=61, positions=5000, policy_loss=2.0, value_loss=0.25)
    assert row.loss == 2.25
    assert (row.score, row.strength()) == (None, "")
    assert row.line() == "    2: 0:01:01  5,000 positions  loss 2.250"
    assert row.numbers() == {
        "loss/total": 2.25,
        "loss/policy": 2.0,
        "loss/value": 0.25,
        "loss/regularisation": 0.0,
    }
    held = {"held_policy_loss": 1.5, "held_value_loss": 0.5, "accuracy": 0.25}
    row = Row(round=2, regularisation_loss=0.5, shares={"uct": 0.75}, **held)
    assert (row.score, row.loss) == (-2.0, 0.5)
    assert row.strength() == "25.0 % of moves  75.0 % against uct"
    assert row.numbers()["held out/accuracy"] == 0.25
    assert row.numbers()["share against uct"] == 0.75
    assert Row(round=2, held_policy_loss=1.5).score is None


def test_folders_without_positions_are_told(begun, games):
    run = begun(evaluation={"held_out": 2})
    run._games = lambda file, held_out: []
    with pytest.raises(SpecError, match="there are no positions to learn from"):
        run._drawn(1)


def test_seeds_and_threads():
    one, again, other = (
        imitation_learner.Learner(each) for each in (imitation(), imitation(), imitation(threads=2))
    )
    assert torch.get_num_threads() == 2
    assert (weights_of(one.net) == weights_of(again.net)).all()
    other = imitation_learner.Learner(imitation().model_copy(update={"seed": 9}))
    assert torch.get_num_threads() == 1
    assert not (weights_of(one.net) == weights_of(other.net)).all()
