"""The training of a value network in its folder: games, perhaps a search for a network, epochs.

Everything that was finished is on disk at any moment, in files that are there as a whole or not at
all: ``games.db`` (the games), ``search/`` (the study, and what it found) and
``checkpoint.safetensors`` (network and optimizer after the last epoch). After a crash the run looks
how far each of them is, and goes on from there.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spielbaum.arena.executor import Executor, Workers
from spielbaum.arena.plan import Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.store import Store
from spielbaum.base.arrays import write_atomically
from spielbaum.base.discover import load
from spielbaum.base.errors import WorkerError
from spielbaum.base.lock import take_lock
from spielbaum.train.config import read_toml, write_toml
from spielbaum.train.event_log import EventLog
from spielbaum.train.methods.value.config import ValueConfig, read_config
from spielbaum.train.methods.value.positions import Lessons, make_lessons
from spielbaum.train.methods.value.report import Row, write_plots, write_rows
from spielbaum.train.nets.net_config import shape_of
from spielbaum.train.run_folder import (
    FINISHED,
    RunStatus,
    StatusFile,
    check_config,
    keep_config,
    needs_extra,
)

if TYPE_CHECKING:
    from spielbaum.train.methods.value.architectures import Tried
    from spielbaum.train.methods.value.training import Trainer

GAMES = "games.db"
NET = "best.onnx"
SEARCH = "search"
FOUND = "best.toml"
SOME = 100
"""Games after which it is told how many have been read."""


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    >>> Progress("games", 3, 10).of
    10
    """

    phase: str
    """``games``, ``positions``, ``search`` or ``training``."""
    done: int
    """Games, epochs of all trials, or epochs."""
    of: int
    line: str = ""
    """Something that is worth being kept in sight: what was found just now."""


Report = Callable[[Progress], None]


