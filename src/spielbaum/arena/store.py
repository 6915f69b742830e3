"""Games and tournaments in one SQLite file, which several processes may read and write at once.

A game is stored in one step when it has ended, under an id that stands for its task: what was
stored is never lost, and what is stored twice is there once.
"""

from __future__ import annotations

import contextlib
import errno
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from spielbaum.arena.plan import Plan
from spielbaum.base.bounded import DAMAGE, typed
from spielbaum.base.disk import why_unwritable
from spielbaum.base.errors import MISTAKES, StoreError
from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameRecord, GameTask, Seat

PATIENCE_SECONDS = 30.0
"""How long to wait while another process writes."""
LARGEST_CELL = 16 << 20
"""Bytes of a text in the file, at most."""
MOST_RUNS = 1_000_000
LAST_DATE = 1e11
"""Seconds since 1970 that can still be written as a date."""

MIGRATIONS = (
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        plan TEXT NOT NULL,
        created REAL NOT NULL
    );
    CREATE TABLE games (
        id TEXT NOT NULL,
        run INTEGER NOT NULL REFERENCES runs (id),
        number INTEGER NOT NULL,
        task TEXT NOT NULL,
        moves TEXT NOT NULL,
        rewards TEXT NOT NULL,
        ended_by TEXT NOT NULL,
        reason TEXT NOT NULL,
        seconds TEXT NOT NULL,
        vals TEXT NOT NULL,
        iterations TEXT NOT NULL,
        nodes TEXT NOT NULL,
        started REAL NOT NULL,
        PRIMARY KEY (run, id)
    ) WITHOUT ROWID;
    CREATE INDEX games_by_number ON games (run, number);
    """,
    """
    CREATE TABLE notes (
        name TEXT PRIMARY KEY,
        text TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
)
"""What makes a file of one version one of the next; a file knows how many it has been through."""


