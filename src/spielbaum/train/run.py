"""One training in a folder, whatever its method: made, or going on where it was interrupted.

The folder has ``run.json`` (which names the method), ``config.toml``, a lock, the table of all
measurements, drawings, curves for TensorBoard, ``status.json`` with how far it is, and what the
method writes for itself. What was committed is on disk as a whole or not at all; a run that was
killed goes on from its last commit.
"""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE, read_text
from spielbaum.base.budget import StopToken
from spielbaum.base.errors import MISTAKES, SpecError, StoreError
from spielbaum.base.lock import take_lock
from spielbaum.base.workers import Place
from spielbaum.games import Game
from spielbaum.train.config import flat, read_toml, write_toml
from spielbaum.train.event_log import EventLog
from spielbaum.train.method import Method, Phase, check_needs, method, methods
from spielbaum.train.rows import Row, draw, plural, write_rows
from spielbaum.train.run_folder import (
    CONFIG,
    FINISHED,
    IMPORTED,
    RECORDING,
    STOPPED,
    RunStatus,
    StatusFile,
    needs_extra,
    read_status,
)

RUN = "run.json"
FORMAT = "spielbaum run 1"
SAVE_SECONDS = 120.0
"""Between two commits, if nothing is measured meanwhile."""
TABLE_SECONDS = 1.0
"""Between two times that the table is written, at least; at the end it is written in any case."""
DRAW_SECONDS = 30.0
"""The same of drawings."""
SHARE = 0.05
"""The most of the time that tables and drawings may take."""
RECENT = 50
"""Steps over which rates are taken."""

R = TypeVar("R", bound=Row)
Report = Callable[[RunStatus, Sequence[str]], None]
"""Is told how far a run is, and lines that are worth being kept in sight, each once."""


class Desk(Generic[R]):
    """What a method has of its run."""

    def __init__(
        self,
        folder: Path,
        game: Game,
        number: int = 1,
        inputs: Mapping[str, Any] | None = None,
        place: Place | None = None,
    ) -> None:
        self.folder = folder
        self.game = game
        self.number = number
        """Number of the run among several of one training."""
        self.inputs = inputs or {}
        """What `Method.check` returned: files and folders to begin with, and the like."""
        self.place = place
        """Where work of other processes is done; None: on this machine."""
        self.rows: list[R] = []
        """All measurements so far; a method sets them in ``load`` and returns new ones."""
        self.stop = StopToken()
        self.show: Callable[[str, Mapping[str, int]], None] = lambda activity, counts: None
        self.begin: Callable[[Phase], None] = lambda phase: None
        self.lines: list[str] = []
        self._began = time.monotonic()
        self._before: float | None = None

    @property
    def stopped(self) -> bool:
        """Whether a step should return as soon as it can."""
        return self.stop.stopped

    def tell(self, activity: str, **counts: int) -> None:
        """Report what goes on, and how much was done in all, such as ``games=300``."""
        self.show(activity, counts)

    def enter(self, phase: Phase) -> None:
        """Report a phase of its own, such as games before the first epoch."""
        self.begin(phase)

    def note(self, line: str) -> None:
        """Add a line that is worth being kept in sight."""
        self.lines.append(line)

    def seconds(self) -> float:
        """Return how long the run has taken so far, in all sessions."""
        if self._before is None:
            self._before = float(vars(self.rows[-1]).get("seconds", 0.0)) if self.rows else 0.0
        return round(self._before + time.monotonic() - self._began, 1)

    def is_best(self, score: float | None) -> bool:
        """Return whether no row so far has a better score."""
        known = [row.score for row in self.rows if row.score is not None]
        return score is not None and score >= max(known, default=score)


class Meter:
    """Counts that grow, and how fast they did of late.

    >>> meter = Meter()
    >>> meter.rate("games", 0, now=0.0), meter.rate("games", 30, now=2.0)
    (0.0, 15.0)
    """

    def __init__(self) -> None:
        self._seen: dict[str, deque[tuple[float, int]]] = {}

    def rate(self, name: str, count: int, now: float) -> float:
        """Return how many were counted per second; 0 before anything was."""
        seen = self._seen.setdefault(name, deque(maxlen=RECENT))
        if not seen or seen[-1][1] != count:
            seen.append((now, count))
        (since, first), (until, last) = seen[0], seen[-1]
        return (last - first) / max(until - since, 1e-6)


