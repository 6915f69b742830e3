"""GNU Go on 9x9 against `uct` on OpenSpiel's Go: two programs of others meet through ours.

    apt install gnugo; pip install 'spielbaum[openspiel]'
    python benchmarks/match_gnugo.py --games 20

GNU Go is an agent (`gtp:`), the rules are OpenSpiel's (area scoring, komi 7.5), and the referee is
that of the arena. A game that does not end by the rules (an illegal move, a timeout, an engine that
hangs or dies) is an error. It says nothing of the strength of `uct`, which gets few iterations.
"""

import argparse
import shutil
from collections import Counter

from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameTask, Players, Seat, play_game

GAME = "openspiel:name=go,board_size=9"
ARGUMENTS = "--mode gtp --chinese-rules --never-resign --capture-all-dead"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=20, help="of uct for a move")
    parser.add_argument("--level", type=int, default=1, help="of GNU Go")
    arguments = parser.parse_args()
    program = shutil.which("gnugo", path="/usr/games:/usr/bin:/usr/local/bin")
    if program is None:
        raise SystemExit("gnugo is not installed: apt install gnugo")
    gnugo = f"gtp:path={program},args={ARGUMENTS} --level {arguments.level}"
    limits = {gnugo: Limits(), "uct": Limits(iterations=arguments.iterations)}
    players, won, ends, plies = Players(), Counter(), Counter(), 0
    for number in range(arguments.games):
        specs = [gnugo, "uct"][:: 1 if number % 2 == 0 else -1]
        seats = tuple(Seat(spec, limits[spec], number) for spec in specs)
        record = play_game(GameTask(GAME, seats, number=number), players)
        ends[record.ended_by] += 1
        plies += len(record.moves)
        won["draw" if record.winner is None else specs[record.winner].partition(":")[0]] += 1
        if record.ended_by != "rules":
            print(f"game {number}: {record.ended_by}: {record.reason}", flush=True)
    print(f"{arguments.games} games, {plies} plies; ended by {dict(ends)}; won by {dict(won)}")
    if set(ends) != {"rules"}:
        raise SystemExit("not all games ended by the rules")


if __name__ == "__main__":
    main()
