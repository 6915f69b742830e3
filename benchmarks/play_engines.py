"""Games against programs of others by their own protocols: no illegal move, time loss or hang.

``python benchmarks/play_engines.py [PART ...]`` plays the parts of the list below, all of them
without any. What is not installed is said and left out: Debian's packages stockfish, polyglot,
grhino and fairy-stockfish, and npm's @sabaki/gtp and fairy-stockfish-nnue.wasm in build/npm
(``npm install --prefix build/npm @sabaki/gtp fairy-stockfish-nnue.wasm``).
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import chess
import chess.engine

import spielbaum as sb
from spielbaum.agents.agent import Agent
from spielbaum.base.rng import Rng
from spielbaum.engines.process import EngineProcess
from spielbaum.play.random_openings import random_openings
from spielbaum.play.table import Player, Rules, Table, play_one

COMMAND = [sys.executable, "-m", "spielbaum"]
OURS = f"path={sys.executable},startup=60,args=-m spielbaum"
MODULES = Path(__file__).parents[1] / "build" / "npm" / "node_modules"


class Missing(Exception):
    """A program that is not installed."""


def program(name: str, package: str) -> str:
    """The path of a program."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/games")
    if found is None:
        raise Missing(f"{name} is not installed (package: {package})")
    return found


def node() -> str:
    """The path of Node.js."""
    return program("node", "nodejs")


