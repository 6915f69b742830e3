"""What tests of learners share: tiny networks, positions to learn, and steps that are counted."""

import json
from functools import partial

import numpy as np

import spielbaum as sb
from spielbaum.base.lock import take_lock
from spielbaum.train.data.samples import Samples
from spielbaum.train.method import method
from spielbaum.train.nets.training import Losses
from spielbaum.train.run import Run

TICTACTOE = sb.game("tictactoe")
NETWORK = {"kind": "dense", "blocks": 1, "width": 8, "batch_norm": False}


def runs_of(name):
    """Makes runs of a method from a configuration and a folder."""
    return partial(Run, method(name))


def value_run(config, folder, games=None, executor=None):
    """A run of the method ``value``, perhaps with games of others, or who plays them."""
    given = {"games": games, "executor": executor}
    inputs = {name: each for name, each in given.items() if each is not None}
    return runs_of("value")(config, folder, inputs=inputs)


def ntuple_training(config, number, folder):
    """An n-tuple method that has been loaded in its folder, with the ``run`` around it."""
    whole = runs_of("ntuple")(config, folder, number=number)
    made = whole.method
    try:
        whole._begin(made)
    finally:
        whole._lock.close()
    whole._begin = lambda made: None

    def run(report=None):
        whole._lock = take_lock(folder)
        return whole.run(report)

    made.run, made.stop, made.whole = run, whole.stop, whole
    return made


def arrays_of(path):
    """The header and the arrays of a file, read by NumPy alone."""
    with np.load(path) as file:
        arrays = dict(file)
    return json.loads(arrays.pop("header").tobytes()), arrays


def samples(count, seed=0):
    """Positions of random games with random targets."""
    rng = np.random.default_rng(seed)
    states = []
    while len(states) < count:
        state = TICTACTOE.initial()
        while state.outcome is None and len(states) < count:
            states.append(state)
            state = state.play(int(rng.choice(state.legal_moves)))
    actions = np.full((count, 9), -1, np.int32)
    policy = np.zeros((count, 9), np.float16)
    for row, state in enumerate(states):
        legal = len(state.legal_moves)
        actions[row, :legal] = state.legal_moves
        policy[row, :legal] = rng.dirichlet(np.ones(legal))
    return Samples(
        np.stack([state.planes() for state in states]).astype(np.float16),
        actions,
        policy,
        rng.uniform(-1, 1, (count, 1)).astype(np.float32),
        np.ones(count, np.float32),
    )


class Steps:
    """Stands for `make_batch` and `step`: keeps what they are asked for, and says some losses."""

    def __init__(self, monkeypatch, module):
        self.rows, self.weights, self.clips, self.rates, self.symmetries = [], [], [], [], []
        monkeypatch.setattr(module, "make_batch", self.make_batch)
        monkeypatch.setattr(module, "step", self.step)
        set_rate = module.set_learning_rate

        def rate(optimizer, first, final, done):
            self.rates.append((first, final, done))
            return set_rate(optimizer, first, final, done)

        monkeypatch.setattr(module, "set_learning_rate", rate)

    def make_batch(self, samples, rows, symmetries, rng):
        self.rows.append(rows.tolist())
        self.symmetries.append(symmetries)

    def step(self, net, optimizer, batch, weights, clip_norm, mask_unvisited=False):
        self.weights.append(weights)
        self.clips.append(clip_norm)
        number = len(self.weights)
        return Losses(1.0 * number, 2.0 * number, 3.0 * number)


def flat(rows):
    """All numbers of some lists, in their order."""
    return [number for each in rows for number in each]


def weights_of(net):
    """All weights of a network as one array."""
    return np.concatenate([each.detach().numpy().reshape(-1) for each in net.parameters()])
