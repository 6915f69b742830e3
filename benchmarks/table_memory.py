"""What a large transposition table costs a short search: Yavalath at depth 4, agents made anew.

A table that grows with the search makes ``memory=64`` as fast as ``memory=1``. Times are CPU times
of one thread; the sizes alternate, and medians count. The ratio is what can be compared.
"""

from __future__ import annotations

import argparse
import statistics
import time

import spielbaum as sb

SIZES = (1, 64, 512)
GAME = "yavalath"
DEPTH = 4


def seconds(memory: int, state: sb.State, depth: int) -> float:
    """CPU seconds of a search by a new agent."""
    agent = sb.agent("alphabeta", memory=memory)
    began = time.process_time()
    agent.choose(state, sb.Budget(depth=depth))
    return time.process_time() - began


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=101)
    runs: int = parser.parse_args().runs
    state = sb.game(GAME).initial()
    seconds(SIZES[0], state, DEPTH)  # the first search of a process is another matter
    found: dict[int, list[float]] = {memory: [] for memory in SIZES}
    for _ in range(runs):
        for memory, times in found.items():
            times.append(seconds(memory, state, DEPTH))
    medians = {memory: statistics.median(times) for memory, times in found.items()}
    print(f"{GAME}, depth {DEPTH}, median of {runs} new agents each")
    for memory, median in medians.items():
        ratio = median / medians[SIZES[0]]
        print(f"memory={memory:<4} {1000 * median:8.2f} ms {ratio:6.2f}x")


if __name__ == "__main__":
    main()
