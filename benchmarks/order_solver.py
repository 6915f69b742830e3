"""Nodes of Connect Four's solver with and without an n-tuple network that orders moves (S1, 4.6.4).

    python benchmarks/order_solver.py NETWORK [--stones 8] [--positions 33]

Win, draw or loss of the empty board and of all positions with one and two stones, up to mirroring,
each with a new table. S1: the empty board in a third of the time, 26 % less over all.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import spielbaum as sb
from spielbaum.models.ntuple_file import load_network
from spielbaum.solvers.solver import Solver, Wanted


def positions(game: sb.Game) -> list[sb.State]:
    found: dict[int, sb.State] = {}
    layer = [game.initial()]
    for _ in range(3):
        for state in layer:
            key = min(image.state.key for image in state.symmetries())
            found.setdefault(key, state)
        layer = [state.play(move) for state in layer for move in state.legal_moves]
    return list(found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("--stones", type=int, default=8)
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--memory", type=int, default=512)
    given = parser.parse_args()
    network = load_network(given.network)
    wanted = Wanted(exact=False, moves=False)
    totals = [0, 0]
    seconds = [0.0, 0.0]
    for state in positions(network.game)[: given.positions]:
        row = []
        for index, order in enumerate((None, network)):
            solver = Solver(network.game, given.memory, order, given.stones)
            result = solver.run(state, wanted)
            totals[index] += result.nodes
            seconds[index] += result.seconds
            row.append(f"{result.nodes:>13,} nodes {result.seconds:7.2f} s")
        print(f"{state.notation or 'empty':>6}  {'  '.join(row)}", flush=True)
    print(
        f"nodes with the network: {totals[1] / totals[0]:.3f} of those without, "
        f"time {seconds[1] / seconds[0]:.3f}"
    )


if __name__ == "__main__":
    main()
