"""Speed of n-tuple training with S1's base configuration, late in the training (epsilon 0.1).

    python benchmarks/train_ntuple.py [--warm-up 200000] [--games 50000]

S1 needed 1.5 ms for a training game. Prints microseconds of CPU and of the clock for a game of ours
with one thread, games per second of two threads as a multiple of one, and the same for the
configuration connect4 (temporal coherence and traces). The network is trained first, for weights
that decide games are read from other places than zeros.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

from spielbaum import _core
from spielbaum.learn.ntuple_config import ScheduleSpec, load_config


def measure(name: str, warm_up: int, games: int) -> None:
    config = load_config(name)
    config = replace(config, epsilon=ScheduleSpec("constant", 0.1, 0.1))
    network = config.make_network(1)
    trainer = _core.make_trainer(network._core, config.options(1), None)
    trainer.train(0, warm_up, 1, 1e9, _core.StopFlag())
    first, rates = warm_up, {}
    for threads in (1, 2, 1, 2):
        began, cpu = time.perf_counter(), time.process_time()
        trainer.train(first, first + games, threads, 1e9, _core.StopFlag())
        took, used = time.perf_counter() - began, time.process_time() - cpu
        first += games
        rates[threads] = max(rates.get(threads, 0.0), games / took)
        print(
            f"{name}, {threads} thread{'s' * (threads > 1)}: {1e6 * took / games:.1f} us a game by "
            f"the clock, {1e6 * used / games:.1f} us of CPU"
        )
    print(f"{name}: two threads play {rates[2] / rates[1]:.2f} times as many games as one")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warm-up", type=int, default=200_000)
    parser.add_argument("--games", type=int, default=50_000)
    given = parser.parse_args()
    for name in ("s1-base", "connect4"):
        measure(name, given.warm_up, given.games)