class Store:
    """A file of runs, each a plan and its games.

    >>> import tempfile
    >>> from spielbaum.arena.plan import Entrant
    >>> players = (Entrant("random", Limits()), Entrant("random:seed=1", Limits()))
    >>> plan = Plan("tictactoe", players, games=2)
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.db") as store:
    ...     run = store.open_run("first", plan)
    ...     print(len(store.done(run)), store.runs())
    0 ['first']
    """

    def __init__(self, path: Path, *, for_reading: bool = False) -> None:
        """``for_reading``: open a file that exists even if its disk is full or read-only."""
        self._path = path
        is_new = not path.exists()
        try:
            self._open()
        except StoreError as error:
            if is_new:
                _remove_empty(path)
            elif for_reading and error.errno is not None:
                self._open_unchanging()
                return
            raise

    def _open(self) -> None:
        with self._errors():
            self._connection = sqlite3.connect(
                self._path, timeout=PATIENCE_SECONDS, isolation_level=None
            )
        try:
            with self._errors():
                self._distrust()
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._migrate()
        except BaseException:
            self._connection.close()
            raise

    def _open_unchanging(self) -> None:
        """Open the file without those beside it, which SQLite makes for readers, too."""
        with self._errors():
            place = f"{self._path.absolute().as_uri()}?mode=ro&immutable=1"
            self._connection = sqlite3.connect(place, uri=True, isolation_level=None)
            self._distrust()

    def _distrust(self) -> None:
        """Bound what the file can make SQLite do."""
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_CELL)
        self._connection.execute("PRAGMA trusted_schema = OFF")
        self._check_schema()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def open_run(self, name: str, plan: Plan) -> int:
        """The number of the run of that name, which is made if there is none.

        A run that exists must have the same plan: its games would mean something else.
        """
        with self._errors(), self._writing():
            row = self._connection.execute(
                "SELECT id, plan FROM runs WHERE name = ?", (name,)
            ).fetchone()
            if row is None:
                cursor = self._connection.execute(
                    "INSERT INTO runs (name, plan, created) VALUES (?, ?, ?)",
                    (name, plan.to_json(), time.time()),
                )
                assert cursor.lastrowid is not None
                return cursor.lastrowid
        if row[1] != plan.to_json():
            raise StoreError(
                f"store {self._path}: the run {name!r} has another plan; choose another name, or "
                "the same options as before"
            )
        return int(row[0])

    def runs(self) -> list[str]:
        """The names of all runs, in the order in which they were begun."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT name FROM runs ORDER BY id LIMIT ?", (MOST_RUNS,)
            ).fetchall()
        return [str(row[0]) for row in rows]

    def plan(self, name: str) -> tuple[int, Plan]:
        """The number and the plan of a run; `StoreError` if there is none, or it makes no sense."""
        run, plan = self.find(name)
        with self._making_sense(f"the plan of the run {name!r:.60}"):
            return run, Plan.from_json(plan)

    def find(self, name: str) -> tuple[int, str]:
        """The number of a run and the text of its plan, whatever that says."""
        with self._errors():
            row = self._connection.execute(
                "SELECT id, plan FROM runs WHERE name = ?", (name,)
            ).fetchone()
        if row is None:
            known = ", ".join(self.runs()) or "none"
            raise StoreError(f"store {self._path}: no run {name!r:.60}; there are {known}")
        return int(row[0]), str(row[1])

    def done(self, run: int) -> set[str]:
        """The ids of the games of a run that have been played."""
        with self._errors():
            rows = self._connection.execute("SELECT id FROM games WHERE run = ?", (run,))
            return {row[0] for row in rows}

    def add(self, run: int, record: GameRecord) -> bool:
        """Store a game; False if it was there already."""
        return bool(self.add_all(run, [record]))

    def add_all(self, run: int, records: Iterable[GameRecord]) -> list[GameRecord]:
        """Store games in one step; answers those that were not there already."""
        with self._errors(), self._writing():
            return [
                record
                for record in records
                if self._connection.execute(
                    "INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    _row_of(run, record),
                ).rowcount
            ]

    def records(
        self,
        run: int,
        *,
        number: int | None = None,
        offset: int = 0,
        limit: int | None = None,
    ) -> Iterator[GameRecord]:
        """The games of a run, by their numbers; or only some of them, or the one of a number."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT task, moves, rewards, ended_by, reason, seconds, vals, iterations, nodes, "
                "started FROM games WHERE run = ? AND (? IS NULL OR number = ?) "
                "ORDER BY number LIMIT ? OFFSET ?",
                (run, number, number, -1 if limit is None else limit, offset),
            )
            for row in rows:
                with self._making_sense("a game"):
                    record = _record_of(*row)
                yield record

    def remove_run(self, name: str) -> None:
        """Delete a run and all its games; the file keeps its size and uses the space again."""
        run, _ = self.find(name)
        with self._errors(), self._writing():
            self._connection.execute("DELETE FROM games WHERE run = ?", (run,))
            self._connection.execute("DELETE FROM runs WHERE id = ?", (run,))

    def note(self, name: str) -> str | None:
        """What was noted under a name, if anything was."""
        with self._errors():
            row = self._connection.execute("SELECT text FROM notes WHERE name = ?", (name,))
            found = row.fetchone()
        return None if found is None else str(found[0])

    def set_note(self, name: str, text: str) -> None:
        """Note something beside the games, in place of what had that name before."""
        with self._errors(), self._writing():
            self._connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, text))

    def _migrate(self) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if not 0 <= version <= len(MIGRATIONS):
            raise StoreError(
                f"store {self._path}: written by a newer version of Spielbaum (its format is "
                f"{version}, this one knows {len(MIGRATIONS)})"
            )
        if version == len(MIGRATIONS):
            return
        with self._writing():
            # Another process may have been faster.
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            for step in MIGRATIONS[version:]:
                for statement in filter(str.strip, step.split(";")):
                    self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Everything in here happens, or nothing does."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # After a full disk SQLite may have rolled back by itself.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _check_schema(self) -> None:
        """Refuse a file that does something when it is read or written, instead of being data."""
        for kind, sql in self._connection.execute("SELECT type, sql FROM sqlite_master"):
            if kind not in ("table", "index") or str(sql).upper().startswith("CREATE VIRTUAL"):
                raise StoreError(
                    f"store {self._path}: it has a {kind!s:.20} that no store of Spielbaum has"
                )

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeDecodeError) as error:
            # Its messages may quote the file, even what is no text, on which Python then stumbles.
            reason = "".join(each if each.isprintable() else "?" for each in str(error))
            problem = StoreError(f"store {self._path}: {reason:.200}")
            problem.errno = _errno(error, self._path.parent)
            raise problem from None

    @contextlib.contextmanager
    def _making_sense(self, what: str) -> Iterator[None]:
        try:
            yield
        except DAMAGE as error:
            known = isinstance(error, MISTAKES)  # such as an agent that does not exist any more
            reason = str(error) if known else "it is damaged"
            raise StoreError(f"store {self._path}: {what}: {reason}") from None


