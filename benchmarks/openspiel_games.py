"""Ten games of OpenSpiel under `uct` and `alphabeta`, whose results must be OpenSpiel's own.

    python benchmarks/openspiel_games.py --games 100

Every game is played by the arena's referee, once with `uct` and once with `alphabeta` as the first
player. Its moves are then replayed by OpenSpiel alone, whose returns must be the rewards of the
record; and `check_game` checks the laws on random games.
"""

import argparse
import time

import spielbaum as sb
from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameTask, Seat, play_game
from spielbaum.testing import check_game

GAMES = (
    *("hex,board_size=7", "breakthrough,rows=6,columns=6", "go,board_size=5", "pentago"),
    *("y,board_size=7", "havannah,board_size=4", "checkers", "amazons,board_size=6", "clobber"),
    "nine_mens_morris",
)


def replayed(rules, moves):
    """What OpenSpiel returns after these moves, without anything of ours but their numbers."""
    state, theirs = rules.initial(), rules._python.game.new_initial_state()
    for move in moves:
        action = state.parse(move)
        assert action in theirs.legal_actions()
        state = state.play(action)
        theirs.apply_action(action)
    assert theirs.is_terminal()
    return tuple(theirs.returns())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=8, help="of uct for a move")
    parser.add_argument("--depth", type=int, default=1, help="of alphabeta")
    parser.add_argument("--laws", type=int, default=2, help="random games for check_game")
    parser.add_argument("--only", choices=[each.split(",")[0] for each in GAMES])
    arguments = parser.parse_args()
    limits = {
        "uct": Limits(iterations=arguments.iterations),
        "alphabeta": Limits(depth=arguments.depth),
    }
    print("game                            games  wins uct  draws  plies  errors  positions    s")
    for written in GAMES:
        if arguments.only not in (None, written.split(",")[0]):
            continue
        began = time.perf_counter()
        rules = sb.game(f"openspiel:name={written}")
        won = draws = plies = errors = 0
        for number in range(arguments.games):
            names = ["uct", "alphabeta"][:: 1 if number % 2 == 0 else -1]
            seats = tuple(Seat(name, limits[name], number) for name in names)
            record = play_game(GameTask(str(rules), seats, number=number))
            errors += record.ended_by != "rules"
            if replayed(rules, record.moves) != record.rewards:
                raise SystemExit(f"{rules}: {record.moves} gave {record.rewards}")
            plies += len(record.moves)
            draws += record.winner is None
            won += record.winner is not None and names[record.winner] == "uct"
        positions = check_game(rules, games=arguments.laws)
        print(
            f"{written:30} {arguments.games:6} {won:9} {draws:6} {plies:6} {errors:7} "
            f"{positions:10} {time.perf_counter() - began:4.0f}",
            flush=True,
        )
        if errors:
            raise SystemExit(f"{rules}: {errors} games were not ended by the rules")


if __name__ == "__main__":
    main()