def module(name: str) -> Path:
    """The folder of a package of npm."""
    folder = MODULES / name
    if not folder.is_dir():
        raise Missing(f"{name} is not in {MODULES} (npm install)")
    return folder


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
    openings = list(random_openings(game, plies, (games + 1) // 2, seed, balanced=False))
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

    Ours has as many nodes as its rating is worth, Stockfish 3,000 for a move, and 10,000 from 1700
    on: it decides at a depth of 1, 3 and 5 at these ratings, and needs no more.
    """
    for rating in ratings:
        budgets = (sb.Budget(nodes=100_000), sb.Budget(nodes=3000 if rating < 1700 else 10_000))
        ours = sb.agent(f"uci:{OURS} uci,elo={rating}")
        theirs = sb.agent(f"uci:path={program('stockfish', 'stockfish')},elo={rating}")
        print(f"UCI_Elo {rating}: {series('chess', ours, theirs, games, budgets)}", flush=True)
        for each in (ours, theirs):
            each.reset()


def play_stockfish(games: int, seconds: float = 4.0, increment: float = 0.1) -> None:
    """Ours against Stockfish at its lowest level, with python-chess as referee and real clocks."""
    rival = program("stockfish", "stockfish")
    ours = chess.engine.SimpleEngine.popen_uci([*COMMAND, "uci"], timeout=60)
    theirs = chess.engine.SimpleEngine.popen_uci(rival, timeout=60)
    ours.configure({"Hash": 16, "Move Overhead": 100})
    theirs.configure({"Skill Level": 0, "Move Overhead": 100})
    points, late = Counter[str](), Counter[str]()
    with ours, theirs:
        for number in range(games):
            seats = [ours, theirs] if number % 2 == 0 else [theirs, ours]
            board, clocks = chess.Board(), [seconds, seconds]
            while not board.is_game_over(claim_draw=True) and min(clocks) > 0:
                side = 0 if board.turn else 1
                limit = chess.engine.Limit(
                    white_clock=clocks[0],
                    black_clock=clocks[1],
                    white_inc=increment,
                    black_inc=increment,
                )
                began = time.perf_counter()
                # python-chess raises an error at an illegal move, and if an engine ends.
                board.push(seats[side].play(board, limit, game=number).move)
                clocks[side] += increment - (time.perf_counter() - began)
            if min(clocks) <= 0:
                loser = "ours" if seats[clocks.index(min(clocks))] is ours else "theirs"
                late[loser] += 1
                points[f"{loser} lost on time"] += 1
            else:
                result = board.result(claim_draw=True)
                first = {"1-0": "won", "0-1": "lost"}.get(result, "drawn")
                swapped = {"won": "lost", "lost": "won"}.get(first, first)
                points[first if seats[0] is ours else swapped] += 1
    print(
        f"Stockfish, skill 0, {seconds:g} s + {increment:g} s, python-chess as referee: "
        f"{dict(points)}; no illegal move, {late['ours']} of ours lost on time",
        flush=True,
    )


def play_polyglot(games: int) -> None:
    """PolyGlot as client: it speaks UCI with ours, and xboard's protocol with this program."""
    path = program("polyglot", "polyglot")
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "polyglot.ini")
        settings.write_text(
            "[PolyGlot]\n"
            f"EngineDir = {folder}\nEngineCommand = {' '.join(COMMAND)} uci\n"
            "Log = false\nBook = false\nSave = false\n"
            "[Engine]\nHash = 16\n"
        )
        rng, plies, ends = Rng(1), 0, Counter[str]()
        client = EngineProcess([path, str(settings)])
        with contextlib.closing(client):
            client.send("xboard")
            client.send("protover 2")
            client.await_line(lambda line: "done=1" in line, "its features", 60)
            for number in range(games):
                board = chess.Board()
                for command in ("new", "sd 3", "easy", "go" if number % 2 == 0 else ""):
                    client.send(command)
                while not board.is_game_over(claim_draw=True):
                    if board.turn == (number % 2 == 0):
                        board.push_uci(_xboard_move(client))  # an error if it is not legal
                    else:
                        moves = list(board.legal_moves)
                        board.push(moves[rng.below(len(moves))])
                        client.send(f"usermove {board.peek().uci()}")
                plies += board.ply()
                ends[board.result(claim_draw=True)] += 1
    print(f"PolyGlot as client: {games} games, {plies} plies, {dict(ends)}; no fault", flush=True)


def _xboard_move(client: EngineProcess) -> str:
    """The move that comes next."""
    found: list[str] = []

    def hear(line: str) -> bool:
        words = line.split()
        found.extend(words[1:] if words[:1] == ["move"] else ())
        return bool(found)

    client.await_line(hear, "a move", 60)
    return found[0]


def play_sabaki(games: int) -> None:
    """Sabaki's controller lets two engines of ours play by GTP."""
    script = Path(__file__).with_name("sabaki.js")
    for rules in ("reversi", "hex:size=7", "connect4", "tictactoe"):
        done = subprocess.run(
            [
                *(node(), str(script), str(module("@sabaki/gtp")), str(games)),
                *(*COMMAND, "gtp", rules, "--iterations", "50"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        print(f"@sabaki/gtp, {rules}: {done.stdout.strip() or done.stderr.strip()}", flush=True)


def play_rhino(games: int) -> None:
    """GRhino's levels 1 to 5 by GTP, a fifth of the games each."""
    for level in range(1, 6):
        theirs = sb.agent(f"gtp:path={program('gtp-rhino', 'grhino')},args=-l {level} -b 0")
        budgets = (sb.Budget(nodes=2000 * 2**level), sb.Budget(seconds=1))
        result = series("reversi", sb.agent("alphabeta"), theirs, games // 5, budgets)
        print(f"gtp-rhino, level {level}: {result}", flush=True)
        theirs.reset()


def play_ugi(games: int) -> None:
    """``ugi:`` with ``spielbaum ugi`` for every game of two players."""
    budget = sb.Budget(nodes=60, iterations=60)
    for name in sb.games():
        if sb.game(name).num_players == 2:
            theirs = sb.agent(f"ugi:{OURS} ugi {name}")
            result = series(name, sb.agent("uct"), theirs, games, (budget, budget), plies=2)
            print(f"ugi, {name}: {result}", flush=True)
            theirs.reset()


def play_nboard(games: int) -> None:
    """``nboard:`` with ``spielbaum nboard``; programs of others are not packaged."""
    theirs = sb.agent(f"nboard:{OURS} nboard,depth=2")
    result = series("reversi", sb.agent("alphabeta"), theirs, games, (sb.Budget(depth=2),) * 2)
    print(f"nboard: {result}", flush=True)
    theirs.reset()


def play_fairy(games: int) -> None:
    """Fairy-Stockfish: tic-tac-toe by Debian's, Reversi by that for node."""
    variants = Path(__file__).with_name("variants.ini")
    budgets = (sb.Budget(nodes=5000, iterations=2000), sb.Budget(nodes=5000))
    debian = f"uci:path={program('fairy-stockfish', 'fairy-stockfish')}"
    theirs = sb.agent(f"{debian},variant=tictactoe,variants={variants}")
    result = series("tictactoe", sb.agent("mcts"), theirs, games, budgets, plies=1)
    print(f"Fairy-Stockfish, tic-tac-toe: {result}", flush=True)
    theirs.reset()
    script, folder = Path(__file__).with_name("fairy.js"), module("fairy-stockfish-nnue.wasm")
    wasm = f"uci:path={node()},startup=90,args=--no-experimental-fetch {script} {folder}"
    theirs = sb.agent(f"{wasm},variant=flipello")
    result = series("reversi", sb.agent("alphabeta"), theirs, games, budgets, plies=2)
    print(f"Fairy-Stockfish for node, reversi: {result}", flush=True)
    theirs.reset()


def count_chess960(positions: int) -> None:
    """Perft to depth 4 of starting positions of Chess960 beside python-chess's."""

    def perft(board: chess.Board, depth: int) -> int:
        if depth == 1:
            return board.legal_moves.count()
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += perft(board, depth - 1)
            board.pop()
        return total

    wrong = nodes = 0
    for index in range(positions):
        board = chess.Board.from_chess960_pos(index * 960 // positions)
        shredder, x_fen = board.shredder_fen(), board.fen()
        counts = {sb.perft(sb.game("chess").state(fen), 4) for fen in (shredder, x_fen)}
        expected = perft(board, 4)
        nodes += expected
        if counts != {expected}:
            wrong += 1
            print(f"  {shredder}: {counts}, not {expected}", flush=True)
    print(f"Chess960: {positions} positions, {nodes} nodes at depth 4, {wrong} wrong", flush=True)


PARTS: dict[str, tuple[Callable[[int], None], int]] = {
    "chess960": (count_chess960, 200),
    "stockfish": (play_stockfish, 100),
    "polyglot": (play_polyglot, 10),
    "sabaki": (play_sabaki, 10),
    "rhino": (play_rhino, 100),
    "ugi": (play_ugi, 100),
    "nboard": (play_nboard, 20),
    "fairy": (play_fairy, 20),
    "elo": (play_elo, 200),
}
"""What is played, and how many games."""


def main() -> None:
    """Play what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--games", type=int, help="instead of the usual number")
    given = parser.parse_args()
    for part in given.parts or PARTS:
        play, games = PARTS[part]
        try:
            play(given.games or games)
        except Missing as missing:
            print(f"{part}: {missing}, so it is left out.", flush=True)


if __name__ == "__main__":
    main()