class Run(Generic[R]):
    """A training in its folder.

    >>> import tempfile
    >>> wanted = method("dqn")
    >>> config = wanted.config_type.load("tictactoe").dry()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = Run(wanted, config, Path(folder)).run()
    >>> rows[-1].games
    12
    """

    def __init__(
        self,
        wanted: type[Method[Any, R]],
        config: Any,
        folder: Path,
        *,
        number: int = 1,
        inputs: Mapping[str, Any] | None = None,
        place: Place | None = None,
    ) -> None:
        """Nothing is created if something is missing or does not fit what the folder has."""
        check_needs(wanted)
        self.folder = folder
        self.config, leave_out = self._agreed(wanted, config)
        used = wanted.check(self.config, inputs or {}, folder)
        self.desk: Desk[R] = Desk(folder, self.config.rules(), number, used, place)
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = take_lock(folder)
        self._keep(wanted, leave_out)
        self.method = wanted(self.config, self.desk)
        self._status = StatusFile(folder)
        self._report: Report | None = None
        self._meter = Meter()
        self._phase = Phase("starting", "steps", 0, 0)
        self._activity = "starting"
        self._counts: dict[str, int] = {}
        self._saved = time.monotonic()
        self._next_table, self._next_drawing = (
            self._saved + each for each in (TABLE_SECONDS, DRAW_SECONDS)
        )
        self._unsaved = self._untold = False
        """Whether steps were done after the last commit, or rows came after the last table."""
        self.finished = False

    def stop(self) -> None:
        """End a running training soon; what was done is kept."""
        self.desk.stop.stop()

    def run(self, report: Report | None = None) -> list[R]:
        """Train to the end, or until `stop`; return all measurements."""
        self._report = report
        self.desk.show, self.desk.begin = self._show, self._show_phase
        made = self.method
        with self._lock, EventLog(self.folder) as events:
            self._begin(made)
            try:
                if made.phase() is not None:
                    made.prepare()
                with self._interruptible(made):
                    while (phase := made.phase()) is not None and not self.desk.stopped:
                        self._enter(phase)
                        self._take(made.step(), events)
                if self._unsaved:
                    made.save()
                self.finished = made.phase() is None
            finally:
                with contextlib.suppress(OSError):  # the disk is full, and that was said already
                    made.close()
                    self._write()
                    self._tell(FINISHED if self.finished else STOPPED)
        return self.desk.rows

    # ---- the way of a run ----
    def _begin(self, made: Method[Any, R]) -> None:
        try:
            made.start()
            made.load()
        except ImportError as error:
            raise needs_extra(error) from None
        except MISTAKES:
            raise
        except DAMAGE:
            raise StoreError(f"training {self.folder}: its checkpoint is damaged") from None
        self._untold = bool(self.desk.rows)
        if (known := read_status(self.folder)) is not None:
            self._phase = Phase("starting", known.unit, known.step, known.of)
        self._phase = made.phase() or self._end()
        self.desk.seconds()

    def _take(self, rows: Sequence[R], events: EventLog) -> None:
        """Commit what a step has measured, or now and then what it has done."""
        now = time.monotonic()
        self.desk.rows += rows
        self._unsaved = True
        if rows or now - self._saved > SAVE_SECONDS:
            self.method.save()
            self._saved, self._unsaved = time.monotonic(), False
        for row in rows:
            events.add(row.step, row.numbers())
            if row.is_news:
                self.desk.note(row.line())
        self._untold |= bool(rows)
        if self._untold and now > self._next_table:
            self._write(drawings=now > self._next_drawing)
        self._phase = self.method.phase() or self._end()
        self._show(self._activity, {})

    def _end(self) -> Phase:
        """Where a finished training is, which may have ended earlier than was planned."""
        rows = self.desk.rows
        done = rows[-1].step if rows else self._phase.of
        return replace(self._phase, done=done, of=done)

    def _write(self, *, drawings: bool = True) -> None:
        if not self.desk.rows:
            return
        rows, began = self.method.rows(), time.monotonic()
        write_rows(self.folder / self.method.table, self.method.row_type, rows)
        self._untold, now = False, time.monotonic()
        self._next_table = now + max(TABLE_SECONDS, (now - began) / SHARE)
        if drawings:
            draw(self.folder, rows, plural(self.method.row_type.axis))
            self.method.draw()
            drawn = time.monotonic()
            self._next_drawing = drawn + max(DRAW_SECONDS, (drawn - now) / SHARE)

    @contextlib.contextmanager
    def _interruptible(self, made: Method[Any, R]) -> Iterator[None]:
        """Let the first Ctrl-C stop a step that heeds it; another one breaks it off."""

        def interrupt(*_: object) -> None:
            if self.desk.stopped or not made.heeds_stop:
                raise KeyboardInterrupt
            self.stop()

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    # ---- progress ----
    def _enter(self, phase: Phase) -> None:
        """Begin a step; a new phase is a new activity, unless the method says more about it."""
        if phase.name == self._phase.name:
            self._phase = phase
            self._show(self._activity, {})
        else:
            self._show_phase(phase)

    def _show_phase(self, phase: Phase) -> None:
        self._phase = phase
        self._show(phase.name, {})

    def _show(self, activity: str, counts: Mapping[str, int]) -> None:
        self._activity = activity
        self._counts |= counts
        self._tell(activity)

    def _tell(self, activity: str) -> None:
        now, phase = time.monotonic(), self._phase
        rate = self._meter.rate(f"{phase.name} {phase.unit}", phase.done, now)
        rates = {name: self._meter.rate(name, each, now) for name, each in self._counts.items()}
        status = RunStatus(
            activity, phase.done, phase.of, phase.unit, rate, dict(self._counts), rates
        )
        self._status.tell(status)
        lines, self.desk.lines = self.desk.lines, []
        if self._report is not None:
            self._report(status, lines)

    # ---- files ----
    def _agreed(self, wanted: type[Method[Any, R]], config: Any) -> tuple[Any, list[str]]:
        """The configuration as it is in the folder, if that has this training; else an error.

        Also names options that are newer than the run, which its file does not have.
        """
        folder = self.folder
        if (folder / RECORDING).exists() or (folder / IMPORTED).exists():
            raise SpecError(f"{folder} has recorded games; give another folder to train in")
        written = _written(folder)
        config = config.as_begun(written) if written is not None else config
        known = kept_config(wanted, folder)
        if known is None:
            if written is not None or read_run(folder) is not None:
                raise SpecError(f"{folder} has a training of another kind; give another folder")
            return config, []
        different = known.differences(config)
        if different:
            own, other = (flat(each.dump()) for each in (config, known))
            key = different[0]
            raise SpecError(
                f"{folder} has a training with another configuration ({key} = "
                f"{other.get(key)!r:.60}, here {own.get(key)!r:.60}); give another folder, or go "
                f"on with --config {folder / CONFIG}"
            )
        return config, config.newer(written) if written is not None else []

    def _keep(self, wanted: type[Method[Any, R]], leave_out: Sequence[str]) -> None:
        """Write configuration and name of the method, unless the folder has the same."""
        path = self.folder / CONFIG
        told: dict[str, Any] = {"method": wanted.name, **self.config.dump()}
        for name in leave_out:
            section, _, key = name.rpartition(".")
            del told[section][key]
        if not path.exists() or read_toml(path) != told:
            write_atomically(path, write_toml(told).encode())
        if read_run(self.folder) is None:
            about = {"format": FORMAT, "method": wanted.name, "number": self.desk.number}
            write_atomically(self.folder / RUN, json.dumps(about).encode())


