"""Trainings of n-tuple networks: how well they play in the end, over several runs."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import statistics
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from spielbaum.agents.ntuple import NTupleAgent
from spielbaum.agents.resistance import RESISTANCE
from spielbaum.arena.strength import PERFECT, RESISTING, Referee, measure_agent, measure_perfect
from spielbaum.base.budget import Budget
from spielbaum.base.options import OptionValue
from spielbaum.base.statistics import Estimate
from spielbaum.lab.experiment import (
    Agreement,
    Cell,
    Entry,
    Experiment,
    Measured,
    ScaleName,
    Verdict,
)
from spielbaum.models.ntuple_file import load_network
from spielbaum.train.methods.ntuple.config import TrainingConfig, TupleSet, load_config
from spielbaum.train.methods.ntuple.method import METHOD, NTupleRow, read_log
from spielbaum.train.run import Run
from spielbaum.train.run_folder import RunStatus

if TYPE_CHECKING:
    from spielbaum.lab.runner import Lab

EXTRA_GAMES = 100
"""Games that a trained network plays with alpha-beta on top, as the second player, or against
others than the perfect player."""
EXTRA_BUDGET = Budget(iterations=10_000)
LOOK_SECONDS = 0.5
"""Seconds between two looks at how far trainings are."""
TIMED_GAMES = 50
"""The number of games whose seconds are published."""

# Two-sided 95 % quantiles of Student's t, by degrees of freedom.
_STUDENT = (math.inf, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


@dataclass(frozen=True, kw_only=True)
class Course(Cell):
    """A training of a network; published is its success against the perfect player in percent.

    >>> Course(row="m = 3", config="s1-base", changes=(("network.contents", 3),)).column
    'success'
    """

    column: str = "success"
    config: str
    """The name of a configuration of the package."""
    changes: tuple[tuple[str, OptionValue], ...] = ()
    """What is different from it: section and key, and the value."""
    tuples: tuple[str, int, int] | None = None
    """Kind, number and length of other tuples than those of the configuration."""
    at: int | None = None
    """The number of training games at which success is read; None: the mean of the last part."""
    depth: int = 0
    """Plies of alpha-beta below each move when success is measured."""
    opponent: str = RESISTING
    """Who is played against: one of the perfect players, or an agent, which has 10,000 iterations
    for each move."""
    seat: int = 0
    """The seat of the network; 0 is the first player's."""
    paper_only: bool = False
    """Whether it takes too long for the small scale."""


