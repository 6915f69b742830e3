"""Games and tournaments in one SQLite file, which several processes may read and write at once.

A game is stored in one step when it has ended, under an id that stands for its task: what was
stored is never lost, and what is stored twice is there once.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import TracebackType

from spielbaum.arena.games import GameRecord, GameTask, Seat
from spielbaum.arena.limits import Limits
from spielbaum.arena.plan import Plan
from spielbaum.errors import StoreError

PATIENCE_SECONDS = 30.0
"""How long to wait while another process writes."""

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

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._errors():
            self._connection = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
        try:
            with self._errors():
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._migrate()
        except BaseException:
            self._connection.close()
            raise

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
            rows = self._connection.execute("SELECT name FROM runs ORDER BY id").fetchall()
        return [row[0] for row in rows]

    def plan(self, name: str) -> tuple[int, Plan]:
        """The number and the plan of a run."""
        with self._errors():
            row = self._connection.execute(
                "SELECT id, plan FROM runs WHERE name = ?", (name,)
            ).fetchone()
        if row is None:
            known = ", ".join(self.runs()) or "none"
            raise StoreError(f"store {self._path}: no run {name!r:.60}; there are {known}")
        return int(row[0]), Plan.from_json(row[1])

    def done(self, run: int) -> set[str]:
        """The ids of the games of a run that have been played."""
        with self._errors():
            rows = self._connection.execute("SELECT id FROM games WHERE run = ?", (run,))
            return {row[0] for row in rows}

    def add(self, run: int, record: GameRecord) -> bool:
        """Store a game; False if it was there already."""
        task = record.task
        with self._errors(), self._writing():
            cursor = self._connection.execute(
                "INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    task.id,
                    run,
                    task.number,
                    json.dumps(asdict(task)),
                    " ".join(record.moves),
                    json.dumps(record.rewards),
                    record.ended_by,
                    record.reason,
                    json.dumps(record.seconds),
                    json.dumps(record.values),
                    json.dumps(record.iterations),
                    json.dumps(record.nodes),
                    record.started,
                ),
            )
            return cursor.rowcount > 0

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
            for task, moves, rewards, ended_by, reason, *lists, started in rows:
                seconds, values, iterations, nodes = (tuple(json.loads(each)) for each in lists)
                yield GameRecord(
                    _task_of(json.loads(task)),
                    tuple(moves.split()),
                    tuple(json.loads(rewards)),
                    ended_by,
                    reason,
                    seconds,
                    values,
                    iterations,
                    nodes,
                    started,
                )

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
        if version > len(MIGRATIONS):
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

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"store {self._path}: {error}") from None


def _task_of(values: dict[str, object]) -> GameTask:
    """A task from its JSON."""
    seats = values.pop("seats")
    opening = values.pop("opening")
    assert isinstance(seats, list)
    assert isinstance(opening, list)
    made = tuple(Seat(each["agent"], Limits(**each["limits"]), each["seed"]) for each in seats)
    return GameTask(seats=made, opening=tuple(opening), **values)  # type: ignore[arg-type]
