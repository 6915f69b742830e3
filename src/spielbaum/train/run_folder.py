"""What every kind of training keeps in the folder of a run, so that others can follow it.

``status.json`` says how far the run is. ``log.csv`` or ``metrics.csv`` has a line for each
measurement, with whatever columns that kind of training has. Models lie beside them or below.
"""

from __future__ import annotations

import csv
import io
import json
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE, read_text, typed
from spielbaum.base.errors import WorkerError

CONFIG = "config.toml"
RECORDING = "recording.toml"
"""What a folder of recorded games has instead."""
IMPORTED = "imported.toml"
"""And one of games from files of game records."""
STATUS = "status.json"
CHECKPOINT = "checkpoint.safetensors"
"""Where trainings of neural networks keep all that they need to go on."""
FINISHED, STOPPED = "finished", "stopped"
"""Activities of runs that are over, and of those that are not."""
LOGS = ("metrics.csv", "log.csv")
LARGEST_STATUS = 10_000
STEPS = ("step", "generation", "round", "iteration", "epoch", "games")
"""Columns that count how far a run was; the first that a log has is the axis of its curves."""


def needs_extra(error: ImportError, what: str = "training") -> WorkerError:
    """What to say if PyTorch, or something else for training, is not installed.

    >>> str(needs_extra(ImportError(name="torch")))
    'training needs torch: pip install spielbaum[train]'
    """
    return WorkerError(f"{what} needs {error.name}: pip install spielbaum[train]")


@dataclass(frozen=True)
class RunStatus:
    """How far a run is.

    >>> RunStatus("training", 300, 1000, rate=100.0).seconds_left
    7.0
    """

    activity: str
    """What goes on, such as ``training``; `FINISHED` or `STOPPED` if nothing does."""
    step: int
    of: int
    unit: str = "games"
    rate: float = 0.0
    """Steps per second, of late."""
    counts: dict[str, int] = field(default_factory=dict)
    """What else was done so far, such as games."""
    rates: dict[str, float] = field(default_factory=dict)
    """How many of these per second, of late."""

    @property
    def seconds_left(self) -> float | None:
        """Of training; None if nobody knows."""
        left = (self.of - self.step) / self.rate if self.rate > 0 else math.inf
        return left if math.isfinite(left) else None


class StatusFile:
    """Writes how far a run is, at most once a second.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     StatusFile(Path(folder)).tell(RunStatus("training", 3, 10))
    ...     read_status(Path(folder)).step
    3
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / STATUS
        self._told = -math.inf
        self._activity = ""

    def tell(self, status: RunStatus) -> None:
        """Write it, unless the same was done a moment ago."""
        now = time.monotonic()
        if status.activity == self._activity and now - self._told < 1.0:
            return
        self._told, self._activity = now, status.activity
        write_atomically(self._path, json.dumps(asdict(status)).encode())


def read_status(folder: Path) -> RunStatus | None:
    """How far a run is, if it says so."""
    try:
        found = typed(RunStatus, json.loads(read_text(folder / STATUS, LARGEST_STATUS)))
    except (OSError, *DAMAGE):
        return None
    counted = abs(found.step) < 2**53 and abs(found.of) < 2**53  # exact in JavaScript, too
    return found if counted and math.isfinite(found.rate) else None


@dataclass(frozen=True)
class Curve:
    """A column of a log over the steps of the training.

    >>> Curve("share", "perfect", ((100.0, 0.5),)).points
    ((100.0, 0.5),)
    """

    column: str
    label: str
    """What the texts of its lines say, such as an opponent; empty if there are none."""
    points: tuple[tuple[float, float], ...]


def read_curves(folder: Path) -> list[Curve]:
    r"""The numbers of a run's log as curves: one for each column, and each text in its lines.

    Where a log counts games and seconds, their rate is a curve of its own.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "log.csv"
    >>> _ = path.write_text("games,opponent,share\n100,uct,0.5\n200,uct,0.75\n")
    >>> read_curves(Path(folder.name))
    [Curve(column='share', label='uct', points=((100.0, 0.5), (200.0, 0.75)))]
    >>> folder.cleanup()
    """
    lines = _read_lines(folder)
    if not lines:
        return []
    names = list(lines[0])
    step = next((name for name in STEPS if name in names), names[0])
    clock = "training_seconds" if step == "games" else "seconds"
    points: dict[tuple[str, str], dict[float, float]] = {}
    before: dict[str, tuple[float, float]] = {}
    for line in lines:
        numbers, texts = _split(line)
        x = numbers.get(step)
        if x is None:
            continue
        label = ", ".join(texts)
        for name, y in numbers.items():
            if name != step:
                points.setdefault((name, label), {})[x] = y
        rate = _rate(numbers.get("games"), numbers.get(clock), before, label)
        if rate is not None:
            points.setdefault(("games per second", ""), {})[x] = rate
    return [Curve(*key, tuple(sorted(each.items()))) for key, each in points.items()]


def _rate(
    games: float | None,
    seconds: float | None,
    before: dict[str, tuple[float, float]],
    label: str,
) -> float | None:
    if games is None or seconds is None:
        return None
    last_games, last_seconds = before.get(label, (0.0, 0.0))
    before[label] = (games, seconds)
    return (games - last_games) / (seconds - last_seconds) if seconds > last_seconds else None


def _read_lines(folder: Path) -> list[dict[str, str | None]]:
    for name in LOGS:
        path = folder / name
        try:
            found = [
                {key: text for key, text in line.items() if isinstance(key, str)}
                for line in csv.DictReader(io.StringIO(read_text(path), newline=""))
            ]
            if found:
                return found
        except (OSError, csv.Error, *DAMAGE):
            continue
    return []


def _split(line: Mapping[str, str | None]) -> tuple[dict[str, float], list[str]]:
    """The numbers of a line by name, and its texts; what is empty or infinite is neither."""
    numbers, texts = {}, []
    for name, text in line.items():
        if not text:
            continue
        try:
            value = float(text)
        except ValueError:
            texts.append(text)
            continue
        if math.isfinite(value):
            numbers[name] = value
    return numbers, texts
