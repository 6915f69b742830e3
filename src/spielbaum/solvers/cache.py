"""What was solved with noticeable effort, remembered on disk from one program to the next.

The file is ``solved.sqlite`` in the folder that the variable SPIELBAUM_CACHE of the environment
names, else in the user's folder of caches; ``SPIELBAUM_CACHE=off`` switches it off. It can be
deleted at any time. Whatever is wrong with it, the answer is to go on without: a cache that cannot
be read knows nothing, and one that cannot be written learns nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from spielbaum.solvers.solution import Solution, make_solution, sign

if TYPE_CHECKING:
    from spielbaum.games import State
    from spielbaum.solvers.solver import Wanted

T = TypeVar("T")

# The number is that of the format and of the meaning of scores: another one begins a new table.
TABLE = "solved_1"
CREATE = f"""CREATE TABLE IF NOT EXISTS {TABLE} (game TEXT, position TEXT, exact INTEGER,
    score INTEGER, moves TEXT, line TEXT, PRIMARY KEY (game, position, exact)) WITHOUT ROWID"""
# One question may be about the moves and the next about the line: the row gathers both.
INSERT = f"""INSERT INTO {TABLE} VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    moves = COALESCE(excluded.moves, moves), line = COALESCE(excluded.line, line)"""
SELECT = f"""SELECT exact, score, moves, line FROM {TABLE}
    WHERE game = ? AND position = ? AND exact >= ? ORDER BY exact DESC"""

WAIT = 0.02
"""Seconds that are waited for another process which holds the file."""
MOST_PAGES = 16384
"""Of 4 KB: a file of 64 MB learns nothing more."""


def cache_path() -> Path | None:
    """Where the cache is; None if it is switched off or there is no place for it.

    >>> import os
    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, SPIELBAUM_CACHE="/tmp/cache"):
    ...     print(cache_path())
    /tmp/cache/solved.sqlite
    """
    folder = os.environ.get("SPIELBAUM_CACHE")
    if folder:
        return None if folder.lower() == "off" else Path(folder) / "solved.sqlite"
    caches = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(caches or Path.home() / ".cache") / "spielbaum" / "solved.sqlite"
    except RuntimeError:  # nobody's home
        return None


class SolvedCache:
    """Solutions by game and position; images of a position share an entry.

    >>> import tempfile
    >>> import spielbaum as sb
    >>> from spielbaum.solvers.solver import Wanted
    >>> g = sb.game("connect4")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = SolvedCache(Path(folder) / "solved.sqlite")
    ...     cache.put(g.state("1"), Wanted(True, False, False), Solution(-2, -1.0, (), (), 9, 9.0))
    ...     cache.get(g.state("7"), Wanted(True, False, False)).score
    -2
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, state: State, wanted: Wanted) -> Solution | None:
        """What is known of a position, if it answers all that is wanted."""
        if not os.path.exists(self.path):
            return None
        image = _canonical(state)
        key = (str(state.game), image.position, wanted.exact)
        rows = self._try(lambda connection: connection.execute(SELECT, key).fetchall())
        found = (_read(row, state, image, wanted) for row in rows or ())
        return next((solution for solution in found if solution is not None), None)

    def put(self, state: State, wanted: Wanted, solution: Solution) -> None:
        """Remember a solution that answers what was wanted."""
        image = _canonical(state)
        moves = json.dumps([(image.actions[move.move], move.score) for move in solution.moves])
        line = json.dumps([image.actions[move] for move in solution.pv])
        row = (
            str(state.game),
            image.position,
            wanted.exact,
            solution.score,
            moves if wanted.moves else None,
            line if wanted.pv else None,
        )

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute(CREATE)
                connection.execute(INSERT, row)

        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._try(write)

    def _try(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """The result of ``work``, or None if the file does not let it be done."""
        # Opened anew each time, which takes a millisecond: then threads and forks share nothing.
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT)) as connection:
                # A power failure may cost the cache, which is cheaper than waiting for the disk.
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute(f"PRAGMA max_page_count = {MOST_PAGES}")
                return work(connection)
        except sqlite3.OperationalError:
            return None  # locked, not writable, full, or a table that is not ours
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            # Not a database, or a damaged one: it makes place for a new one.
            with contextlib.suppress(OSError):
                self.path.replace(self.path.with_name(self.path.name + ".damaged"))
            return None


@dataclass(frozen=True)
class _Image:
    """The image of a position under which it is stored."""

    position: str
    actions: tuple[int, ...]
    """``actions[a]`` is the action that ``a`` becomes in the image."""


def _canonical(state: State) -> _Image:
    images = [
        _Image(f"{''.join(map(str, image.state.cells))} {state.to_move}", image.actions)
        for image in state.symmetries()
    ]
    return min(images, key=lambda image: image.position)


def _read(row: tuple[Any, ...], state: State, image: _Image, wanted: Wanted) -> Solution | None:
    """The solution of a row, unless a part is missing or makes no sense."""
    exact, score, moves, line = row
    original = {action: index for index, action in enumerate(image.actions)}
    try:
        values = {original[action]: int(value) for action, value in json.loads(moves or "[]")}
        pv = [original[action] for action in json.loads(line or "[]")] if wanted.pv else []
        end = state
        for move in pv:
            end = end.play(move)
        score = int(score)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None
    legal = state.legal_moves if wanted.moves else ()
    if wanted.moves and (set(values) != set(legal) or max(values.values(), default=score) != score):
        return None
    if wanted.pv and end.outcome is None:
        return None
    if exact and not wanted.exact:
        score, values = int(sign(score)), {move: int(sign(value)) for move, value in values.items()}
    return make_solution(score, [(move, values[move]) for move in legal], pv, 0, 0.0, "cache")