class ValueRun:
    """A training in a folder, which is made, or goes on where it was interrupted."""

    def __init__(
        self,
        config: ValueConfig,
        folder: Path,
        games: Path | None = None,
        executor: Executor | None = None,
    ) -> None:
        """``games``: where games are kept, if several trainings share them."""
        self.config = config
        self.folder = folder
        self._game = config.rules()
        folder.mkdir(parents=True, exist_ok=True)
        check_config(folder, config, read_config)
        self._games = games or folder / GAMES
        self._executor = executor or Workers(config.games.processes or None)
        self._report: Report | None = None
        self._status = StatusFile(folder)
        self._since = ("", 0, 0.0)
        """A phase, what was done of it when it began, and when that was."""

    def run(self, report: Report | None = None) -> list[Row]:
        """Play, perhaps search, and train to the last epoch; answers all epochs."""
        self._report = report
        try:
            make = load(__package__, "training").Trainer
        except ImportError as error:
            raise needs_extra(error) from None
        with take_lock(self.folder), EventLog(self.folder) as events:
            keep_config(self.folder, self.config, read_config)
            self._play()
            lessons = self._lessons()
            config = self._with_best_network(lessons)
            settings = config.positions
            samples = lessons.split(settings.most, settings.validation, config.seed, settings.split)
            trainer: Trainer = make(
                self._game, config.network, config.training, samples, config.seed
            )
            trainer.restore(self.folder)
            self._tell("training", len(trainer.rows), config.training.epochs, _facts(trainer))
            while not trainer.done:
                row = trainer.epoch()
                if row == trainer.best:
                    self._export(trainer, config, lessons)
                trainer.save(self.folder)
                write_rows(self.folder, trainer.rows)
                events.add(row.epoch, row.numbers())
                self._tell("training", row.epoch, config.training.epochs, row.line())
            write_rows(self.folder, trainer.rows)
            write_plots(self.folder, trainer.rows)
            epochs = len(trainer.rows)  # perhaps fewer than planned
            self._status.tell(RunStatus(FINISHED, epochs, epochs, "epochs"))
            return trainer.rows

    def _play(self) -> None:
        """Play the games that are missing."""
        plan = self.config.plan()
        self._games.parent.mkdir(parents=True, exist_ok=True)
        with Store(self._games) as store:
            run = store.open_run(run_name(plan), plan)
            done = len(store.done(run))
            self._tell("games", done, plan.num_games)
            if done < plan.num_games:
                records = run_plan(plan, self._executor, store, run_name(plan))
                for number, _ in enumerate(records, start=1):
                    self._tell("games", number, plan.num_games)
                done = len(store.done(run))
        if done < plan.num_games:
            raise WorkerError(f"{done} of {plan.num_games} games were played before it was stopped")

    def _lessons(self) -> Lessons:
        plan, config = self.config.plan(), self.config
        encoding = shape_of(self._game, config.network).encoding

        def report(games: int) -> None:
            if games % SOME == 0:
                self._tell("positions", games, plan.num_games)

        with Store(self._games) as store:
            run, _ = store.plan(run_name(plan))
            records = store.records(run)
            lessons = make_lessons(
                records,
                self._game,
                encoding,
                symmetries=config.positions.symmetries,
                ends=config.positions.ends,
                report=report,
            )
        text = (
            f"{lessons.games:,} games with {lessons.seen:,} positions, {lessons.distinct:,} of "
            f"them different, {lessons.all_images:,} with all images"
        )
        self._tell("positions", lessons.games, lessons.games, text)
        return lessons

    def _with_best_network(self, lessons: Lessons) -> ValueConfig:
        """The configuration, with the network that the search finds if there is one."""
        config, folder = self.config, self.folder / SEARCH
        if config.search.trials == 0:
            return config
        try:
            find_network = load(__package__, "architectures").find_network
        except ImportError as error:
            raise needs_extra(error, "the search") from None
        shown: list[Tried] = []

        def tell(done: int, of: int, trials: list[Tried]) -> None:
            for each in trials[len(shown) :]:
                shown.append(each)
                self._tell("search", done, of, each.line())
            self._tell("search", done, of)

        found = folder / FOUND
        if not found.exists():
            settings = config.positions
            most = min(config.search.most, settings.most)
            samples = lessons.split(most, settings.validation, config.seed, settings.split)
            best = find_network(config, self._game, samples, folder, tell)
            write_atomically(found, write_toml(best.model_dump(mode="json")).encode())
        best = read_config(read_toml(found))
        epochs = {"training.epochs": config.training.epochs}
        return best.with_values(epochs)

    def _export(self, trainer: Trainer, config: ValueConfig, lessons: Lessons) -> None:
        best = trainer.best
        assert best is not None
        guess_mse, guess_mae = trainer.guess()
        training = {
            "method": config.method,
            "epoch": best.epoch,
            "mse": best.mse,
            "mae": best.mae,
            "guess_mse": guess_mse,
            "guess_mae": guess_mae,
            "games": lessons.games,
            "positions": min(config.positions.most, lessons.all_images),
            "config": config.model_dump(mode="json"),
        }
        trainer.export(self.folder / NET, training)

    def _tell(self, phase: str, done: int, of: int, line: str = "") -> None:
        now = time.monotonic()
        if self._since[0] != phase:
            self._since = (phase, done, now)
        _, first, began = self._since
        rate = (done - first) / (now - began) if done > first else 0.0
        unit = "games" if phase in ("games", "positions") else "epochs"
        self._status.tell(RunStatus(phase, done, of, unit, rate))
        if self._report is not None:
            self._report(Progress(phase, done, of, line))


def run_name(plan: Plan) -> str:
    """What games of a plan are called in a store: those of other plans may lie beside them."""
    return "value " + hashlib.sha256(plan.to_json().encode()).hexdigest()[:12]


def _facts(trainer: Trainer) -> str:
    square, absolute = trainer.guess()
    return (
        f"network with {trainer.net.parameter_count():,} weights; whoever always answers the mean "
        f"has a mean squared error of {square:.4f}, absolute {absolute:.4f}"
    )