@dataclass(frozen=True, kw_only=True)
class Trainings(Experiment[Course]):
    """Trainings of networks: how well they play in the end, over several runs.

    >>> from spielbaum.lab import experiment
    >>> figure = experiment("S1.figure4.14")
    >>> [(cell.row, cell.published) for cell in figure.cells]
    [('m = 3', 81), ('m = 4', 91)]
    """

    measure: Literal["success", "seconds"] = "success"
    """Success in percent, or seconds of 50 games."""
    runs: int = 10
    """Repetitions in the document."""
    small_runs: int = 3
    small_games: float = 1.0
    """Training games at the small scale, as a share of the document's."""
    since: float = 0.6
    """The mean is that of all measurements after this share of the training."""

    def runs_at(self, scale: ScaleName) -> int:
        """Return the number of repetitions of each training.

        >>> from spielbaum.lab import experiment
        >>> experiment("S1.figure4.14").runs_at("small")
        2
        """
        return self.runs if scale == "paper" else self.small_runs

    def config_of(self, cell: Course, scale: ScaleName) -> TrainingConfig:
        """Return the configuration of a cell at a scale.

        >>> from spielbaum.lab import experiment
        >>> figure = experiment("S1.figure4.14")
        >>> config = figure.config_of(figure.cells[0], "paper")
        >>> config.network["contents"], config.games
        (3, 10000000)
        """
        config = load_config(cell.config)
        sections: dict[str, dict[str, Any]] = {
            "network": dict(config.network),
            "learning": dict(config.learning),
        }
        for name, value in cell.changes:
            section, key = name.split(".")
            sections[section][key] = value
        config = dataclasses.replace(
            config, network=sections["network"], learning=sections["learning"]
        )
        if cell.tuples is not None:
            config = dataclasses.replace(config, tuples=(TupleSet(*cell.tuples),))
        if scale == "small" and self.small_games != 1.0:
            games = round(config.games * self.small_games)
            epsilon = dataclasses.replace(config.epsilon, at=config.epsilon.at * self.small_games)
            config = dataclasses.replace(config, games=games, epsilon=epsilon)
        return config

    # ---- running ----
    def run(self, lab: Lab) -> None:
        """Train what is not trained yet, several at a time, and play the games it is judged by."""
        todo: dict[Path, _Job] = {}
        for cell in self.cells:
            if cell.paper_only and lab.scale == "small":
                continue
            config = self.config_of(cell, lab.scale)
            for number, folder in enumerate(self._folders(lab, config), start=1):
                job = todo.setdefault(folder, _Job(config, number, folder))
                job.until = max(job.until, cell.at or config.games)
                if self._is_extra(cell):
                    job.extras.append(cell)
        with ThreadPoolExecutor(lab.jobs) as pool:  # they train in C++, and so at the same time
            waiting = {pool.submit(job.run) for job in todo.values()}
            try:
                while waiting:
                    done, waiting = wait(waiting, LOOK_SECONDS, FIRST_EXCEPTION)
                    for each in done:
                        each.result()
                    games = sum(min(job.games, job.until) for job in todo.values())
                    lab.tell(self.id, games, sum(job.until for job in todo.values()))
            except BaseException:
                for job in todo.values():
                    job.stop()
                raise
        lab.keep_facts(self)

    def results(self, lab: Lab) -> list[Measured[Course]]:
        """Read the mean of every cell's runs, with its interval."""
        return [Measured(cell, self._mean(lab, cell)) for cell in self.cells]

    def _mean(self, lab: Lab, cell: Course) -> Estimate | None:
        config = self.config_of(cell, lab.scale)
        found = [
            self._extra(cell, folder)
            if self._is_extra(cell)
            else self._success(cell, config, folder)
            for folder in self._folders(lab, config)
        ]
        means = [each for each in found if each is not None]
        if not means:
            return None
        mean = statistics.mean(means)
        freedom = len(means) - 1
        most = 100.0 if self.measure == "success" else math.inf
        if freedom == 0:
            return Estimate(mean, 0.0, most)
        quantile = _STUDENT[freedom] if freedom < len(_STUDENT) else 2.0
        margin = quantile * statistics.stdev(means) / math.sqrt(len(means))
        return Estimate(mean, max(0.0, mean - margin), min(most, mean + margin))

    def _folders(self, lab: Lab, config: TrainingConfig) -> list[Path]:
        base = folder_of(config, lab.trainings)
        return [base / f"run{number}" for number in range(1, self.runs_at(lab.scale) + 1)]

    def _success(self, cell: Course, config: TrainingConfig, folder: Path) -> float | None:
        """Read the percents that were measured during the training."""
        if not (folder / "log.csv").exists():
            return None
        rows = [row for row in read_log(folder) if row.opponent == cell.opponent]
        if cell.at is not None:
            near = [row.share for row in rows if row.games >= cell.at]
            return 100 * near[0] if near else None
        last = [row.share for row in rows if row.games >= self.since * config.games]
        return 100 * statistics.mean(last) if rows and rows[-1].games == config.games else None

    def _is_extra(self, cell: Course) -> bool:
        """Return whether a cell needs games of its own with the trained network."""
        measured_in_training = cell.opponent in (PERFECT, RESISTING) and not cell.depth + cell.seat
        return self.measure == "seconds" or not measured_in_training

    def _extra(self, cell: Course, folder: Path) -> float | None:
        path = _extra_path(folder, cell)
        if not path.exists():
            return None
        found = json.loads(path.read_text())
        if self.measure == "seconds":
            return float(TIMED_GAMES * found["seconds"] / found["games"])
        return float(100 * found["share"])

    def size(self, lab: Lab) -> str:
        """Return how many runs each cell has, and how long they are."""
        text = f", {self.runs_at(lab.scale)} runs a cell (the document: {self.runs})"
        if lab.scale == "small" and self.small_games != 1:
            text += f" with {100 * self.small_games:g} % of the document's training games"
        return text

    # ---- judging and reporting ----
    def judge(self, measured: Measured[Course]) -> Verdict:
        """Look whether the interval contains the published figure."""
        return Verdict(measured.contains, "")

    @property
    def unit(self) -> str:
        """What is measured."""
        return "success in percent" if self.measure == "success" else "seconds of 50 games"

    @property
    def measured_in(self) -> str:
        """The unit of its figures."""
        return self.unit

    def line(self, measured: Measured[Course]) -> tuple[Entry, ...]:
        """Return how the cell is trained, and the figures."""
        cell = measured.cell
        changes = ", ".join(f"{name} = {value}" for name, value in cell.changes)
        tuples = "" if cell.tuples is None else " x ".join(map(str, cell.tuples[1:]))
        config = "; ".join(text for text in (cell.config, changes, tuples) if text)
        return (("configuration", config), *super().line(measured))

    def sentence(self, counts: Agreement, results: Sequence[Measured[Course]]) -> str:
        """Say how many intervals contain the published figure."""
        return f"{counts.contained} of {counts.compared} intervals contain the published figure."


