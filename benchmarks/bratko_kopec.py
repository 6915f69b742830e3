"""How many of the 24 Bratko-Kopec positions an agent solves in a given time per move.

A position is solved if the agent chooses one of its best moves. The limit is a time, so that the
number differs a little from run to run.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

import spielbaum as sb
from spielbaum.cli.shared.output import speed

DATA = Path(__file__).parents[1] / "tests" / "data" / "chess" / "bratko-kopec.epd"
LINE = re.compile(r'^([^#].*) bm (.*); id "(.*)";$', re.MULTILINE)
# Piece, where it comes from if that is said, where it goes; the collection needs no more of SAN.
SAN = re.compile(r"([KQRBN]?)([a-h]?[1-8]?)x?([a-h][1-8])[+#]?")
PIECES = ".PNBRQKPNBRQK"  # by their numbers in State.cells
ROW = "{:<6} {:<6} {:<8} {:<7} {:>6} {:>6} {:>13} {:>10}"


@dataclass(frozen=True)
class Problem:
    """A position and the moves that solve it, as people and as our chess write them."""

    name: str
    state: sb.State
    best: str
    moves: tuple[str, ...]


def read_problems() -> list[Problem]:
    """The positions of the collection."""
    problems = []
    for position, best, name in LINE.findall(DATA.read_text()):
        state = sb.game("chess").state(position)
        problems.append(
            Problem(name, state, best, tuple(uci_move(state, san) for san in best.split()))
        )
    return problems


def uci_move(state: sb.State, san: str) -> str:
    """The legal move that is written in standard algebraic notation, in UCI."""
    written = SAN.fullmatch(san)
    if written is None:
        raise SystemExit(f"move {san!r}: expected a piece and a square such as Nf3")
    piece, origin, target = written.groups()
    found = [
        move
        for move in map(state.text, state.legal_moves)
        if move[2:] == target and origin in move[:2] and piece_at(state, move[:2]) == (piece or "P")
    ]
    if len(found) != 1:
        raise SystemExit(f"move {san} of {state.notation}: it means {found or 'no legal move'}")
    return found[0]


def piece_at(state: sb.State, square: str) -> str:
    """The letter of the piece on a square, whoever owns it."""
    return PIECES[state.cells["abcdefgh".index(square[0]) + 8 * (int(square[1]) - 1)]]


def main() -> None:
    """Print a line for every position, and how many are solved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="time per move")
    parser.add_argument("--agent", default="alphabeta", help="spec of the agent")
    arguments = parser.parse_args()
    problems = read_problems()
    budget = sb.Budget(seconds=arguments.seconds)
    solved = 0
    print(f"{arguments.agent}, {arguments.seconds:g} s per move")
    print(ROW.format("", "chosen", "best", "", "value", "depth", "nodes", "speed"))
    for problem in problems:
        decision = sb.agent(arguments.agent).choose(problem.state, budget)
        chosen = problem.state.text(decision.move)
        solved += chosen in problem.moves
        nodes = int(decision.stats.get("nodes", 0))
        print(
            ROW.format(
                problem.name,
                chosen,
                problem.best,
                "solved" if chosen in problem.moves else "",
                f"{decision.value:+z.2f}",
                decision.stats.get("depth", "-"),
                f"{nodes:,}",
                speed(nodes, float(decision.stats.get("seconds", 0.0))),
            ),
            flush=True,
        )
    print(f"solved {solved} of {len(problems)}")


if __name__ == "__main__":
    main()
