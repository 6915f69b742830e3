"""How many nodes alpha-beta searches in the same time with two threads, compared with one.

Runs alternate, and the median counts; the figure means something on an otherwise idle machine only.
"""

from __future__ import annotations

import argparse
import statistics

import spielbaum as sb

GAMES = ("connect4", "yavalath", "reversi", "chess")
RUNS = 5
GOAL = 1.5


def nodes(game: str, threads: int, seconds: float) -> int:
    """Nodes of one search from the start of the game, with a new table."""
    agent = sb.agent("alphabeta", threads=threads)
    start = sb.game(game).initial()
    agent.choose(start, sb.Budget(nodes=1000))  # memory and threads are there before the clock runs
    return int(agent.choose(start, sb.Budget(seconds=seconds)).stats["nodes"])


def main() -> None:
    """Print a row for every game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="time of one search")
    seconds = parser.parse_args().seconds
    for game in GAMES:
        runs = [(nodes(game, 1, seconds), nodes(game, 2, seconds)) for _ in range(RUNS)]
        ratio = statistics.median(two / one for one, two in runs)
        one, two = (statistics.median(each) for each in zip(*runs, strict=True))
        verdict = "reached" if ratio >= GOAL else "MISSED"
        print(
            f"{game:<9} one thread {one:>11,.0f} nodes, two {two:>11,.0f}: {ratio:.2f}x "
            f"(goal {GOAL}x, {verdict})",
            flush=True,
        )


if __name__ == "__main__":
    main()
