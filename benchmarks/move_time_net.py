"""Seconds of a move of chess with 100 simulations: a small tower, and S4's full one.

The small one is that of the configuration `chess`. Neither is trained, which takes no less time. S4
needed 20 seconds on its graphics card. Prints medians over the positions of random games, on one
core.

    python benchmarks/move_time_net.py [--simulations 100] [--positions 5]
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

import torch

import spielbaum as sb
from spielbaum.train.methods.alphazero.config import load_config
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.towers import make_net

PLIES = 20
GOALS = {"chess": 0.15, "s4-chess": 5.0}
"""By configuration."""


def positions(number):
    """Positions in which the game is not over."""
    rng = random.Random(1)
    while number:
        state = sb.game("chess").initial()
        for _ in range(PLIES):
            if state.outcome is None:
                state = state.play(rng.choice(state.legal_moves))
        if state.outcome is None:
            number -= 1
            yield state


def seconds(path, states, simulations):
    """Of each position's move, with a search that begins anew."""
    agent = sb.agent(f"net:{path}")
    agent.choose(states[0], sb.Budget(iterations=10))  # the file is read
    for state in states:
        agent.reset(seed=1)
        began = time.perf_counter()
        agent.choose(state, sb.Budget(iterations=simulations))
        yield time.perf_counter() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--positions", type=int, default=5)
    given = parser.parse_args()
    states = list(positions(given.positions))
    chess = sb.game("chess")
    with tempfile.TemporaryDirectory() as folder:
        for name, goal in GOALS.items():
            path = Path(folder) / f"{name}.onnx"
            torch.manual_seed(1)
            save_net(make_net(chess, load_config(name).network).eval(), chess, path, {})
            found = statistics.median(seconds(path, states, given.simulations))
            print(
                f"{name} ({path.stat().st_size / 1e6:.1f} MB): {found:.3f} s a move with "
                f"{given.simulations} simulations (goal: {goal} s; S4: 20 s)"
            )


if __name__ == "__main__":
    main()
