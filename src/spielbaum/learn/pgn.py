"""Games of people from PGN files, as files of games that networks learn from.

Reading PGN is python-chess's work (``pip install spielbaum[chess]``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from spielbaum.errors import IllegalMove, NotationError, SpecError
from spielbaum.games.game import game
from spielbaum.learn.alphazero.games_file import Memory, PlayedGame, Totals
from spielbaum.learn.run_lock import take_lock

REWARDS = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), "1/2-1/2": (0.0, 0.0)}
FILE_GAMES = 2000
"""Games of a file, at most."""


def read_pgn(path: Path) -> Iterator[PlayedGame]:
    """The games of a file that begin as chess does and have a result, one after the other.

    Every move counts as what should be played, and the result as what its position is worth. Games
    from other positions, of other kinds of chess, and with moves that cannot be read are left out.

    >>> list(read_pgn(Path("/nowhere/a.pgn")))
    Traceback (most recent call last):
        ...
    spielbaum.errors.SpecError: games /nowhere/a.pgn: No such file or directory
    """
    try:
        import chess.pgn
    except ImportError:
        raise SpecError("reading PGN needs python-chess: pip install spielbaum[chess]") from None
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            while (found := chess.pgn.read_game(file)) is not None:
                plain = found.headers.get("Variant", "Standard").lower() in ("standard", "chess")
                rewards = REWARDS.get(found.headers.get("Result", "*"))
                if plain and rewards and "FEN" not in found.headers and not found.errors:
                    moves = [move.uci() for move in found.mainline_moves()]
                    played = _played(moves, rewards)
                    if played is not None:
                        yield played
    except OSError as error:
        raise SpecError(f"games {path}: {error.strerror or error}") from None


def import_pgn(paths: list[Path], folder: Path) -> Totals:
    """Write the games of PGN files into a folder of games, behind those that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    with take_lock(folder):
        memory = Memory(folder, 1)
        for path in paths:
            games = read_pgn(path)
            while some := [played for _, played in zip(range(FILE_GAMES), games, strict=False)]:
                new = Totals(len(some), sum(len(each.values) for each in some))
                memory.add(some, 0, memory.totals + new)
        return memory.totals


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
