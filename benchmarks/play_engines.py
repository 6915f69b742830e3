"""Games against programs of others by their own protocols: no illegal move, time loss or hang.

``python benchmarks/play_engines.py [PART ...]`` plays the parts of the list below, all of them
without any. What is not installed is said and left out: Debian's packages stockfish, polyglot,
grhino and fairy-stockfish, and npm's @sabaki/gtp and fairy-stockfish-nnue.wasm, whose folder
node_modules is named by ``--modules``.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import spielbaum as sb
from spielbaum.agents.agent import Agent
from spielbaum.play.random_openings import random_openings
from spielbaum.play.table import Player, Rules, Table, play_one

OURS = f"path={sys.executable},args=-m spielbaum"


class Missing(Exception):
    """A program that is not installed."""


def program(name: str, package: str) -> str:
    """The path of a program."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/games")
    if found is None:
        raise Missing(f"{name} is not installed (package: {package})")
    return found


def elo_text(points: Sequence[float]) -> str:
    """The difference in Elo that results say, with 95 %."""
    games = len(points)
    mean = sum(points) / games
    error = math.sqrt(sum((each - mean) ** 2 for each in points)) / games

    def elo(share: float) -> float:
        share = min(max(share, 0.5 / games), 1 - 0.5 / games)
        return -400 * math.log10(1 / share - 1)

    low, high = elo(mean - 1.96 * error), elo(mean + 1.96 * error)
    return f"{elo(mean):+.0f} Elo [{low:+.0f}, {high:+.0f}]"


def series(
    rules: str,
    ours: Agent,
    theirs: Agent,
    games: int,
    budgets: tuple[sb.Budget, sb.Budget],
    plies: int = 4,
    seed: int = 1,
) -> str:
    """Play games in pairs from the same opening with swapped sides, and say how they ended.

    Engines run on from game to game, as under any tournament manager. What one of them does wrong
    loses the game and is counted.
    """
    game = sb.game(rules)
    openings = list(random_openings(game, plies, (games + 1) // 2, seed))
    points, faults = [], Counter[str]()
    for number in range(games):
        state = game.initial()
        for move in openings[number // 2]:
            state = state.play(move)
        seats = [Player(ours, budgets[0]), Player(theirs, budgets[1])]
        first = number % 2
        table = Table(state, seats if first == 0 else seats[::-1], Rules())
        result = play_one(table)
        points.append((result.rewards[first] + 1) / 2)
        if result.ended_by != "rules":
            loser = "ours" if result.rewards[first] < 0 else "theirs"
            faults[f"{loser}: {result.ended_by}"] += 1
            print(f"  game {number + 1}: {loser}: {result.reason}", flush=True)
    won, drawn = points.count(1.0), points.count(0.5)
    troubles = ", ".join(f"{count} {kind}" for kind, count in faults.items()) or "no faults"
    return f"{won} won, {drawn} drawn, {games - won - drawn} lost, {elo_text(points)}; {troubles}"


def play_elo(games: int, ratings: Sequence[int] = (1400, 1600, 1800)) -> None:
    """UCI_Elo of ours against Stockfish's at the same figure.

    Both have 40,000 nodes for a move at most. Stockfish decides at a depth of 1 to 5 at these
    ratings and does not need them; ours has as many as its rating is worth.
    """
    budget = sb.Budget(nodes=40_000)
    for rating in ratings:
        ours = sb.agent(f"uci:{OURS} uci,elo={rating}")
        theirs = sb.agent(f"uci:path={program('stockfish', 'stockfish')},elo={rating}")
        print(f"UCI_Elo {rating}: {series('chess', ours, theirs, games, (budget, budget))}")
        for each in (ours, theirs):
            each.reset()


PARTS: dict[str, tuple[Callable[[int], None], int]] = {
    "elo": (play_elo, 200),
}
"""What is played, and how many games."""


def main() -> None:
    """Play what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--games", type=int, help="instead of the usual number")
    parser.add_argument("--modules", type=Path, default=Path("node_modules"))
    parser.add_argument("--ratings", type=int, nargs="*", default=(1400, 1600, 1800))
    given = parser.parse_args()
    for part in given.parts or PARTS:
        play, games = PARTS[part]
        try:
            play(given.games or games)
        except Missing as missing:
            print(f"{part}: {missing}, so it is left out.")


if __name__ == "__main__":
    main()
