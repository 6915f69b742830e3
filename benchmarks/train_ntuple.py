"""Speed of n-tuple training with S1's base configuration, late in the training (epsilon 0.1).

    python benchmarks/train_ntuple.py [--warm-up 200000] [--games 20000] [--rounds 9]

S1 needed 1.5 ms for a training game. Prints microseconds for a game of ours with one thread, how
many times as many games two threads play, and, for the limit of the machine in the same run, how
many times as many two processes play that have nothing in common: medians over rounds in which they
take turns. The same for the configuration connect4 (temporal coherence and traces). The network is
trained first, for weights that decide games are read from other places than zeros.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from dataclasses import replace
from multiprocessing.synchronize import Barrier

from spielbaum import _core
from spielbaum.train.methods.ntuple.config import ScheduleSpec, load_config


class Timed:
    """A training that goes on, and how long its games take."""

    def __init__(self, name: str, warm_up: int) -> None:
        config = load_config(name)
        config = replace(config, epsilon=ScheduleSpec("constant", 0.1, 0.1))
        self.network = config.make_network(1)
        self.trainer = _core.make_trainer(self.network._core, config.options(1), None)
        self.played = 0
        self.seconds(warm_up, 1)

    def seconds(self, games: int, threads: int) -> float:
        """By the clock."""
        began = time.perf_counter()
        end = self.played + games
        self.trainer.train(self.played, end, threads, 1e9, _core.StopFlag())
        self.played = end
        return time.perf_counter() - began


def other_process(name: str, warm_up: int, games: int, rounds: int, together: Barrier) -> None:
    """The second of two processes; `together` is where they meet."""
    timed = Timed(name, warm_up)
    together.wait()
    for _ in range(rounds):
        together.wait()
        timed.seconds(games, 1)
        together.wait()


def measure(name: str, warm_up: int, games: int, rounds: int) -> None:
    """Prints the figures of a configuration."""
    timed = Timed(name, warm_up)
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(2)
    other = context.Process(target=other_process, args=(name, warm_up, games, rounds, together))
    other.start()
    together.wait()
    alone, threads, processes = [], [], []
    for _ in range(rounds):
        alone.append(timed.seconds(games, 1))
        threads.append(timed.seconds(games, 2))
        together.wait()
        began = time.perf_counter()
        timed.seconds(games, 1)
        together.wait()
        processes.append((time.perf_counter() - began) / 2)
    other.join()

    def ratios(seconds: list[float]) -> str:
        found = sorted(one / two for one, two in zip(alone, seconds, strict=True))
        return f"{statistics.median(found):.2f} ({found[0]:.2f} to {found[-1]:.2f})"

    game = 1e6 * statistics.median(alone) / games
    print(
        f"{name}: {game:.1f} us a game with one thread (S1's base configuration: 1,500); "
        f"two threads play {ratios(threads)} times as many games, two processes that have "
        f"nothing in common {ratios(processes)} times"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warm-up", type=int, default=200_000)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    for each in ("s1-base", "connect4"):
        measure(each, given.warm_up, given.games, given.rounds)
