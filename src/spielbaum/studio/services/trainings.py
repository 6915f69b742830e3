"""Trainings of the page: folders in the data folder, each trained by a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE, read_text
from spielbaum.base.disk import check_writable, why_unwritable
from spielbaum.base.errors import SpecError, WorkerError
from spielbaum.base.workers import Done, Event, Failed, Lost
from spielbaum.studio.server.problems import sentence_of
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.files import shown, without_paths
from spielbaum.studio.services.models import TRAININGS, Models, ModelSummary
from spielbaum.studio.services.protocol import Message, RunName
from spielbaum.studio.services.runs import NotNow, Run, Runs
from spielbaum.studio.services.trainee import OUTPUT, train
from spielbaum.studio.services.training_forms import FormView, Kind, KindView, TrainingValues
from spielbaum.train.run_folder import FINISHED, STOPPED, Curve, RunStatus, read_curves, read_status
from spielbaum_command import INTERRUPTED

PREFIX = "training/"
"""Runs of trainings are called so, and their name; no tournament can be."""
CONFIG, FACTS, END = "config.toml", "training.json", "end.json"
LARGEST_OUTPUT = 1_000_000
"""What a training prints begins anew after so many bytes."""
DELETED = ".deleted"
"""The end of the names of folders that are being deleted; they begin with a dot."""
LOOK_SECONDS = 0.5
PATIENCE_SECONDS = 60.0
"""How long a training may take to stop before it is killed; its last checkpoint is there anyway."""
MOST_POINTS = 400
STRENGTH = ("share", "elo", "accuracy")
"""What the columns of logs that say how strong a network is begin with."""
LARGEST_FACTS = 100_000

Status = Literal["running", "stopping", "stopped", "killed", "done"]


class TrainingRequest(TrainingValues):
    """A training that is to be started."""

    name: RunName
    kind: str = Field(default="ntuple", max_length=40)


class TrainingSummary(Message):
    """A training in the list."""

    name: str
    kind: str
    game: str
    status: Status
    signal: str = Field(description="Of a training that was killed, such as SIGKILL; else empty.")
    activity: str = Field(description="What goes on, such as training or measuring.")
    step: int
    of: int
    unit: str = Field(description="What steps are.")
    rate: float = Field(description="Steps per second, of late.")
    seconds_left: float | None
    latest: float | None = Field(description="The last point of its first curve.")


class CurveView(Message):
    """A column of the log of a run over its steps."""

    run: str
    column: str
    label: str = Field(description="Of several curves of a column, such as an opponent.")
    points: list[tuple[float, float]]


class TrainingView(TrainingSummary):
    """A training with its curves, and what it has learnt so far."""

    config: str = Field(description="TOML.")
    problem: str
    curves: list[CurveView]
    models: list[ModelSummary]


class NoSuchTraining(LookupError):
    """A training that is not there."""


@dataclass(frozen=True)
class End:
    """How a training ended that did not come to its end, for those who look later.

    >>> End.of_signal("SIGTERM").problem
    'the training was killed by SIGTERM; its last checkpoint is kept'
    """

    problem: str = ""
    signal: str = ""

    @classmethod
    def of_signal(cls, name: str, *, too_slow: bool = False) -> End:
        """Say by which signal a training was killed; ``too_slow``: by us, for it did not stop."""
        why = "the training was killed by " + name
        if too_slow:
            why = f"the training did not stop in time and was killed ({name})"
        elif name == "SIGKILL":
            why += ", as the system does when memory runs out"
        return cls(f"{why}; its last checkpoint is kept", name)

    @classmethod
    def read(cls, folder: Path) -> End:
        """Read what was noted; nothing if it makes no sense."""
        written = _read_texts(folder / END)
        return cls(written.get("problem", ""), written.get("signal", ""))


@dataclass
class Trainings:
    """The trainings in one folder."""

    settings: Settings
    runs: Runs
    models: Models
    kinds: Mapping[str, Kind]
    _folder: Path = field(init=False)
    _ends: dict[str, End] = field(default_factory=dict)
    """Ends that this server has seen; a full disk may have kept them from being written."""

    def __post_init__(self) -> None:
        self._folder = self.settings.data.resolve() / TRAININGS

    def kind_views(self) -> list[KindView]:
        """Every kind of training with its configurations."""
        return [
            KindView(name=kind.name, help=kind.help, titles=kind.titles, configs=kind.configs())
            for kind in self.kinds.values()
        ]

    def form(self, kind: str, config: str) -> FormView:
        """A configuration as a form."""
        return FormView(kind=kind, config=config, sections=self._kind(kind).form(config))

    def all(self) -> list[TrainingSummary]:
        """Every training, the newest first."""
        if not self._folder.is_dir():
            return []
        folders = [path for path in self._folder.iterdir() if path.is_dir() and path.name[0] != "."]
        folders.sort(key=_changed, reverse=True)
        return [self._summary(path) for path in folders[: self.settings.kept_trainings]]

    def create(self, asked: TrainingRequest) -> None:
        """Make the folder of a training, and start it."""
        kind = self._kind(asked.kind)
        game, text = kind.write(asked.config, asked.values)
        folder = self._folder / asked.name
        if folder.exists():
            raise NotNow(f"there is a training {asked.name!r} already")
        if len(self.all()) >= self.settings.kept_trainings:
            raise NotNow(f"there are {self.settings.kept_trainings} trainings already")
        self.runs.check_room("training", self.settings.trainings)
        check_writable(self._folder)
        folder.mkdir()
        try:
            write_atomically(folder / CONFIG, text.encode())
            facts = {"kind": asked.kind, "game": game, "config": asked.config}
            write_atomically(folder / FACTS, json.dumps(facts).encode())
            self.start(asked.name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def start(self, name: str) -> None:
        """Go on with a training."""
        folder = self._find(name)
        facts = _facts(folder)
        kind = self._kind(facts.get("kind", ""))
        command = kind.command(facts.get("game", ""), folder / CONFIG, folder)
        run_name = PREFIX + name
        check_writable(folder)

        def work(run: Run) -> None:
            self._note_end(folder, End())
            (folder / OUTPUT).unlink(missing_ok=True)
            end = self._end(folder, self._train(run, folder, command), run.stopped.is_set())
            if end.problem:
                self._note_end(folder, end)
                raise WorkerError(end.problem)

        self.runs.start(run_name, work, kind="training", most=self.settings.trainings)
        self.runs.changed(run_name, at_once=True)

    def stop(self, name: str) -> None:
        """Let a training keep what it has done and end; it may take a while."""
        self._find(name)
        self.runs.stop(PREFIX + name)

    def remove(self, name: str) -> None:
        """Delete a training with all that it has learnt; `NotNow` while it is running."""
        folder = self._find(name)
        with self.runs.removing(PREFIX + name):
            folder.rename(folder.with_name(f".{name}{DELETED}"))  # as a whole, or not at all
            self._ends.pop(name, None)
        # What a server could not delete before goes now, too.
        for gone in self._folder.glob(f".*{DELETED}"):
            gone.unlink() if gone.is_symlink() else shutil.rmtree(gone)

    def view(self, name: str) -> TrainingView:
        """A training with its curves."""
        folder = self._find(name)
        curves = [
            _curve(run.name, curve) for run in _run_folders(folder) for curve in read_curves(run)
        ]
        try:
            config = read_text(folder / CONFIG, LARGEST_FACTS)
        except (OSError, ValueError):
            config = ""
        return TrainingView(
            **self._summary(folder).model_dump(),
            config=shown(config, self.settings),
            problem=without_paths(
                self.runs.problem(PREFIX + name) or self._known_end(folder).problem, self.settings
            ),
            curves=curves,
            models=self.models.below(f"{TRAININGS}{name}/"),
        )

    def _train(self, run: Run, folder: Path, command: Sequence[str]) -> Event:
        """Train in a process until it ends, or until the run is stopped."""
        with self.settings.pool(1, parents=True) as pool:
            task = pool.give(train, folder, command)
            asked = False
            while not (events := pool.events(LOOK_SECONDS)):
                if run.stopped.is_set() and not asked:
                    pool.stop(task, PATIENCE_SECONDS)
                    asked = True
                _shorten(folder / OUTPUT)
                self.runs.changed(run.name)
            return events[0]

    def _end(self, folder: Path, event: Event, stopped: bool) -> End:
        """How a training ended, by what its process said or did last."""
        match event:
            case Lost(how="stop", ended=name):
                return End.of_signal(name, too_slow=True)
            case Lost(ended=name) if name.startswith("SIG"):
                return End.of_signal(name)
            case Done(result=code) if code in (0, INTERRUPTED):
                return End()
            case Failed(error=WorkerError() as error):
                return End() if stopped else End(str(error))
        if stopped:  # it may have been about to begin
            return End()
        return End(self._last_words(folder))

    def _note_end(self, folder: Path, end: End) -> None:
        """Remember how a training ended, also for the next server if the disk permits it."""
        self._ends[folder.name] = end
        with contextlib.suppress(OSError):
            if end.problem:
                write_atomically(folder / END, json.dumps(asdict(end)).encode())
            else:
                (folder / END).unlink(missing_ok=True)

    def _known_end(self, folder: Path) -> End:
        return self._ends.get(folder.name) or End.read(folder)

    def _last_words(self, folder: Path) -> str:
        number = why_unwritable(folder)
        if number is not None:  # then it could not even say so
            return sentence_of(OSError(number, os.strerror(number)), self.settings)
        try:
            lines = (folder / OUTPUT).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            lines = []
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return last.removeprefix("spielbaum: ")[:400] or "the training ended without a word"

    def _summary(self, folder: Path) -> TrainingSummary:
        facts = _facts(folder)
        runs = _run_folders(folder)
        status = next((found for run in runs[::-1] if (found := read_status(run))), None)
        known = status or RunStatus(STOPPED, 0, 0)
        curves = read_curves(runs[-1]) if runs else []
        state = self._status(folder, known)
        return TrainingSummary(
            name=folder.name,
            kind=facts.get("kind", ""),
            game=facts.get("game", ""),
            status=state,
            signal=self._known_end(folder).signal if state == "killed" else "",
            activity=known.activity,
            step=known.step,
            of=known.of,
            unit=known.unit,
            rate=known.rate if state == "running" else 0.0,
            seconds_left=known.seconds_left if state == "running" else None,
            latest=next(
                (curve.points[-1][1] for curve in curves if curve.column.startswith(STRENGTH)), None
            ),
        )

    def _status(self, folder: Path, known: RunStatus) -> Status:
        run = self.runs.running(PREFIX + folder.name)
        if run is not None:
            return "stopping" if run.stopped.is_set() else "running"
        if known.activity == FINISHED:
            return "done"
        return "killed" if self._known_end(folder).signal else "stopped"

    def _find(self, name: str) -> Path:
        folder = self._folder / name
        if not folder.is_dir():
            raise NoSuchTraining(f"there is no training {name!r:.80}")
        return folder

    def _kind(self, name: str) -> Kind:
        if name not in self.kinds:
            raise SpecError(
                f"there is no kind of training {name!r:.40}; expected {', '.join(self.kinds)}"
            )
        return self.kinds[name]


def _run_folders(folder: Path) -> list[Path]:
    """The folders of the runs of a training; one may be a run itself."""
    found = [path for path in folder.glob("run*") if path.is_dir()]
    return sorted(found, key=lambda path: (len(path.name), path.name)) or [folder]


def _facts(folder: Path) -> dict[str, str]:
    return _read_texts(folder / FACTS)


def _read_texts(path: Path) -> dict[str, str]:
    """The texts of a small JSON file by name; none if it is missing or something else."""
    try:
        written = json.loads(read_text(path, LARGEST_FACTS))
        return {key: str(value) for key, value in written.items()}
    except (OSError, *DAMAGE):
        return {}


def _changed(folder: Path) -> float:
    """When a folder was changed; long ago if somebody has just deleted it."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def _shorten(path: Path) -> None:
    """Begin a file anew that is too large; whoever appends to it goes on at its new end."""
    with contextlib.suppress(OSError):
        if path.stat().st_size > LARGEST_OUTPUT:
            os.truncate(path, 0)


def _curve(run: str, curve: Curve) -> CurveView:
    """A curve with not too many points, of which the last is always there."""
    step = -(-len(curve.points) // MOST_POINTS) or 1
    points = [*curve.points[:-1:step], *curve.points[-1:]]
    return CurveView(run=run, column=curve.column, label=curve.label, points=points)
