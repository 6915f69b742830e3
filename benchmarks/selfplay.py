"""Self-play against two measures, in the same run and on one core.

1. Network evaluations per second during self-play, beside what ONNX Runtime alone does with the
   same network in 32 bits and the same batches. Goal: at least 75 %, and 150 % with int8.
2. Simulations per second, beside the common way: a tree of Python objects that asks PyTorch for
   one position at a time, with the same network. Goal: at least 6 times as many.

All take turns of a second, so that a busy machine is equally busy for everybody.

    python benchmarks/selfplay.py [--config connect4] [--seconds 10] [--precision int8]
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from spielbaum.models.evaluator import NetEvaluator
from spielbaum.models.inputs import encode
from spielbaum.train.methods.alphazero.config import load_config
from spielbaum.train.methods.alphazero.selfplay import SelfPlayer
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.towers import make_net

TURN = 1.0
"""Seconds."""


class Node:
    """A node of the common tree."""

    def __init__(self, prior):
        self.prior, self.visits, self.total, self.children = prior, 0, 0.0, {}

    def mean(self):
        return self.total / self.visits if self.visits else 0.0


class PythonTree:
    """PUCT in plain Python, one position for PyTorch at a time."""

    def __init__(self, net, c):
        self.net, self.c, self.simulations = net, c, 0

    def search(self, state, simulations):
        root = Node(1.0)
        self.expand(root, state)
        for _ in range(simulations - 1):
            self.simulate(root, state)
        return max(root.children, key=lambda move: root.children[move].visits)

    def expand(self, node, state):
        self.simulations += 1
        with torch.no_grad():
            planes = torch.from_numpy(encode(state, self.net.shape.encoding)[None])
            values, logits = self.net(planes)
        legal = list(state.legal_moves)
        shares = torch.softmax(logits[0, legal], dim=0).tolist()
        node.children = dict(zip(legal, map(Node, shares), strict=True))
        return float(values[0, 0])

    def simulate(self, node, state):
        path = []
        while node.children:
            scale = self.c * math.sqrt(sum(child.visits for child in node.children.values()) + 1)
            move, node = max(
                node.children.items(),
                key=lambda item: item[1].mean() + scale * item[1].prior / (1 + item[1].visits),
            )
            path.append(node)
            state = state.play(move)
        outcome = state.outcome
        if outcome is None:
            value = -self.expand(node, state)
        else:
            value = -outcome.rewards[state.to_move]
            self.simulations += 1
        for visited in reversed(path):  # two players that take turns
            visited.visits += 1
            visited.total += value
            value = -value


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--config", default="connect4")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each of the three")
    parser.add_argument("--precision", default="float", choices=("float", "int8"), help="of play")
    given = parser.parse_args()
    config = load_config(given.config)
    game = config.rules()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    net = make_net(game, config.network).eval()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        save_net(net, game, path, {})
        evaluator = NetEvaluator.load(path, precision=given.precision)
        player = SelfPlayer(game, config.self_play.model_copy(update={"cache": 0}), seed=1)
        player.use(evaluator)
        for _ in range(200):  # games get out of step, as they are later
            player.step()
        alone = NetEvaluator.load(path)
        tree = PythonTree(net, config.self_play.const)
        report(given, config, (evaluator, alone), player, tree, game)


def report(given, config, evaluators, player, tree, game):
    evaluator, alone = evaluators
    batch = config.self_play.concurrent
    shape = encode(game.initial(), tree.net.shape.encoding).shape
    planes = np.random.default_rng(1).random((batch, *shape), np.float32)
    steps = raw = 0
    seconds = dict.fromkeys(("play", "raw", "python"), 0.0)
    tree.simulations = 0
    state = game.initial()
    before = evaluator.evaluations
    while seconds["raw"] < given.seconds:
        began = time.perf_counter()
        while time.perf_counter() - began < TURN:
            player.step()
            steps += 1
        seconds["play"] += time.perf_counter() - began
        began = time.perf_counter()
        while time.perf_counter() - began < TURN:
            alone._session.run(None, {"planes": planes})
            raw += batch
        seconds["raw"] += time.perf_counter() - began
        began = time.perf_counter()
        while time.perf_counter() - began < TURN:
            if state.outcome is not None:
                state = game.initial()
            state = state.play(tree.search(state, config.self_play.num_simulations))
        seconds["python"] += time.perf_counter() - began
    played = evaluator.evaluations - before
    mean_batch = played / steps
    play_rate, raw_rate = played / seconds["play"], raw / seconds["raw"]
    python_rate = tree.simulations / seconds["python"]
    goal = "75 %" if given.precision == "float" else "150 %"
    print(f"{config.game}, {config.network.blocks} blocks x {config.network.width}, one core:")
    print(f"  self-play                {play_rate:9,.0f} evaluations/s, {mean_batch:.0f} a batch")
    print(f"  ONNX Runtime alone       {raw_rate:9,.0f} evaluations/s, {batch} a batch")
    print(f"  share                    {play_rate / raw_rate:9.1%}   (goal: {goal})")
    print(f"  Python tree and PyTorch  {python_rate:9,.0f} simulations/s")
    # Simulations that end in a known result or a proof cost no evaluation and are not counted.
    print(f"  times as many            {play_rate / python_rate:9.1f}   (goal: 6)")


if __name__ == "__main__":
    main()
