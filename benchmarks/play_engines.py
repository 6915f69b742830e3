"""Games against programs of others by their own protocols: no illegal move, time loss or hang.

``python benchmarks/play_engines.py [PART ...]`` plays the parts of the list below, all of them
without any, and fails if one of them does. What is not installed is said and left out; the other
parts do not fail for that. ``benchmarks/install_engines.sh`` installs Debian's packages stockfish,
polyglot, grhino, gnugo and fairy-stockfish, and npm's @sabaki/gtp and fairy-stockfish-nnue.wasm.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import chess
import chess.engine

import spielbaum as sb
from spielbaum.base.rng import Rng
from spielbaum.base.statistics import Score, elo_difference, elo_estimate, share_estimate
from spielbaum.engines.process import EngineProcess
from spielbaum.play.random_openings import random_openings
from spielbaum.play.table import Player, Rules, Table, Turn, Watcher, play_one

COMMAND = [sys.executable, "-m", "spielbaum"]
OURS = f"path={sys.executable},startup=60,args=-m spielbaum"
MODULES = Path(__file__).parents[1] / "build" / "npm" / "node_modules"

Findings: TypeAlias = Iterator[tuple[str, bool]]
"""What a part has to say, line by line, and whether that is as it should be."""


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


@dataclass
class Results(Watcher):
    """Games of ours against another program: what they gave, and what went wrong in them."""

    score: Score = field(default_factory=lambda: Score(0, 0, 0))
    faults: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    """Seconds of the longest answer of an outside program."""

    def played(self, turn: Turn, decision: sb.Decision, move: int, seconds: float) -> None:
        """Note how long an answer of an outside program took."""
        if "engine" in decision.stats:
            self.slowest = max(self.slowest, seconds)

    def add(self, reward: float, fault: str = "") -> None:
        """Count a game that was worth a reward for ours; a ``fault`` is what lost it."""
        self.score += Score(reward > 0, reward == 0, reward < 0)
        if fault:
            loser = "ours" if reward < 0 else "theirs"
            self.faults[f"{loser}: {fault}"] += 1
            print(f"  game {self.score.games}: {loser}: {fault}", flush=True)

    @property
    def finding(self) -> tuple[str, bool]:
        """The score with its interval of 95 %; no game may have a fault."""
        score, faults = self.score, self.faults
        troubles = ", ".join(f"{count} {kind}" for kind, count in faults.items()) or "no faults"
        elo = f"{elo_estimate(share_estimate(score)):+.0f} Elo"
        text = f"{score.wins} won, {score.draws} drawn, {score.losses} lost, {elo}; {troubles}"
        slowest = f", slowest answer {self.slowest:.2f} s" if self.slowest else ""
        return f"{text}{slowest}", not faults


def series(
    rules: str,
    ours: str,
    theirs: str,
    games: int,
    budgets: tuple[sb.Budget, sb.Budget],
    plies: int = 4,
) -> Results:
    """Play games in pairs from the same opening with swapped sides.

    Engines run on from game to game, as under any tournament manager. What one of them does wrong
    loses the game and is counted.
    """
    game, agents = sb.game(rules), [sb.agent(ours), sb.agent(theirs)]
    openings = list(random_openings(game, plies, (games + 1) // 2, seed=1, balanced=False))
    results = Results()
    for number in range(games):
        state = game.initial()
        for move in openings[number // 2]:
            state = state.play(move)
        seats = [Player(*each) for each in zip(agents, budgets, strict=True)]
        seat = number % 2
        seats = seats if seat == 0 else seats[::-1]
        ended = play_one(Table(state, seats, Rules(), [results]))
        fault = "" if ended.ended_by == "rules" else f"{ended.ended_by} ({ended.reason})"
        results.add(ended.rewards[seat], fault)
    for each in agents:
        each.reset()
    return results


def play_elo(games: int, ratings: Sequence[int] = (1400, 1600, 1800)) -> Findings:
    """UCI_Elo of ours against Stockfish's at the same figure: within 100.

    Ours has as many nodes as its rating is worth, Stockfish 3,000 for a move, and 10,000 from 1700
    on: it decides at a depth of 1, 3 and 5 at these ratings, and needs no more.
    """
    stockfish = program("stockfish", "stockfish")
    for rating in ratings:
        budgets = (sb.Budget(nodes=100_000), sb.Budget(nodes=3000 if rating < 1700 else 10_000))
        ours, theirs = f"uci:{OURS} uci,elo={rating}", f"uci:path={stockfish},elo={rating}"
        results = series("chess", ours, theirs, games, budgets)
        text, good = results.finding
        near = abs(elo_difference(results.score.share())) <= 100
        yield f"UCI_Elo {rating}: {text}", good and near


def play_stockfish(games: int, seconds: float = 4.0, increment: float = 0.1) -> Findings:
    """Ours against Stockfish at its lowest level, with python-chess as referee and real clocks."""
    rival = program("stockfish", "stockfish")
    ours = chess.engine.SimpleEngine.popen_uci([*COMMAND, "uci"], timeout=60)
    theirs = chess.engine.SimpleEngine.popen_uci(rival, timeout=60)
    ours.configure({"Hash": 16, "Move Overhead": 100})
    theirs.configure({"Skill Level": 0, "Move Overhead": 100})
    results, least = Results(), {ours: seconds, theirs: seconds}
    with ours, theirs:
        for number in range(games):
            seats = [ours, theirs] if number % 2 == 0 else [theirs, ours]
            board, clocks, late = chess.Board(), [seconds, seconds], False
            while not late and not board.is_game_over(claim_draw=True):
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
                clocks[side] -= time.perf_counter() - began
                late = clocks[side] < 0
                least[seats[side]] = min(least[seats[side]], clocks[side])
                clocks[side] += increment
            # Who was late has moved already, so that it is the other's turn.
            winner = board.turn if late else board.outcome(claim_draw=True).winner
            reward = 0 if winner is None else 1 if seats[0 if winner else 1] is ours else -1
            results.add(reward, "time" if late else "")
    text, good = results.finding
    yield (
        f"Stockfish, skill 0, {seconds:g} s + {increment:g} s, python-chess as referee: {text}; "
        f"least time on the clock {least[ours]:.2f} s of ours, {least[theirs]:.2f} s of theirs",
        good,
    )


def play_polyglot(games: int) -> Findings:
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
    # An illegal move, and an answer that does not come, would have been an error.
    yield f"PolyGlot as client: {games} games, {plies} plies, {dict(ends)}; no faults", True


def _xboard_move(client: EngineProcess) -> str:
    """The move that comes next."""
    found: list[str] = []

    def hear(line: str) -> bool:
        words = line.split()
        found.extend(words[1:] if words[:1] == ["move"] else ())
        return bool(found)

    client.await_line(hear, "a move", 60)
    return found[0]


def play_sabaki(games: int) -> Findings:
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
        said = done.stdout.strip() or done.stderr.strip()
        yield f"@sabaki/gtp, {rules}: {said}", done.returncode == 0


def play_rhino(games: int) -> Findings:
    """GRhino's levels 1 to 5 by GTP.

    It thinks as long as its level takes: at level 5 more than a minute for a move is no hang, and a
    game takes a quarter of an hour and more, so that there is only one.
    """
    rhino = program("gtp-rhino", "grhino")
    for level, share in enumerate((25, 25, 25, 24, 1), start=1):
        budgets = (sb.Budget(nodes=2000 * 2**level), sb.Budget(seconds=1))
        theirs = f"gtp:path={rhino},args=-l {level} -b 0,patience=900"
        text, good = series("reversi", "alphabeta", theirs, games * share // 100, budgets).finding
        yield f"gtp-rhino, level {level}: {text}", good


def play_gnugo(games: int) -> Findings:
    """GNU Go on 9x9 against ``uct`` on OpenSpiel's Go: two programs of others meet through ours.

    The rules are area scoring with a komi of 7.5. It says nothing of the strength of ``uct``.
    """
    words = "--mode gtp --chinese-rules --never-resign --capture-all-dead --level 1"
    theirs = f"gtp:path={program('gnugo', 'gnugo')},args={words}"
    budgets = (sb.Budget(iterations=20), sb.Budget(seconds=1))
    rules = "openspiel:name=go,board_size=9"
    text, good = series(rules, "uct", theirs, games, budgets, plies=2).finding
    yield f"GNU Go, 9x9: {text}", good


def play_ugi(games: int) -> Findings:
    """``ugi:`` with ``spielbaum ugi`` for every game of two players."""
    budgets = (sb.Budget(nodes=60, iterations=60),) * 2
    for name in sb.games():
        if sb.game(name).num_players == 2:
            theirs = f"ugi:{OURS} ugi {name}"
            text, good = series(name, "uct", theirs, games, budgets, plies=2).finding
            yield f"ugi, {name}: {text}", good


def play_nboard(games: int) -> Findings:
    """``nboard:`` with ``spielbaum nboard``; programs of others are not packaged."""
    theirs, budgets = f"nboard:{OURS} nboard,depth=2", (sb.Budget(depth=2),) * 2
    text, good = series("reversi", "alphabeta", theirs, games, budgets).finding
    yield f"nboard: {text}", good


def play_fairy(games: int) -> Findings:
    """Fairy-Stockfish: tic-tac-toe by Debian's, Reversi by that for node."""
    variants = Path(__file__).with_name("variants.ini")
    budgets = (sb.Budget(nodes=5000, iterations=2000), sb.Budget(nodes=5000))
    debian = f"uci:path={program('fairy-stockfish', 'fairy-stockfish')}"
    theirs = f"{debian},variant=tictactoe,variants={variants}"
    text, good = series("tictactoe", "mcts", theirs, games, budgets, plies=1).finding
    yield f"Fairy-Stockfish, tic-tac-toe: {text}", good
    script, folder = Path(__file__).with_name("fairy.js"), module("fairy-stockfish-nnue.wasm")
    wasm = f"uci:path={node()},startup=90,args=--no-experimental-fetch {script} {folder}"
    theirs = f"{wasm},variant=flipello"
    text, good = series("reversi", "alphabeta", theirs, games, budgets, plies=2).finding
    yield f"Fairy-Stockfish for node, reversi: {text}", good


