"""Runs experiments about networks: trains them, or draws tuples and counts."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import statistics
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np

from spielbaum.agents.ntuple import NTupleAgent
from spielbaum.agents.resistance import RESISTANCE
from spielbaum.arena.strength import PERFECT, RESISTING, Referee, measure_agent, measure_perfect
from spielbaum.base.budget import Budget
from spielbaum.base.rng import Rng
from spielbaum.base.statistics import Estimate
from spielbaum.games import game
from spielbaum.lab.experiment import Count, Counts, Course, ScaleName, Trainings
from spielbaum.models.ntuple import random_tuples, realisable_states
from spielbaum.models.ntuple_file import load_network
from spielbaum.train.methods.ntuple.config import TrainingConfig, TupleSet, load_config
from spielbaum.train.methods.ntuple.training import Progress, Training, read_log

EXTRA_GAMES = 100
"""Games that a trained network plays with alpha-beta on top, as the second player, or against
others than the perfect player."""
EXTRA_BUDGET = Budget(iterations=10_000)
LOOK_SECONDS = 0.5
"""Between two looks at how far trainings are."""
TIMED_GAMES = 50
"""Seconds are those of so many games."""

# Two-sided 95 % quantiles of Student's t, by degrees of freedom.
_STUDENT = (math.inf, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)

Tell = Callable[[str, int, int], None]


def config_of(course: Course, experiment: Trainings, scale: ScaleName) -> TrainingConfig:
    """The configuration of a cell at a scale.

    >>> from spielbaum.lab import experiment
    >>> figure = experiment("S1.figure4.14")
    >>> config = config_of(figure.cells[0], figure, "paper")
    >>> config.network["contents"], config.games
    (3, 10000000)
    """
    config = load_config(course.config)
    sections: dict[str, dict[str, Any]] = {
        "network": dict(config.network),
        "learning": dict(config.learning),
    }
    for name, value in course.changes:
        section, key = name.split(".")
        sections[section][key] = value
    config = dataclasses.replace(config, network=sections["network"], learning=sections["learning"])
    if course.tuples is not None:
        config = dataclasses.replace(config, tuples=(TupleSet(*course.tuples),))
    if scale == "small" and experiment.small_games != 1.0:
        games = round(config.games * experiment.small_games)
        epsilon = dataclasses.replace(config.epsilon, at=config.epsilon.at * experiment.small_games)
        config = dataclasses.replace(config, games=games, epsilon=epsilon)
    return config


def folder_of(config: TrainingConfig, base: Path) -> Path:
    """Where a training is kept; equal configurations share it, whichever figures they are for."""
    written = json.dumps(config.facts(), sort_keys=True)
    return base / hashlib.sha256(written.encode()).hexdigest()[:12]


def train(experiment: Trainings, base: Path, scale: ScaleName, jobs: int, tell: Tell) -> None:
    """Train what is not trained yet, so many at a time, and measure what is not measured then."""
    todo: dict[Path, _Job] = {}
    for cell in experiment.cells:
        if cell.paper_only and scale == "small":
            continue
        config = config_of(cell, experiment, scale)
        for run in range(1, experiment.runs_at(scale) + 1):
            folder = folder_of(config, base) / f"run{run}"
            job = todo.setdefault(folder, _Job(config, run, folder))
            job.until = max(job.until, cell.at or config.games)
            if _is_extra(experiment, cell):
                job.extras.append(cell)
    with ThreadPoolExecutor(jobs) as pool:  # they train in C++, and so at the same time
        waiting = {pool.submit(job.run) for job in todo.values()}
        try:
            while waiting:
                done, waiting = wait(waiting, LOOK_SECONDS, FIRST_EXCEPTION)
                for each in done:
                    each.result()
                games = sum(min(job.games, job.until) for job in todo.values())
                tell(experiment.id, games, sum(job.until for job in todo.values()))
        except BaseException:
            for job in todo.values():
                job.stop()
            raise


class _Job:
    """One training, and the games that cells want to be played with its network."""

    def __init__(self, config: TrainingConfig, run: int, folder: Path) -> None:
        self.config = config
        self.number = run
        self.folder = folder
        self.extras: list[Course] = []
        self.until = 0
        """After so many games of the training, no cell needs more."""
        self.games = 0
        self._training: Training | None = None
        self._stopped = False

    def run(self) -> None:
        if self._stopped:
            return
        self._training = Training(self.config, self.number, self.folder)
        self._training.run(self._note)
        for cell in self.extras:
            if not self._stopped:
                _play_extra(self.config, self.folder, cell)

    def stop(self) -> None:
        self._stopped = True
        if self._training is not None:
            self._training.stop()

    def _note(self, progress: Progress) -> None:
        self.games = progress.games
        measured = progress.rows[-1].games if progress.rows else 0
        if self._training is not None and (self._stopped or measured >= self.until):
            self._training.stop()


def result(experiment: Trainings, cell: Course, base: Path, scale: ScaleName) -> Estimate | None:
    """The mean of a cell's runs, with its interval; None if there are none yet."""
    config = config_of(cell, experiment, scale)
    means = []
    for run in range(1, experiment.runs_at(scale) + 1):
        folder = folder_of(config, base) / f"run{run}"
        if _is_extra(experiment, cell):
            found = _extra(experiment, cell, folder)
        else:
            found = _success(experiment, cell, config, folder)
        if found is not None:
            means.append(found)
    if not means:
        return None
    mean = statistics.mean(means)
    freedom = len(means) - 1
    most = 100.0 if experiment.measure == "success" else math.inf
    if freedom == 0:
        return Estimate(mean, 0.0, most)
    quantile = _STUDENT[freedom] if freedom < len(_STUDENT) else 2.0
    margin = quantile * statistics.stdev(means) / math.sqrt(len(means))
    return Estimate(mean, max(0.0, mean - margin), min(most, mean + margin))