def folder_of(config: TrainingConfig, base: Path) -> Path:
    """Return where a training is kept; equal configurations of any experiments share it."""
    written = json.dumps(config.facts(), sort_keys=True)
    return base / hashlib.sha256(written.encode()).hexdigest()[:12]


class _Job:
    """One training, and the games that cells want to be played with its network."""

    def __init__(self, config: TrainingConfig, run: int, folder: Path) -> None:
        self.config = config
        self.number = run
        self.folder = folder
        self.extras: list[Course] = []
        self.until = 0
        """The number of training games after which no cell needs more."""
        self.games = 0
        self._training: Run[NTupleRow] | None = None
        self._stopped = False

    def run(self) -> None:
        if self._stopped:
            return
        self._training = Run(METHOD, self.config, self.folder, number=self.number)
        self._training.run(self._note)
        for cell in self.extras:
            if not self._stopped:
                _play_extra(self.config, self.folder, cell)

    def stop(self) -> None:
        self._stopped = True
        if self._training is not None:
            self._training.stop()

    def _note(self, now: RunStatus, lines: Sequence[str]) -> None:
        self.games = now.step
        if self._training is not None:
            rows = self._training.desk.rows
            if self._stopped or (rows and rows[-1].games >= self.until):
                self._training.stop()


def _extra_path(folder: Path, cell: Course) -> Path:
    return folder / f"{cell.opponent}-seat{cell.seat}-depth{cell.depth}.json"


def _play_extra(config: TrainingConfig, folder: Path, cell: Course) -> None:
    """Play with the last network as a cell says, and keep the result."""
    path = _extra_path(folder, cell)
    if path.exists():
        return
    player = NTupleAgent.of(load_network(folder / "last.npz"), cell.depth)
    if cell.opponent in (PERFECT, RESISTING):
        found = measure_perfect(
            player.greedy,
            Referee(config.game),
            config.game,
            EXTRA_GAMES,
            seat=cell.seat,
            resistance=RESISTANCE if cell.opponent == RESISTING else 0,
        )
    else:
        found = measure_agent(
            player,
            cell.opponent,
            config.game,
            EXTRA_GAMES,
            opening=0,
            budget=EXTRA_BUDGET,
            seat=cell.seat,
        )
    facts = {"share": found.share, "seconds": found.seconds, "games": EXTRA_GAMES}
    path.write_text(json.dumps(facts))