def count_chess960(positions: int) -> Findings:
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
    yield f"Chess960: {positions} positions, {nodes} nodes at depth 4, {wrong} wrong", not wrong


PARTS: dict[str, tuple[Callable[[int], Findings], int]] = {
    "chess960": (count_chess960, 200),
    "stockfish": (play_stockfish, 100),
    "polyglot": (play_polyglot, 10),
    "sabaki": (play_sabaki, 10),
    "rhino": (play_rhino, 100),
    "gnugo": (play_gnugo, 20),
    "ugi": (play_ugi, 100),
    "nboard": (play_nboard, 20),
    "fairy": (play_fairy, 20),
    "elo": (play_elo, 200),
}
"""What is played, and how many games."""


def main() -> None:
    """Play what was asked for; the exit code is 1 if something was not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--games", type=int, help="instead of the usual number")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; choose {', '.join(PARTS)}")
    failed = []
    for part in given.parts or PARTS:
        play, games = PARTS[part]
        try:
            for text, good in play(given.games or games):
                print(f"{'pass' if good else 'FAIL'}  {text}", flush=True)
                failed += [] if good else [part]
        except Missing as missing:
            print(f"skip  {part}: {missing}, so it is left out.", flush=True)
        except (sb.EngineError, chess.engine.EngineError, ValueError) as error:
            print(f"FAIL  {part}: {error}", flush=True)
            failed.append(part)
    sys.exit(f"failed: {', '.join(dict.fromkeys(failed))}" if failed else 0)


if __name__ == "__main__":
    main()
