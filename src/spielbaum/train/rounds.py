"""Trainings that go on in rounds, in a folder: what all of them do alike.

``checkpoint.safetensors`` has everything of the round that was finished last: networks, optimizer
and results. It is there as a whole or not at all, and a round depends on nothing but it, its number
and the games on disk: a run that was killed goes on as if nothing had happened.
"""

from __future__ import annotations

import contextlib
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE, read_text, typed
from spielbaum.base.errors import ModelError, StoreError
from spielbaum.base.lock import take_lock
from spielbaum.train.event_log import EventLog
from spielbaum.train.run_folder import (
    CHECKPOINT,
    FINISHED,
    STOPPED,
    RunStatus,
    StatusFile,
    TrainingConfig,
    check_config,
    keep_config,
    needs_extra,
)

PROGRESS = "progress.json"
DRAW_SECONDS = 30.0
"""Between two times that tables and drawings are written, at least; the last is always there."""
RECENT = 50
"""Rounds by which the time left is estimated."""


class RoundConfig(TrainingConfig, Protocol):
    """What a configuration must know."""

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        ...


@dataclass(frozen=True, kw_only=True)
class RoundRow:
    """What is known of a round; a line of ``metrics.csv``."""

    round: int
    seconds: float = 0.0
    """Of the whole run."""

    @property
    def score(self) -> float | None:
        """What decides which network is the best; None if the round was not measured."""
        return None

    def numbers(self) -> dict[str, float]:
        """What a curve can show."""
        return {}

    def line(self) -> str:
        """The row in words."""
        minutes, seconds = divmod(int(self.seconds), 60)
        return f"{self.round:5}: {minutes // 60}:{minutes % 60:02}:{seconds:02}"

    def strength(self) -> str:
        """What was measured, in a few words."""
        return ""


@dataclass(frozen=True)
class Told:
    """What a training says about itself to those who only look."""

    round: int
    of: int
    strength: str
    changed: float
    """When it was written, in seconds since 1970."""


def read_progress(folder: Path) -> Told | None:
    """How far the training in a folder is; None if no round was finished.

    >>> read_progress(Path("/nowhere"))
    """
    path = folder / PROGRESS
    if not path.exists():
        return None
    try:
        told = json.loads(read_text(path))
        facts = int(told["round"]), int(told["of"]), str(told["strength"])
        return Told(*facts, changed=path.stat().st_mtime)
    except (OSError, *DAMAGE):
        raise StoreError(f"training {folder}: its {PROGRESS} is damaged") from None


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    round: int
    of: int
    phase: str
    counts: Mapping[str, int]
    """What was done so far, such as games and steps."""
    rates: Mapping[str, float]
    """Of these per second, in this sitting."""
    seconds_left: float | None
    lines: tuple[str, ...] = field(repr=False)
    """About measurements of this sitting."""


C = TypeVar("C", bound=RoundConfig)
R = TypeVar("R", bound=RoundRow)


