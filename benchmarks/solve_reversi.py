"""Time and nodes of the Reversi solver for the scores of FFO 1-34, in one thread.

The time is the solver's own; each position begins with a new solver and an empty table. The goal is
all scores within a minute.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import spielbaum as sb
from spielbaum.cli.shared.output import rate
from spielbaum.solvers.solver import Solver, Wanted

DATA = Path(__file__).parents[1] / "tests" / "data" / "reversi"
GOAL = 60.0
ROW = "{:>8} {:>8} {:>6} {:>10} {:>14} {:>11}"


def read_positions() -> list[tuple[sb.State, int]]:
    """Positions and scores, in order."""
    game = sb.game("reversi")
    positions = []
    for name in ("fforum-1-19.obf", "fforum-20-34.obf"):
        for line in (DATA / name).read_text().splitlines():
            scores = [int(move.split(":")[1]) for move in line.split(";")[1:-1]]
            positions.append((game.state(line), max(scores)))
    return positions


def main() -> None:
    """Print a row for each position, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", type=int, default=64, help="megabytes of the table")
    arguments = parser.parse_args()
    print(ROW.format("position", "empties", "score", "time", "nodes", "speed"))
    seconds = nodes = 0.0
    for number, (state, score) in enumerate(read_positions(), start=1):
        solver = Solver(state.game, arguments.memory)
        found = solver.run(state, Wanted(exact=True, moves=False))
        if found.score != score:
            raise SystemExit(f"FFO {number} scored {found.score}, not {score}")
        seconds += found.seconds
        nodes += found.nodes
        empties = state.cells.count(0)
        columns = (f"{found.seconds:.3f} s", f"{found.nodes:,}", rate(found.nodes / found.seconds))
        print(ROW.format(number, empties, f"{score:+d}", *columns))
    verdict = f"goal {GOAL:.0f} s: {'reached' if seconds <= GOAL else 'MISSED'}"
    columns = (f"{seconds:.1f} s", f"{nodes:,.0f}", rate(nodes / seconds))
    print(ROW.format("all", "", "", *columns), verdict)


if __name__ == "__main__":
    main()