def count(experiment: Counts, cell: Count) -> float:
    """Draw tuples, and count."""
    rules = game(experiment.game)
    rng = Rng(cell.length)
    states: list[float] = []
    visits = np.zeros(len(rules.initial().cells))
    for _ in range(experiment.draws):
        cells = random_tuples(rules, cell.kind, [cell.length], rng=rng)[0]
        if cell.cell is None:
            size = cell.contents**cell.length
            states.append(realisable_states(rules, cells, cell.contents) / size)
        else:
            visits[list(cells)] += 1
    if cell.cell is None:
        return 100 * statistics.mean(states)
    return float(1000 * visits[cell.cell] / visits.sum())


def _success(
    experiment: Trainings, cell: Course, config: TrainingConfig, folder: Path
) -> float | None:
    """Percent, as measured during the training."""
    if not (folder / "log.csv").exists():
        return None
    rows = [row for row in read_log(folder) if row.opponent == cell.opponent]
    if cell.at is not None:
        near = [row.share for row in rows if row.games >= cell.at]
        return 100 * near[0] if near else None
    last = [row.share for row in rows if row.games >= experiment.since * config.games]
    return 100 * statistics.mean(last) if rows and rows[-1].games == config.games else None


def _is_extra(experiment: Trainings, cell: Course) -> bool:
    """Whether a cell needs games of its own with the trained network."""
    measured_in_training = cell.opponent in (PERFECT, RESISTING) and not cell.depth + cell.seat
    return experiment.measure == "seconds" or not measured_in_training


def _extra_path(folder: Path, cell: Course) -> Path:
    return folder / f"{cell.opponent}-seat{cell.seat}-depth{cell.depth}.json"


def _extra(experiment: Trainings, cell: Course, folder: Path) -> float | None:
    path = _extra_path(folder, cell)
    if not path.exists():
        return None
    found = json.loads(path.read_text())
    if experiment.measure == "seconds":
        return float(TIMED_GAMES * found["seconds"] / found["games"])
    return float(100 * found["share"])


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
