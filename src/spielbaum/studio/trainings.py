"""Trainings of the page: folders in the data folder, each trained by a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field

import spielbaum
from spielbaum.bounded import DAMAGE, read_text
from spielbaum.errors import SpecError, WorkerError
from spielbaum.learn.arrays import write_atomically
from spielbaum.learn.run_folder import (
    FINISHED,
    STOPPED,
    Curve,
    RunStatus,
    read_curves,
    read_status,
)
from spielbaum.studio.files import shown
from spielbaum.studio.models import TRAININGS, Models, ModelSummary
from spielbaum.studio.protocol import Message, RunName
from spielbaum.studio.runs import NotNow, Run, Runs
from spielbaum.studio.settings import Settings
from spielbaum.studio.training_forms import FormView, Kind, KindView, TrainingValues
from spielbaum_command import INTERRUPTED

PREFIX = "training/"
"""Runs of trainings are called so, and their name; no tournament can be."""
CONFIG, FACTS, OUTPUT = "config.toml", "training.json", "output.txt"
LOOK_SECONDS = 0.5
PATIENCE_SECONDS = 60.0
"""How long a training may take to stop before it is killed; its last checkpoint is there anyway."""
MOST_POINTS = 400
STRENGTH = ("share", "elo", "accuracy")
"""What the columns of logs that say how strong a network is begin with."""
LARGEST_FACTS = 100_000

Status = Literal["running", "stopping", "stopped", "done"]


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


@dataclass
class Trainings:
    """The trainings in one folder."""

    settings: Settings
    runs: Runs
    models: Models
    kinds: Mapping[str, Kind]
    _folder: Path = field(init=False)

    def __post_init__(self) -> None:
        self._folder = self.settings.data.resolve() / TRAININGS

    def kind_views(self) -> list[KindView]:
        """Every kind of training with its configurations."""
        return [
            KindView(name=kind.name, help=kind.help, configs=kind.configs())
            for kind in self.kinds.values()
        ]

    def form(self, kind: str, config: str) -> FormView:
        """A configuration as a form."""
        return FormView(kind=kind, config=config, sections=self._kind(kind).form(config))

    def all(self) -> list[TrainingSummary]:
        """Every training, the newest first."""
        if not self._folder.is_dir():
            return []
        folders = [path for path in self._folder.iterdir() if path.is_dir()]
        folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
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
        folder.mkdir(parents=True)
        write_atomically(folder / CONFIG, text.encode())
        facts = {"kind": asked.kind, "game": game, "config": asked.config}
        write_atomically(folder / FACTS, json.dumps(facts).encode())
        self.start(asked.name)

    def start(self, name: str) -> None:
        """Go on with a training."""
        folder = self._find(name)
        facts = _facts(folder)
        kind = self._kind(facts.get("kind", ""))
        command = kind.command(facts.get("game", ""), folder / CONFIG, folder)
        limit = str(self.settings.process_megabytes)
        trainee = [sys.executable, "-P", "-m", "spielbaum.studio.trainee", limit, *command]
        run_name = PREFIX + name

        def train(run: Run) -> None:
            with (folder / OUTPUT).open("wb") as output:
                # A session of its own: Ctrl-C is for the server, which passes it on.
                process = subprocess.Popen(
                    trainee, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    start_new_session=True, cwd=folder, env=_environment(),
                )  # fmt: skip
            self._watch(process, run, run_name)
            if run.stopped.is_set():  # whatever its code is: it may have been about to begin
                if process.returncode == -signal.SIGKILL:
                    raise WorkerError("it did not stop in time; its last checkpoint is there")
            elif process.returncode not in (0, INTERRUPTED):
                raise WorkerError(self._last_words(folder, process.returncode))

        self.runs.start(run_name, train, kind="training", most=self.settings.trainings)
        self.runs.changed(run_name, at_once=True)

    def stop(self, name: str) -> None:
        """Let a training keep what it has done and end; it may take a while."""
        self._find(name)
        self.runs.stop(PREFIX + name)

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
            problem=shown(self.runs.problem(PREFIX + name), self.settings),
            curves=curves,
            models=self.models.below(f"{TRAININGS}{name}/"),
        )

    def _watch(self, process: subprocess.Popen[bytes], run: Run, name: str) -> None:
        asked: float | None = None
        while process.poll() is None:
            if run.stopped.wait(LOOK_SECONDS) and asked is None:
                process.send_signal(signal.SIGINT)
                asked = time.monotonic()
            elif asked is not None:
                time.sleep(LOOK_SECONDS / 5)
                if time.monotonic() - asked > PATIENCE_SECONDS:
                    process.kill()
            self.runs.changed(name)

    def _last_words(self, folder: Path, code: int) -> str:
        try:
            lines = (folder / OUTPUT).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            lines = []
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        words = last.removeprefix("spielbaum: ")[:400]
        return words or f"the training ended with exit code {code}"

    def _summary(self, folder: Path) -> TrainingSummary:
        facts = _facts(folder)
        runs = _run_folders(folder)
        status = next((found for run in runs[::-1] if (found := read_status(run))), None)
        known = status or RunStatus(STOPPED, 0, 0)
        curves = read_curves(runs[-1]) if runs else []
        state = self._status(folder.name, known)
        return TrainingSummary(
            name=folder.name,
            kind=facts.get("kind", ""),
            game=facts.get("game", ""),
            status=state,
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

    def _status(self, name: str, known: RunStatus) -> Status:
        run = self.runs.running(PREFIX + name)
        if run is not None:
            return "stopping" if run.stopped.is_set() else "running"
        return "done" if known.activity == FINISHED else "stopped"

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
    try:
        written = json.loads(read_text(folder / FACTS, LARGEST_FACTS))
        return {key: str(value) for key, value in written.items()}
    except (OSError, *DAMAGE):
        return {}


def _curve(run: str, curve: Curve) -> CurveView:
    """A curve with not too many points, of which the last is always there."""
    step = -(-len(curve.points) // MOST_POINTS) or 1
    points = [*curve.points[:-1:step], *curve.points[-1:]]
    return CurveView(run=run, column=curve.column, label=curve.label, points=points)


def _environment() -> dict[str, str]:
    """Trainings use the same package as the server, in whatever folder they are started."""
    package = str(Path(spielbaum.__file__).parents[1])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}
