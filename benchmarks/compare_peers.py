"""Speed of the games beside other libraries, measured in one run, in one thread, in CPU time.

Random playouts against the C++ rollouts of OpenSpiel (its MCTSBot with one simulation of many
rollouts), and chess perft with bulk counting against Stockfish's ``go perft``. Runs alternate
between both sides, and the ratio is the median over the pairs, because machines are noisy.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyspiel

import spielbaum as sb
from spielbaum import _core
from spielbaum.cli.shared.output import rate

PAIRS = 7


@dataclass(frozen=True)
class Rollouts:
    """A game of both libraries, how much work one run is, and the ratio that we promise."""

    ours: str
    theirs: str
    our_playouts: int
    their_playouts: int
    goal: float


ROLLOUTS = (
    Rollouts("tictactoe", "tic_tac_toe", 1_500_000, 200_000, goal=5),
    Rollouts("connect4", "connect_four", 1_000_000, 25_000, goal=40),
    Rollouts("reversi", "othello", 100_000, 600, goal=150),
    Rollouts("chess", "chess", 4_000, 120, goal=30),
)


def cpu_time_of(work: Callable[[], object]) -> float:
    """Seconds of this process's CPU time."""
    began = time.process_time()
    work()
    return time.process_time() - began


def open_spiel_rollouts(name: str, count: int) -> Callable[[], object]:
    """Random games from the start in OpenSpiel's C++."""
    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(count, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1000, False, 1, False)
    state = game.new_initial_state()
    return lambda: bot.step(state)


def compare_rollouts(case: Rollouts) -> tuple[float, float, float]:
    """Playouts per second of both sides, and the median ratio."""
    start = sb.game(case.ours).initial()._core
    theirs = open_spiel_rollouts(case.theirs, case.their_playouts)
    rates = []
    for seed in range(PAIRS):
        ours_seconds = cpu_time_of(lambda: _core.playouts(start, case.our_playouts, seed))  # noqa: B023
        theirs_seconds = cpu_time_of(theirs)
        rates.append((case.our_playouts / ours_seconds, case.their_playouts / theirs_seconds))
    ratio = statistics.median(ours / theirs for ours, theirs in rates)
    ours, theirs_rate = (statistics.median(side) for side in zip(*rates, strict=True))
    return ours, theirs_rate, ratio


class Stockfish:
    """A running Stockfish whose perft is timed by the CPU time of its process."""

    def __init__(self, path: str) -> None:
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._ask("isready", "readyok")

    def perft(self, depth: int) -> tuple[int, float]:
        """Nodes and seconds."""
        began = self._cpu_seconds()
        answer = self._ask(f"go perft {depth}", "Nodes searched:")
        return int(answer.split(":")[1]), self._cpu_seconds() - began

    def close(self) -> None:
        """End the process."""
        self.process.communicate("quit\n", timeout=10)

    def _ask(self, command: str, answer: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        for line in self.process.stdout:
            if line.startswith(answer):
                return line
        raise RuntimeError(f"Stockfish ended without answering {command!r}")

    def _cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def compare_perft(stockfish_path: str, depth: int = 6) -> tuple[float, float, float]:
    """Nodes per second of chess perft on both sides, and the median ratio."""
    start = sb.game("chess").initial()
    stockfish = Stockfish(stockfish_path)
    rates = []
    for _ in range(PAIRS):
        their_nodes, their_seconds = stockfish.perft(depth)
        our_seconds = cpu_time_of(lambda: sb.perft(start, depth))
        rates.append((their_nodes / our_seconds, their_nodes / their_seconds))
    stockfish.close()
    ratio = statistics.median(ours / theirs for ours, theirs in rates)
    ours, theirs = (statistics.median(side) for side in zip(*rates, strict=True))
    return ours, theirs, ratio


ROW = "{:<22} {:>12} {:<22} {:>12} {:>8} {:>7}  {}"


def print_row(what: str, peer: str, figures: tuple[float, float, float], goal: float) -> None:
    """One comparison as a line of the table."""
    ours, theirs, ratio = figures
    verdict = "reached" if ratio >= goal else "MISSED"
    print(ROW.format(what, rate(ours), peer, rate(theirs), f"{ratio:.1f}x", f"{goal:g}x", verdict))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one game of the table")
    only = parser.parse_args().only
    print("One thread, CPU time, medians of alternating runs.")
    print(ROW.format("spielbaum", "per second", "peer", "per second", "ratio", "goal", ""))
    for case in ROLLOUTS:
        if only in (None, case.ours):
            figures = compare_rollouts(case)
            print_row(f"{case.ours} playouts", "OpenSpiel rollouts", figures, case.goal)
    if only in (None, "yavalath"):
        start = sb.game("yavalath").initial()._core
        seconds = cpu_time_of(lambda: _core.playouts(start, 1_000_000, 1))
        print(ROW.format("yavalath playouts", rate(1_000_000 / seconds), "-", "", "", "", ""))
    stockfish = shutil.which("stockfish", path=f"{os.environ.get('PATH', '')}:/usr/games")
    if only in (None, "perft") and stockfish is not None:
        print_row("chess perft 6", "Stockfish perft 6", compare_perft(stockfish), 0.3)
    elif only in (None, "perft"):
        print("chess perft: no Stockfish found; install the package stockfish to compare")


if __name__ == "__main__":
    main()
