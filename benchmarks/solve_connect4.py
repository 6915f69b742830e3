"""Mean time and nodes of the Connect Four solver on Pons' test sets, in one thread without a book.

The time is the solver's own, without the way from Python and back. Positions keep the table of
those before them, as in the published figures of Pons' solver, which on a quiet core of a machine
with two Zen 3 cores took 11, 59 and 420 microseconds with 51, 449 and 3,295 nodes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import spielbaum as sb
from spielbaum.cli.shared.output import rate

SETS = {"Test_L3_R1": (11, 7), "Test_L2_R1": (59, 40), "Test_L1_R1": (420, 280)}
DATA = Path(__file__).parents[1] / "tests" / "data" / "connect4"
ROW = "{:<12} {:>12} {:>10} {:>12} {:>10} {:>8}  {}"


def read_set(name: str) -> list[tuple[sb.State, int]]:
    """Positions and scores of a test set."""
    game = sb.game("connect4")
    lines = (DATA / f"{name}.txt").read_text().splitlines()[1:]
    return [(game.state(position), int(score)) for position, score in map(str.split, lines)]


def measure(name: str, memory: int) -> tuple[float, float, float]:
    """Mean microseconds, mean nodes, and nodes per second."""
    seconds = nodes = 0.0
    positions = read_set(name)
    for state, score in positions:
        solution = sb.solve(state, moves=False, pv=False, memory=memory, lookup=False)
        if solution.score != score:
            raise SystemExit(f"{name}: {state.notation} scored {solution.score}, not {score}")
        seconds += solution.seconds
        nodes += solution.nodes
    return seconds / len(positions) * 1e6, nodes / len(positions), nodes / seconds


def touch_memory(memory: int, positions: int = 300) -> None:
    """Solve random positions: memory is given to a program when it is first used, which is slow."""
    agent = sb.agent("random:seed=1")
    for _ in range(positions):
        state = sb.game("connect4").initial()
        while state.outcome is None and len(state.history) < 16:
            state = state.play(agent.choose(state).move)
        sb.solve(state, moves=False, pv=False, memory=memory, lookup=False)


def main() -> None:
    """Print the table, and with ``--empty`` the time of the empty board."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--empty", action="store_true", help="win, draw or loss of the empty board")
    arguments = parser.parse_args()
    touch_memory(memory=64)
    print(ROW.format("set", "mean time", "nodes", "speed", "Pons", "goal", ""))
    for name, (pons, goal) in SETS.items():
        time, nodes, speed = measure(name, memory=64)
        verdict = "reached" if time <= goal else "MISSED"
        columns = (f"{time:.1f} us", f"{nodes:.0f}", rate(speed), f"{pons} us", f"{goal} us")
        print(ROW.format(name, *columns, verdict))
    if arguments.empty:
        start = sb.game("connect4").initial()
        solution = sb.solve(start, exact=False, moves=False, memory=1024, lookup=False)
        print(
            f"empty board: {solution.score:+d}, {solution.seconds:.1f} s, {solution.nodes:,} nodes"
        )


if __name__ == "__main__":
    main()
