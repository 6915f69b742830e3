"""S2's Table 3.1: mean time of alpha-beta's variants on ten Yavalath positions, by depth.

S2's own ten positions exist as a picture only; ours are the empty board and nine random ones, so
that the ratios say how the programs compare, not how they compare on the same boards. Times are
CPU times of one thread, the fastest of three; each position begins with an empty table, whose
memory is there before the clock runs.
"""

from __future__ import annotations

import argparse
import statistics
import time

from generate_forced_wins import is_threatened

import spielbaum as sb
from spielbaum.lab.documents import s2

# S2's four have nothing of ours but what their names say, and S2's evaluation. The table is larger
# than these searches need.
PLAIN = "ordering=off,windows=off,cutoffs=off,eval=patterns,memory=16"
# A name, the spec, and S2's seconds at depth 4, 5 and 6; ours stand beside S2's best, AB*.
VARIANTS = (
    ("AB", f"alphabeta:iterative=off,tt=off,{PLAIN}", (1.61, 22.25, 259.08)),
    ("AB-TT", f"alphabeta:iterative=off,{PLAIN}", (1.53, 17.99, 156.87)),
    ("AB-Iter", f"alphabeta:tt=off,{PLAIN}", (0.81, 13.27, 100.44)),
    ("AB*", f"alphabeta:{PLAIN}", (0.43, 4.89, 23.54)),
    ("ours", "alphabeta:eval=patterns,memory=16", (0.43, 4.89, 23.54)),
    ("ours+", "alphabeta:memory=16", (0.43, 4.89, 23.54)),
)
DEPTHS = (4, 5, 6)
RUNS = 3  # the machine may be busy: the fastest counts
SEED = 31
ROW = "{:>5}  {:<8} {:>11} {:>13} {:>10} {:>8}"


def read_positions() -> list[sb.State]:
    """The ten positions."""
    return [sb.game("yavalath").state(position) for position in s2.TEN]


def draw_positions(seed: int) -> list[sb.State]:
    """The empty board, and random positions of 2, 4, ..., 18 stones without a quick end."""
    chance = sb.agent("random", seed=seed)
    positions = [sb.game("yavalath").initial()]
    while len(positions) < 10:
        state = sb.game("yavalath").initial()
        while state.outcome is None and len(state.history) < 2 * len(positions):
            state = state.play(chance.choose(state).move)
        if state.outcome is None and is_open(state):
            positions.append(state)
    return positions


def is_open(state: sb.State) -> bool:
    """Whether the deepest search decides nothing, and the other side does not threaten a four."""
    decision = sb.agent("alphabeta").choose(state, sb.Budget(depth=max(DEPTHS)))
    if "plies_to_end" in decision.stats:
        return False  # iterative deepening would end early
    return not is_threatened(state)


def measure(spec: str, state: sb.State, depth: int) -> tuple[float, int]:
    """CPU seconds and nodes of one search, after another one that was not measured."""
    agent = sb.agent(spec)
    agent.choose(state, sb.Budget(depth=depth))
    agent.reset()
    began = time.process_time()
    decision = agent.choose(state, sb.Budget(depth=depth))
    return time.process_time() - began, int(decision.stats["nodes"])


def compare(limit: float) -> None:
    """Print the table; a variant that has used up ``limit`` seconds leaves positions out."""
    positions = read_positions()
    print(ROW.format("depth", "variant", "mean time", "mean nodes", "S2", "ratio"))
    for column, depth in enumerate(DEPTHS):
        for name, spec, published in VARIANTS:
            runs: list[tuple[float, int]] = []
            for state in positions:
                if sum(seconds for seconds, _ in runs) < limit:
                    runs.append(min(measure(spec, state, depth) for _ in range(RUNS)))
            seconds, nodes = (statistics.mean(figures) for figures in zip(*runs, strict=True))
            theirs = published[column]
            figures = (
                f"{seconds:.4f} s",
                f"{nodes:,.0f}",
                f"{theirs} s",
                f"{theirs / seconds:.0f}x",
            )
            left_out = len(positions) - len(runs)
            note = f"  ({left_out} positions left out: over {limit:g} s)" if left_out else ""
            print(ROW.format(depth, name, *figures) + note, flush=True)
    print(
        "ours: every part switched on; ours+: and our evaluation, which costs more and plays better"
    )


def compare_sets(count: int, depth: int = 4) -> None:
    """Print how far the ratios to plain AB depend on which ten positions are searched."""
    names = [name for name, _, _ in VARIANTS]
    found: dict[str, list[float]] = {name: [] for name in names}
    for seed in range(1, count + 1):
        positions = draw_positions(seed)
        seconds = [
            statistics.mean(measure(spec, each, depth)[0] for each in positions)
            for _, spec, _ in VARIANTS
        ]
        for name, mean in zip(names, seconds, strict=True):
            found[name].append(mean / seconds[0])
    for name, ratios in found.items():
        ratios.sort()
        low, middle, high = ratios[0], statistics.median(ratios), ratios[-1]
        print(f"{name:8} depth {depth}: {low:.3f} to {high:.3f}, half of them below {middle:.3f}")


def main() -> None:
    """Print the table, with ``--draw`` the positions, with ``--sets`` what others would give."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of a variant at a depth")
    parser.add_argument("--draw", action="store_true", help="print the positions as they were made")
    parser.add_argument("--sets", type=int, help="ratios at depth 4 on so many other tens")
    arguments = parser.parse_args()
    if arguments.sets:
        compare_sets(arguments.sets)
    elif arguments.draw:
        print("\n".join(state.notation for state in draw_positions(SEED)))
    else:
        compare(arguments.limit)


if __name__ == "__main__":
    main()
