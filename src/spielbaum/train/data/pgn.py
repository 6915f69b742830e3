"""Games of people from PGN files, as files of games that networks learn from.

Reading PGN is python-chess's work (``pip install spielbaum[chess]``).
"""

from __future__ import annotations

import hashlib
import itertools
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE
from spielbaum.base.errors import IllegalMove, NotationError, SpecError, StoreError
from spielbaum.base.lock import take_lock
from spielbaum.games.game import game
from spielbaum.train.config import read_toml, write_toml
from spielbaum.train.data.games_file import Memory, PlayedGame, Totals
from spielbaum.train.data.recording import check_recorded
from spielbaum.train.run_folder import IMPORTED

if TYPE_CHECKING:
    import chess.pgn

REWARDS = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), "1/2-1/2": (0.0, 0.0)}
FILE_GAMES = 2000
"""Games of a file, at most."""


class PgnFile:
    """The games of a file that begin as chess does and have a result, one after the other.

    Every move counts as what should be played, and the result as what its position is worth. Games
    from other positions, of other kinds of chess, and with moves that cannot be read are left out.

    >>> list(PgnFile(Path("/nowhere/a.pgn")))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: games /nowhere/a.pgn: No such file or directory
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.left_out = 0
        """Games so far that were left out."""

    def __iter__(self) -> Iterator[PlayedGame]:
        try:
            import chess.pgn
        except ImportError:
            raise SpecError(
                "reading PGN needs python-chess: pip install spielbaum[chess]"
            ) from None
        # What cannot be read is counted; its own words about it have no place among ours.
        logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
        try:
            with self._path.open(encoding="utf-8", errors="replace") as file:
                while True:
                    try:
                        found = chess.pgn.read_game(file)
                    except (IndexError, KeyError, ValueError, AssertionError, AttributeError):
                        self.left_out += 1  # it stumbles over brackets that nobody opened
                        continue
                    if found is None:
                        return
                    played = _read(found)
                    if played is None:
                        self.left_out += 1
                    else:
                        yield played
        except OSError as error:
            raise SpecError(f"games {self._path}: {error.strerror or error}") from None


@dataclass(frozen=True)
class Imported:
    """What came of reading PGN files into a folder."""

    totals: Totals
    """Of the folder."""
    games: int
    """That are new."""
    known: int
    """That had been read before."""
    left_out: int


def import_pgn(paths: list[Path], folder: Path) -> Imported:
    """Write the games of PGN files into a folder of games, behind those that are there.

    The folder remembers how far it has read which files, by what these contain: started again, it
    goes on.
    """
    rules = game("chess")
    folder.mkdir(parents=True, exist_ok=True)
    check_recorded(folder, rules)
    with take_lock(folder):
        memory, done = Memory(folder, 1), _read_done(folder)
        known = new = left_out = 0
        for path in paths:
            digest, file = _digest(path), PgnFile(path)
            games = iter(file)
            known += sum(1 for _ in itertools.islice(games, done.get(digest, 0)))
            while some := list(itertools.islice(games, FILE_GAMES)):
                positions = sum(len(each.values) for each in some)
                memory.add(some, 0, memory.totals + Totals(len(some), positions))
                new += len(some)
                done[digest] = done.get(digest, 0) + len(some)
                told = {"game": str(rules), "games": done}
                write_atomically(folder / IMPORTED, write_toml(told).encode())
            left_out += file.left_out
        if not new and not known:
            raise SpecError(f"there are no games in {', '.join(map(str, paths))}")
        return Imported(memory.totals, new, known, left_out)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SpecError(f"games {path}: {error.strerror or error}") from None


def _read_done(folder: Path) -> dict[str, int]:
    """How many games of which files a folder has."""
    path = folder / IMPORTED
    known = read_toml(path).get("games", {}) if path.exists() else {}
    try:
        return {str(digest): int(games) for digest, games in known.items()}
    except DAMAGE:
        raise StoreError(f"games {folder}: its {IMPORTED} is damaged") from None


def _read(found: chess.pgn.Game) -> PlayedGame | None:
    plain = found.headers.get("Variant", "Standard").lower() in ("standard", "chess")
    rewards = REWARDS.get(found.headers.get("Result", "*"))
    if not plain or rewards is None or "FEN" in found.headers or found.errors:
        return None
    return _played([move.uci() for move in found.mainline_moves()], rewards)


def _played(moves: list[str], rewards: tuple[float, float]) -> PlayedGame | None:
    state, played = game("chess").initial(), PlayedGame(0, rewards=rewards)
    try:
        for text in moves:
            move = state.parse(text)
            played.policies.append(np.array([each == move for each in state.legal_moves], "f4"))
            played.values.append(rewards[state.to_move])
            played.full.append(True)
            played.proven.append(False)
            played.moves.append(move)
            state = state.play(move)
    except (IllegalMove, NotationError):
        return None
    return played if played.moves else None
