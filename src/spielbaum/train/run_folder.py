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
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE, read_text, typed
from spielbaum.base.errors import SpecError, StoreError, WorkerError
from spielbaum.train.config import read_toml, write_toml

CONFIG = "config.toml"
RECORDING = "recording.toml"
"""What a folder of recorded games has instead."""
IMPORTED = "imported.toml"
"""And one of games from files of game records."""
FREE = ("rounds", "model_updates", "training.epochs", "self_play.processes", "retraining.threads")
"""What may change when a training goes on."""
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


class TrainingConfig(Protocol):
    """What a configuration must know."""

    def same_training(self, other: Self) -> bool:
        """Whether they differ in nothing but how long they train."""
        ...

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """All of it as plain values."""
        ...


C = TypeVar("C", bound=TrainingConfig)


def check_config(folder: Path, config: C, read: Callable[[dict[str, Any]], C | None]) -> None:
    """Say that a folder has another training, if it has one.

    ``read`` makes a configuration of values, or None if they are of another kind of training.
    """
    path = folder / CONFIG
    if (folder / RECORDING).exists() or (folder / IMPORTED).exists():
        raise SpecError(f"{folder} has recorded games; give another folder to train in")
    if not path.exists():
        return
    try:
        values = read_toml(path)
    except SpecError as error:
        raise StoreError(f"training {folder}: its {CONFIG} is damaged; {error}") from None
    try:
        known = read(values)
    except SpecError:  # it is not for this kind of training
        known = None
    if known is None:
        raise SpecError(f"{folder} has a training of another kind; give another folder")
    if not known.same_training(config):
        own, other = (_flat(each.model_dump(mode="json")) for each in (config, known))
        different = [key for key in own if own[key] != other.get(key)]
        key = min(different, key=lambda key: key in FREE)
        raise SpecError(
            f"{folder} has a training with another configuration ({key} = {other.get(key)!r:.60}, "
            f"here {own[key]!r:.60}); give another folder, or go on with --config {path}"
        )


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Values of sections by their whole names."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{before}{key}.")
        else:
            flat[before + key] = value
    return flat


def keep_config(
    folder: Path,
    config: C,
    read: Callable[[dict[str, Any]], C | None],
    *,
    leave_out: Collection[str] = (),
    **more: str,
) -> None:
    """Write a configuration into its folder, unless it says the same already.

    A training that goes on may be about to train longer than before. ``leave_out``: options by
    their whole names that are not written; ``more``: further values.
    """
    path = folder / CONFIG
    if not path.exists() or read(read_toml(path)) != config:
        told: dict[str, Any] = {**more, **config.model_dump(mode="json")}
        for name in leave_out:
            section, _, key = name.rpartition(".")
            del told[section][key]
        write_atomically(path, write_toml(told).encode())


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


def write_table(path: Path, table: Sequence[Sequence[object]]) -> None:
    r"""Write a CSV file, at once or not at all; None is an empty cell.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     path = Path(name) / "a.csv"
    ...     write_table(path, [["games", "share"], [1, None]])
    ...     path.read_text()
    'games,share\n1,\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    write_atomically(path, text.getvalue().encode())


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