class RoundRun(ABC, Generic[C, R]):
    """A training in a folder, which is made, or goes on where it was interrupted."""

    method: str
    row_type: type[R]

    def __init__(self, config: C, folder: Path) -> None:
        self.config = config
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        check_config(folder, config, self._read)
        self._lock = take_lock(folder)
        keep_config(folder, config, self._read, method=self.method)
        self.rows: list[R] = []
        self.best_score = -1e9
        self.phase = "starting"
        self._lines: list[str] = []
        self._report: Callable[[Progress], None] | None = None
        self._status = StatusFile(folder)
        self._began = self._drawn_at = time.monotonic()
        self._before = 0.0
        self._first: Mapping[str, int] = {}

    def run(self, report: Callable[[Progress], None] | None = None) -> list[R]:
        """Train to the last round; what was done is kept whenever it is interrupted."""
        self._report = report
        with self._lock:
            try:
                self.start()
            except ImportError as error:
                raise needs_extra(error) from None
            if (self.folder / CHECKPOINT).exists():
                self._restore()
            if len(self.rows) < self.config.rounds:
                self.show()
                self.prepare()
                self._first = dict(self.counts())
                try:
                    with EventLog(self.folder) as events:
                        for number in range(len(self.rows) + 1, self.config.rounds + 1):
                            self._finish(self.round(number), events)
                finally:
                    with contextlib.suppress(OSError):  # the disk is full, and that is said
                        if self.rows:
                            self.draw()
                        done = len(self.rows) >= self.config.rounds
                        self._tell(FINISHED if done else STOPPED)
            elif self.rows:
                self.draw()
        return self.rows

    # ---- what each method does in its own way ----
    @abstractmethod
    def start(self) -> None:
        """Make the network; `ImportError` if PyTorch is not there."""

    @abstractmethod
    def load(self, path: Path) -> dict[str, Any]:
        """Go on from a checkpoint; answers its header."""

    @abstractmethod
    def save(self, path: Path, header: Mapping[str, Any]) -> None:
        """Write a checkpoint with a header."""

    @abstractmethod
    def prepare(self) -> None:
        """Get ready for the next round; the rows so far are known."""

    @abstractmethod
    def round(self, number: int) -> R:
        """Do a round."""

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """What was done so far, by name."""

    @abstractmethod
    def draw(self) -> None:
        """Write tables and drawings of all rows."""

    @classmethod
    @abstractmethod
    def read_config(cls, values: Mapping[str, Any]) -> C:
        """A configuration from plain values."""

    # ---- what all do alike ----
    def is_due(self, number: int, every: int) -> bool:
        """Whether a round is measured."""
        return number % every == 0 or number == self.config.rounds

    def is_best(self, row: R) -> bool:
        """Whether no measured round was better; it is remembered then."""
        if row.score is None or row.score < self.best_score:
            return False
        self.best_score = row.score
        return True

    def seconds(self) -> float:
        """How long the run has taken so far, in all sittings."""
        return round(self._before + time.monotonic() - self._began, 1)

    def show(self, phase: str = "") -> None:
        """Say what goes on."""
        self.phase = phase or self.phase
        left = self._seconds_left()
        self._tell(self.phase, left)
        if self._report is None:
            return
        passed = max(time.monotonic() - self._began, 1e-6)
        counts = self.counts()
        first = self._first or counts
        self._report(
            Progress(
                min(len(self.rows) + 1, self.config.rounds),
                self.config.rounds,
                self.phase,
                counts,
                {name: (number - first[name]) / passed for name, number in counts.items()},
                left,
                tuple(self._lines),
            )
        )

    def _seconds_left(self) -> float | None:
        recent = self.rows[-RECENT:]
        if len(recent) < 2:
            return None
        each = (recent[-1].seconds - recent[0].seconds) / (len(recent) - 1)
        return each * (self.config.rounds - len(self.rows))

    def _tell(self, activity: str, left: float | None = None) -> None:
        """Keep how far the run is for those who only look."""
        done, of = len(self.rows), self.config.rounds
        rate = (of - done) / left if left else 0.0
        self._status.tell(RunStatus(activity, done, of, "rounds", rate))

    def _finish(self, row: R, events: EventLog) -> None:
        self.rows.append(row)
        header = {
            "method": self.method,
            "best_score": self.best_score,
            "rows": [asdict(each) for each in self.rows],
        }
        self.save(self.folder / CHECKPOINT, header)
        measured = [each.strength() for each in self.rows if each.score is not None]
        told = {"round": row.round, "of": self.config.rounds, "strength": "".join(measured[-1:])}
        write_atomically(self.folder / PROGRESS, json.dumps(told).encode())
        events.add(row.round, row.numbers())
        if row.score is not None:
            self._lines.append(row.line())
            if time.monotonic() - self._drawn_at > DRAW_SECONDS:
                self.draw()
                self._drawn_at = time.monotonic()
        self.show()

    def _restore(self) -> None:
        try:
            header = self.load(self.folder / CHECKPOINT)
            if header["method"] != self.method:
                raise ValueError
            self.rows = [typed(self.row_type, row) for row in header["rows"]]
            self.best_score = float(header["best_score"])
        except ModelError:
            raise
        except DAMAGE:
            raise StoreError(f"training {self.folder}: its checkpoint is damaged") from None
        self._before = self.rows[-1].seconds if self.rows else 0.0

    def _read(self, values: dict[str, Any]) -> C | None:
        """A configuration that was found, if it is one of this kind of training."""
        return None if values.pop("method", None) != self.method else self.read_config(values)
