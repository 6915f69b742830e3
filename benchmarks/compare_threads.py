"""How much two threads do in the same time, compared with one: nodes or iterations of a search.

Runs alternate, and the median counts; the figure means something on an otherwise idle machine only.
"""

from __future__ import annotations

import argparse
import statistics

import spielbaum as sb

GAMES = ("connect4", "yavalath", "reversi", "chess")
RUNS = 5
# An agent, what it counts, and how many times as much two threads should do.
SEARCHES = (
    ("alphabeta:threads={}", "nodes", 1.5),
    ("mcts:threads={}", "iterations", 1.6),
    ("uct:solver=on,threads={}", "iterations", 1.6),
    # One tree for both, which pays where an iteration takes long.
    ("uct:solver=on,threads={},parallel=tree", "iterations", None),
)


def count(spec: str, counted: str, game: str, seconds: float) -> int:
    """What one search from the start of the game counts, with a new table or tree."""
    agent, start = sb.agent(spec), sb.game(game).initial()
    agent.choose(start, sb.Budget(nodes=1000))  # memory and threads are there before the clock runs
    return int(agent.choose(start, sb.Budget(seconds=seconds)).stats[counted])


def main() -> None:
    """Print a row for every search and game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="time of one search")
    parser.add_argument("--only", default="", help="searches whose spec begins so")
    arguments = parser.parse_args()
    for spec, counted, goal in SEARCHES:
        if not spec.startswith(arguments.only):
            continue
        for game in GAMES:
            one, two = (spec.format(threads) for threads in (1, 2))
            runs = [
                [count(each, counted, game, arguments.seconds) for each in (one, two)]
                for _ in range(RUNS)
            ]
            ratio = statistics.median(with_two / with_one for with_one, with_two in runs)
            verdict = ""
            if goal is not None:
                verdict = f" (goal {goal}x, {'reached' if ratio >= goal else 'MISSED'})"
            few, many = (statistics.median(each) for each in zip(*runs, strict=True))
            print(
                f"{spec.format(2):<38} {game:<9} {few:>11,.0f} -> {many:>11,.0f} {counted}: "
                f"{ratio:.2f}x{verdict}",
                flush=True,
            )


if __name__ == "__main__":
    main()
