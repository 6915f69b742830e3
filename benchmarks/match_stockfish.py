"""A match of an agent against Stockfish at a low level, both as UCI engines under the same clock.

Every opening, some random moves from a seed, is played twice with colours swapped. An answer that
comes later than the time of a move and a margin for a busy machine loses the game, as does an
illegal move or the end of the engine.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field

import spielbaum as sb
from spielbaum.agents.uci import UciAgent


@dataclass
class Player:
    """An engine with its record."""

    name: str
    agent: UciAgent
    slowest: float = 0.0
    losses: Counter[str] = field(default_factory=Counter)


def opening(seed: int, plies: int) -> sb.State:
    """A position after random moves in which the game is not over."""
    rng = random.Random(seed)
    while True:
        state = sb.game("chess").initial()
        for _ in range(plies):
            state = state.play(rng.choice(state.legal_moves))
        if state.outcome is None:
            return state


def play(
    state: sb.State, seats: tuple[Player, Player], seconds: float, margin: float
) -> tuple[int | None, str]:
    """The seat that wins, or None for a draw, and how the game ended."""
    for player in seats:
        player.agent.reset()
    while state.outcome is None:
        player = seats[state.to_move]
        try:
            decision = player.agent.choose(state, sb.Budget(seconds=seconds))
        except sb.EngineError as error:
            player.losses["illegal moves" if "bestmove" in str(error) else "failures"] += 1
            return 1 - state.to_move, str(error)
        taken = float(decision.stats["seconds"])
        player.slowest = max(player.slowest, taken)
        if taken > seconds + margin:
            player.losses["losses on time"] += 1
            return 1 - state.to_move, f"an answer after {taken * 1000:.0f} ms"
        state = state.play(decision.move)
    return state.outcome.winner, f"{state.outcome.reason}, {len(state.history)} plies"


def main() -> None:
    """Play the match and print its result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--agent", default="alphabeta")
    parser.add_argument("--skill", type=int, default=0, help="Stockfish's Skill Level, 0 to 20")
    parser.add_argument("--seconds", type=float, default=0.1, help="for each move")
    parser.add_argument("--margin", type=float, default=0.1, help="seconds an answer may be late")
    parser.add_argument("--plies", type=int, default=4, help="random moves of an opening")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    os.environ["PATH"] += ":/usr/games"  # where Debian puts it
    stockfish = shutil.which("stockfish")
    if stockfish is None:
        print("Stockfish is not installed, so there is no match (package: stockfish).")
        return
    command = f"-m spielbaum uci --agent {given.agent}"
    ours = Player(given.agent, UciAgent(sys.executable, command))
    theirs = Player(f"Stockfish skill {given.skill}", UciAgent(stockfish, skill=given.skill))
    points = Counter[str]()
    for number in range(given.games):
        white, black = seats = (ours, theirs) if number % 2 == 0 else (theirs, ours)
        start = opening(given.seed + number // 2, given.plies)
        winner, how = play(start, seats, given.seconds, given.margin)
        result = "drawn" if winner is None else "won" if seats[winner] is ours else "lost"
        points[result] += 1
        pairing = f"{white.name} - {black.name}"
        print(f"game {number + 1} of {given.games}, {pairing}: {result} ({how})", flush=True)
    for player in (ours, theirs):
        player.agent.close()
        record = ", ".join(
            f"{player.losses[kind]} {kind}"
            for kind in ("illegal moves", "losses on time", "failures")
        )
        print(f"{player.name}: {record}; slowest answer {player.slowest * 1000:.0f} ms")
    score = points["won"] + points["drawn"] / 2
    print(
        f"{ours.name} against {theirs.name}, {given.seconds * 1000:g} ms a move: "
        f"{points['won']} won, {points['drawn']} drawn, {points['lost']} lost; "
        f"{score:g} of {given.games} points"
    )


if __name__ == "__main__":
    main()