def read_run(folder: Path) -> str | None:
    """Return the method that a folder's ``run.json`` names; None if there is no such file.

    >>> read_run(Path("/nowhere"))
    """
    path = folder / RUN
    if not path.exists():
        return None
    try:
        told = json.loads(read_text(path))
        if told["format"] != FORMAT:
            raise ValueError
        return str(told["method"])
    except (OSError, *DAMAGE):
        raise StoreError(f"training {folder}: its {RUN} is damaged") from None


def method_of(folder: Path) -> type[Method[Any, Any]] | None:
    """Return the method by which a folder was trained; None if it has no training."""
    named = read_run(folder)
    if named is not None:
        return method(named)
    found = (method(each) for each in methods())
    return next((each for each in found if each.adopt(folder) is not None), None)


def kept_config(wanted: type[Method[Any, Any]], folder: Path) -> Any | None:
    """Return the configuration of a run in a folder; None if it has none of this method."""
    named = read_run(folder)
    if named is None:
        return wanted.adopt(folder)
    if named != wanted.name:
        return None
    written = _written(folder)
    if written is None:
        raise StoreError(f"training {folder}: its {CONFIG} is missing")
    try:
        return wanted.config_type.kept(written)
    except SpecError as error:
        raise StoreError(f"training {folder}: its {CONFIG} is damaged; {error}") from None


def _written(folder: Path) -> dict[str, Any] | None:
    """The values of a folder's configuration, if it has one."""
    path = folder / CONFIG
    if not path.exists():
        return None
    try:
        return read_toml(path)
    except SpecError as error:
        raise StoreError(f"training {folder}: its {CONFIG} is damaged; {error}") from None
