"""How deep alpha-beta's family looks in ReversiXT in a second of processor time, map by map.

Positions are taken from random games: a quarter, a half and three quarters through the first phase,
and the first of the second one. Processor time is that of this process, so that other programs on
the machine do not matter much. The table has the depth of the last search that was finished, and
thousands of positions visited in a second.
"""

from __future__ import annotations

import argparse
import random
import threading
import time

import spielbaum as sb

PLACES = (0.25, 0.5, 0.75)


def positions(rules: sb.Game, seed: int) -> list[sb.State]:
    """The positions of one random game; the last one is in the bombing phase, if there is any."""
    chance = random.Random(seed)
    state, colouring, bombing = rules.initial(), [], []
    while state.outcome is None:
        (colouring if state.details["phase"] == (1,) else bombing).append(state)
        state = state.play(chance.choice(state.legal_moves))
    return [colouring[int(place * len(colouring))] for place in PLACES] + bombing[:1]


def look(spec: str, state: sb.State, seconds: float) -> tuple[int, float]:
    """The depth that was finished, and thousands of nodes per second of processor time."""
    token, done = sb.StopToken(), threading.Event()
    began = time.process_time()

    def watch() -> None:
        while not done.wait(0.005):
            if time.process_time() - began >= seconds:
                token.stop()

    watcher = threading.Thread(target=watch)
    watcher.start()
    decision = sb.agent(spec).choose(state, sb.Budget(stop=token))
    done.set()
    watcher.join()
    used = time.process_time() - began
    return int(decision.stats["depth"]), int(decision.stats["nodes"]) / used / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--maps", default="map47,map5,map31,map24,map28,map53")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("map      players cells  search    depth at 1/4, 1/2, 3/4, bombing   thousand nodes/s")
    for name in given.maps.split(","):
        rules = sb.game(f"reversixt:map={name}")
        cells = sum(cell != 10 for cell in rules.initial().cells)
        modes = ("paranoid", "maxn", "brs", "brs+") if rules.num_players > 2 else ("paranoid",)
        for mode in modes:
            found = [
                look(f"alphabeta:multi={mode}", state, given.seconds)
                for state in positions(rules, given.seed)
            ]
            depths = "  ".join(f"{depth:>2}" for depth, _ in found)
            speeds = "  ".join(f"{speed:.0f}" for _, speed in found)
            print(
                f"{name:<8} {rules.num_players:>7} {cells:>5}  {mode:<9} {depths:<33} {speeds}",
                flush=True,
            )


if __name__ == "__main__":
    main()
