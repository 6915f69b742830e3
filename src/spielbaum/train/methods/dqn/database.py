"""Games of masters: where they come from, and how often a network plays as they did.

Where a configuration names no games, those of a teacher may stand in (`record_teacher`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spielbaum.base.errors import IllegalMove, SpecError
from spielbaum.train.data.games_file import Memory, PlayedGame, positions_of, read_games
from spielbaum.train.data.imports import RecordFile
from spielbaum.train.data.recording import Progress, Recording, check_recorded, record
from spielbaum.train.methods.dqn.config import Database, DqnConfig
from spielbaum.train.methods.dqn.playing import QValues

if TYPE_CHECKING:
    from spielbaum.games import Game, State


DRAWN = 10
"""First plies of the teacher's games that are drawn by its policy, so that openings differ."""


def teacher_recording(config: DqnConfig) -> Recording:
    """Return how games of the teacher are recorded, which stand in where none are named.

    Raises `SpecError` if the teacher cannot play, such as an engine that is not installed.

    >>> from spielbaum.train.methods.dqn.config import read_config
    >>> database = {"rounds": 1, "teacher": "random"}
    >>> teacher_recording(read_config({"game": "tictactoe", "database": database})).teacher
    'random'
    """
    settings = config.database
    recording = Recording(
        config.game,
        settings.teacher,
        settings.teacher_limits,
        opening=0,
        drawn=DRAWN,
        noise=0.0,
        max_plies=config.play.max_plies,
        seed=config.seed,
    )
    try:
        recording.check()
    except SpecError as error:
        raise SpecError(
            f"database.rounds = {settings.rounds}: no games are named (--games FILE.pgn), and "
            f"those of {settings.teacher} cannot stand in: {error}"
        ) from None
    return recording


def record_teacher(
    config: DqnConfig, folder: Path, report: Callable[[Progress], None] | None = None
) -> Database:
    """Record the games of the teacher in a folder; returns the database that names them.

    A recording that was interrupted goes on.

    >>> import tempfile
    >>> from spielbaum.train.methods.dqn.config import read_config
    >>> database = {"rounds": 1, "teacher": "random", "teacher_positions": 20}
    >>> config = read_config({"game": "tictactoe", "database": database})
    >>> with tempfile.TemporaryDirectory() as name:
    ...     games = load_database(record_teacher(config, Path(name)), config.rules())
    >>> sum(len(each.moves) for each in games) >= 20
    True
    """
    settings = config.database
    record(teacher_recording(config), folder, settings.teacher_positions, report=report)
    return settings.model_copy(update={"games": (str(folder),)})


def load_database(config: Database, game: Game) -> list[PlayedGame]:
    """The games that a configuration names, up to as many positions as it wants.

    >>> import spielbaum as sb
    >>> load_database(Database(games=("/nowhere",)), sb.game("chess"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: database.games: there are no games in /nowhere
    """
    if config.rounds and not config.games:
        raise SpecError(
            f"database.rounds = {config.rounds}: there are no games to learn from; "
            "give --games PATH"
        )
    found: list[PlayedGame] = []
    positions = 0
    for name in config.games:
        before = len(found)
        for played in _games_of(Path(name).expanduser(), game):
            if positions >= config.most:
                return found
            found.append(played)
            positions += len(played.moves) - played.first
        if len(found) == before:
            raise SpecError(f"database.games: there are no games in {name}")
    return found


def _games_of(path: Path, game: Game) -> Iterator[PlayedGame]:
    if not path.is_dir():
        yield from RecordFile(path, game)
    else:
        check_recorded(path, game)
        for file in Memory(path, 1).files:
            for played in read_games(file.path):
                _check_playable(played, game, path)
                yield played


def _check_playable(played: PlayedGame, game: Game, path: Path) -> None:
    try:
        for _ in positions_of(played, game):
            pass
    except IllegalMove:
        raise SpecError(f"database.games: {path} has games of another game than {game}") from None


class Repetition:
    """Positions of the first plies of games, and what was played there.

    >>> import spielbaum as sb
    >>> rules = sb.game("tictactoe")
    >>> games = [PlayedGame(0, [move]) for move in (4, 4, 0)]
    >>> first = lambda states: np.eye(9, dtype=np.float32)[[4] * len(states)]
    >>> repeated, possible = Repetition(games, rules, (1, 10)).measure(first)
    >>> round(repeated, 3), round(possible, 3)
    (0.667, 0.667)
    """

    def __init__(self, games: Sequence[PlayedGame], game: Game, plies: tuple[int, int]) -> None:
        self._states: list[State] = []
        self._moves: list[Counter[int]] = []
        known: dict[tuple[int, int], int] = {}
        for played in games:
            state = game.initial()
            for ply, move in enumerate(played.moves[: plies[1]], start=1):
                if ply >= max(plies[0], played.first + 1):
                    place = known.setdefault((ply, state.key), len(self._states))
                    if place == len(self._states):
                        self._states.append(state)
                        self._moves.append(Counter())
                    self._moves[place][move] += 1
                state = state.play(move)

    def measure(self, q_values: QValues) -> tuple[float | None, float | None]:
        """Which share of moves the greedy network repeats, and which share it could."""
        if not self._states:
            return None, None
        hits: dict[str, int] = defaultdict(int)
        for first in range(0, len(self._states), 256):
            states = self._states[first : first + 256]
            for state, row, moves in zip(
                states, q_values(states), self._moves[first:], strict=False
            ):
                legal = list(state.legal_moves)
                hits["repeated"] += moves[legal[int(np.argmax(row[legal]))]]
                hits["possible"] += max(moves.values())
                hits["all"] += moves.total()
        return hits["repeated"] / hits["all"], hits["possible"] / hits["all"]
