"""Games of people from files of game records, as files of games that networks learn from."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE
from spielbaum.base.errors import SpecError, StoreError
from spielbaum.base.lock import take_lock
from spielbaum.games import Game
from spielbaum.games.records import GameTree, read_records
from spielbaum.train.config import read_toml, write_toml
from spielbaum.train.data.games_file import Memory, PlayedGame, Totals
from spielbaum.train.data.recording import check_recorded
from spielbaum.train.run_folder import IMPORTED

FILE_GAMES = 2000
"""Games of a file, at most."""


class RecordFile:
    """Iterate over the games of a file that begin as the game does and have a result.

    Every move counts as what should be played, and the result as what its position is worth. Games
    from other positions, of other games, and with moves that cannot be read are left out.

    >>> import spielbaum as sb
    >>> list(RecordFile(Path("/nowhere/a.pgn"), sb.game("chess")))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: games /nowhere/a.pgn: No such file or directory
    """

    def __init__(self, path: Path, rules: Game) -> None:
        self._path = path
        self._rules = rules
        self.left_out = 0
        """Number of games so far that were left out."""

    def __iter__(self) -> Iterator[PlayedGame]:
        start, found, other = self._rules.initial(), 0, None
        for tree in read_records(self._path):
            fits = tree.start == start and tree.root.children and not tree.errors
            if tree.game != self._rules:
                other = tree.game
            if fits and tree.rewards is not None:
                found += 1
                yield _played(tree, tree.rewards)
            else:
                self.left_out += 1
        if not found and other is not None:
            raise SpecError(f"games {self._path}: it has games of {other}, not of {self._rules}")


@dataclass(frozen=True)
class Imported:
    """What came of reading files of games into a folder."""

    totals: Totals
    """Of the folder."""
    games: int
    """That are new."""
    known: int
    """That had been read before."""
    left_out: int


def import_games(paths: list[Path], folder: Path, rules: Game) -> Imported:
    """Write the games of files of records into a folder of games, behind those that are there.

    The folder remembers how far it has read which files, by what these contain: started again, it
    goes on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    check_recorded(folder, rules)
    with take_lock(folder):
        memory, done = Memory(folder, 1), _read_done(folder)
        known = new = left_out = 0
        for path in paths:
            digest, file = _digest(path), RecordFile(path, rules)
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


def _played(tree: GameTree, rewards: tuple[float, ...]) -> PlayedGame:
    state, played = tree.start, PlayedGame(0, rewards=rewards)
    for move in tree.moves():
        played.policies.append(np.array([each == move for each in state.legal_moves], "f4"))
        played.values.append(rewards[state.to_move])
        played.full.append(True)
        played.proven.append(False)
        played.moves.append(move)
        state = state.play(move)
    return played
