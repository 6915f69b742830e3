"""Empty boards of Connect Four: the value of every size that others have computed, in one thread.

With ``--first-moves`` also the exact score of every first move of the 7x6 board, and with it the
exact score of the board itself. No book and no cache is used.
"""

from __future__ import annotations

import argparse

import spielbaum as sb
from spielbaum.cli.shared.output import rate

# By columns x rows: + the first player wins, = draw, - the second wins.
KNOWN = {
    "4x4": "=", "5x4": "=", "6x4": "-", "7x4": "=", "8x4": "-", "9x4": "-", "4x5": "=", "5x5": "=",
    "6x5": "=", "7x5": "=", "4x6": "=", "5x6": "=", "6x6": "-", "7x6": "+", "4x7": "=", "5x7": "=",
    "4x8": "=", "5x8": "=", "4x9": "=",
}  # fmt: skip
FIRST_MOVES = (-2, -1, 0, 1, 0, -1, -2)
SIGNS = {1: "+", 0: "=", -1: "-"}


def solve_sizes(sizes: list[str], memory: int) -> None:
    """A row for every size, as soon as it is solved; an unexpected value ends the program."""
    for size in sizes:
        columns, rows = map(int, size.split("x"))
        start = sb.game("connect4", columns=columns, rows=rows).initial()
        solution = sb.solve(start, exact=False, moves=False, memory=memory, lookup=False)
        speed = rate(solution.nodes / max(solution.seconds, 1e-9))
        found = SIGNS[solution.score]
        row = f"{size:>5}  {found}  {solution.seconds:8.1f} s  {solution.nodes:>15,} nodes  {speed}"
        print(row, flush=True)
        if found != KNOWN[size]:
            raise SystemExit(f"{size}: expected {KNOWN[size]}")


def solve_first_moves(memory: int) -> None:
    """The exact scores of the first moves; mirror images are solved once."""
    start = sb.game("connect4").initial()
    for column in range(4):
        solution = sb.solve(start.play(column), moves=False, pv=False, memory=memory, lookup=False)
        score = -solution.score
        print(
            f"first move {start.text(column)} and {start.text(6 - column)}: score {score:+d}, "
            f"{solution.seconds:.1f} s, {solution.nodes:,} nodes",
            flush=True,
        )
        if score != FIRST_MOVES[column]:
            raise SystemExit(f"expected {FIRST_MOVES[column]:+d}")


def main() -> None:
    """Solve all sizes, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", metavar="SIZE", help="such as 7x6; all without it")
    parser.add_argument("--first-moves", action="store_true", help="score the first moves of 7x6")
    parser.add_argument("--memory", type=int, default=2048, help="megabytes of the table")
    arguments = parser.parse_args()
    for size in arguments.sizes:
        if size not in KNOWN:
            parser.error(f"size {size}: expected one of {', '.join(KNOWN)}")
    if arguments.sizes or not arguments.first_moves:
        solve_sizes(arguments.sizes or list(KNOWN), arguments.memory)
    if arguments.first_moves:
        solve_first_moves(arguments.memory)


if __name__ == "__main__":
    main()
