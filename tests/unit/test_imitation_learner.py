"""Imitation: which rows are learnt, how it is judged, and what is written down."""

import numpy as np
import pytest
import torch

from learning import NETWORK, Steps, flat, samples, weights_of
from spielbaum.learn.imitation import learner as imitation_learner
from spielbaum.learn.imitation.config import read_config as imitation_config
from spielbaum.learn.nets.onnx_file import read_net
from spielbaum.learn.nets.training import Losses

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
    network = large.network.model_copy(update={"width": 200, "blocks": 20})
    dry = large.model_copy(update={"network": network}).dry()
    assert (dry.rounds, dry.network.width, dry.network.blocks) == (2, 16, 2)
    assert (dry.training.positions, dry.training.batch_size) == (64, 16)
    settings = dry.evaluation
    assert (settings.every, settings.held_out, settings.positions) == (1, 2, 64)
    assert (settings.games, settings.simulations) == (2, 4)
    small = imitation().dry()
    assert (small.training.batch_size, small.network.width, small.network.blocks) == (4, 8, 1)
    assert imitation().same_training(imitation().model_copy(update={"rounds": 77}))
    assert not imitation().same_training(imitation(batch_size=5))