def _errno(error: Exception, folder: Path) -> int | None:
    """The system's error number behind an error of SQLite's, if it is one of the disk."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:  # the rest of the number says where
        case sqlite3.SQLITE_FULL:
            return errno.ENOSPC
        case sqlite3.SQLITE_READONLY:
            return errno.EROFS
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN:
            return why_unwritable(folder) if folder.is_dir() else None
    return None


def _remove_empty(path: Path) -> None:
    """Remove a file that SQLite has made and could not write; one with content is somebody's."""
    with contextlib.suppress(OSError):
        if path.stat().st_size == 0:
            path.unlink()


def _row_of(run: int, record: GameRecord) -> tuple[str | int | float, ...]:
    """The row of a game in the file."""
    task = record.task
    return (
        task.id,
        run,
        task.number,
        json.dumps(task.to_dict()),
        " ".join(record.moves),
        json.dumps(record.rewards),
        record.ended_by,
        record.reason,
        json.dumps(record.seconds),
        json.dumps(record.values),
        json.dumps(record.iterations),
        json.dumps(record.nodes),
        record.started,
    )


def _record_of(
    task: str, moves: str, rewards: str, ended_by: str, reason: str, *rest: str | float
) -> GameRecord:
    """A game from its row; raises one of `DAMAGE` if that makes no sense."""
    *lists, started = rest
    seconds, values, iterations, nodes = (tuple(json.loads(str(each))) for each in lists)
    record = GameRecord(
        _task_of(json.loads(task)),
        tuple(moves.split()),
        tuple(json.loads(rewards)),
        ended_by,
        reason,
        seconds,
        values,
        iterations,
        nodes,
        float(started),
    )
    typed(GameRecord, asdict(record))  # the values stay as they were written
    opening, counts = record.task.opening, {len(values), len(iterations), len(nodes)}
    if (
        not all(isinstance(each, str) for each in (moves, ended_by, reason))
        or not 0 < len(record.rewards) == len(record.task.seats)
        or not all(abs(reward) <= 1 for reward in record.rewards)
        or record.moves[: len(opening)] != opening
        or len(counts) != 1
        or len(values) > len(seconds)
        or not 0 <= record.started < LAST_DATE
    ):
        raise ValueError("the parts of a game contradict each other")
    return record


def _task_of(values: dict[str, Any]) -> GameTask:
    """A task from its JSON."""
    seats, opening = values.pop("seats"), values.pop("opening")
    made = tuple(
        Seat(each["agent"], Limits(**each["limits"]), each["seed"], each.get("copy", 1))
        for each in seats
    )
    return GameTask(seats=made, opening=tuple(opening), **values)
