"""Runs experiments: plays games, measures speeds and times, reads what was played."""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from spielbaum.agents import Budget, stored_agent
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.relative import relative_limits
from spielbaum.arena.runner import run_plan
from spielbaum.arena.store import Store
from spielbaum.arena.workers import Executor
from spielbaum.base.statistics import Estimate, Score, share_estimate
from spielbaum.games import game
from spielbaum.lab import networks, self_play, trainings
from spielbaum.lab.catalog import experiment as find_experiment
from spielbaum.lab.experiment import (
    Cell,
    Counts,
    Deviation,
    Deviations,
    Experiment,
    Matches,
    Pairing,
    Reading,
    Scale,
    ScaleName,
    SearchTimes,
    SelfPlay,
    Speeds,
    Summary,
    Trainings,
)
from spielbaum.lab.facts import facts_now
from spielbaum.play.openings import Openings
from spielbaum.play.referee import GameRecord, score_of

RUNS = 5
"""How often speeds and times are measured; the median counts."""


@dataclass(frozen=True)
class Measured:
    """A cell, and what came out here; for matches also the score, for the others a ratio."""

    cell: Cell
    value: Estimate | float | None
    """In the unit of the published figure; None if there is nothing yet."""
    score: Score | None = None
    ratio: float | None = None
    """To the plain agent, where that is what can be compared."""
    published_ratio: float | None = None
    course: tuple[float, ...] = ()
    """What it is about, after every epoch or loop of a training, where that is asked for."""


@dataclass
class Lab:
    """Where experiments are run: a file for their games, workers that play them, and how many."""

    store: Path
    executor: Executor
    scale: ScaleName = "small"
    games: int | None = None
    """Games of each cell, if not as many as the scale says."""
    jobs: int = 1
    """Trainings of n-tuple networks at the same time."""
    as_played: bool = False
    """For reports: if nobody says how many games, the most that the file has of an experiment."""
    tell: Callable[[str, int, int], None] = field(default=lambda what, done, total: None)
    """Is told the cell at hand, and how many games of it are done."""

    def run(self, experiment: Experiment) -> list[Measured]:
        """Do what is not done yet, and answer everything that is known."""
        for name in networks.named_in(experiment):
            networks.train(name, self.trainings, self.scale, self.executor, self.tell)
        if isinstance(experiment, Matches):
            for cell in distinct(experiment):
                self._play(experiment, cell)
        elif isinstance(experiment, (Speeds, SearchTimes)):
            self._measure(experiment)
        elif isinstance(experiment, Trainings):
            trainings.train(experiment, self.trainings, self.scale, self.jobs, self.tell)
            self._note_facts(experiment)
        elif isinstance(experiment, Counts):
            values = [trainings.count(experiment, cell) for cell in experiment.cells]
            with Store(self.store) as store:
                store.set_note(f"{experiment.id}/values", json.dumps(values))
            self._note_facts(experiment)
        elif isinstance(experiment, SelfPlay):
            self_play.train(experiment, self.trainings, self.store, self.executor, self.tell)
            self._note_facts(experiment)
        elif isinstance(experiment, Deviations):
            self._note_facts(experiment)
        return self.results(experiment)

    @property
    def trainings(self) -> Path:
        """The folder of networks, beside the file of games."""
        return self.store.with_name(self.store.stem + "-trainings")

    def results(self, experiment: Experiment) -> list[Measured]:
        """What is known."""
        if isinstance(experiment, Matches):
            cells = (*experiment.cells, *experiment.variants)
            return [self._result(experiment, cell) for cell in cells]
        if isinstance(experiment, (Speeds, SearchTimes)):
            return self._measured(experiment)
        if isinstance(experiment, Trainings):
            return [
                Measured(cell, trainings.result(experiment, cell, self.trainings, self.scale))
                for cell in experiment.cells
            ]
        if isinstance(experiment, SelfPlay):
            with Store(self.store, for_reading=True) as store:
                score = store.note(self_play.note_name(experiment))
            found = [
                (cell, *self_play.result(experiment, cell, self.trainings, score))
                for cell in experiment.cells
            ]
            return [Measured(cell, value, course=course) for cell, value, course in found]
        if isinstance(experiment, Deviations):
            return [self._error(experiment, cell) for cell in experiment.cells]
        if isinstance(experiment, Counts):
            with Store(self.store, for_reading=True) as store:
                text = store.note(f"{experiment.id}/values")
            known = [None] * len(experiment.cells) if text is None else json.loads(text)
            return [
                Measured(cell, value) for cell, value in zip(experiment.cells, known, strict=True)
            ]
        assert isinstance(experiment, Summary)
        return [self._read(experiment, cell) for cell in experiment.cells]

    def facts(self, experiment: Experiment) -> str:
        """When, with what and on what kind of machine it was run; empty if it was not."""
        if isinstance(experiment, Summary):
            experiment = find_experiment(experiment.cells[0].experiment)
        with Store(self.store, for_reading=True) as store:
            return store.note(self._facts_name(experiment)) or ""

    def scale_of(self, experiment: Matches) -> Scale:
        """How much of an experiment is done here."""
        scale = experiment.scale(self.scale)
        games = self.games or (self._most_played.get((experiment.id, f"{scale.time:g}")))
        return scale if games is None else replace(scale, games=games)

    @cached_property
    def _most_played(self) -> dict[tuple[str, str], int]:
        """The most games of a cell, by experiment and factor of thinking times."""
        most: dict[tuple[str, str], int] = {}
        if self.as_played:
            with Store(self.store, for_reading=True) as store:
                found = [RUN_NAME.fullmatch(name) for name in store.runs()]
            for run in filter(None, found):
                key = run["id"], run["time"]
                most[key] = max(most.get(key, 0), int(run["games"]))
        return most

    def records(self, experiment: Matches, cell: Pairing) -> list[GameRecord]:
        """The games of a cell that have been played, by whichever of its sides they were asked."""
        with Store(self.store, for_reading=True) as store:
            known = store.runs()
            for each in (cell, _mirrored(experiment, cell)):
                if each is not None and self._name(experiment, each) in known:
                    run, _ = store.plan(self._name(experiment, each))
                    return list(store.records(run))
        return []

    def _name(self, experiment: Matches, cell: Pairing) -> str:
        name = run_name(experiment, cell, self.scale_of(experiment))
        # Networks of another scale have learnt more.
        return f"{name}/{self.scale}" if networks.named_by(cell.agent) else name

    def _with_files(self, spec: str) -> str:
        return networks.with_files(spec, self.trainings, self.scale)

    def _play(self, experiment: Matches, cell: Pairing) -> None:
        name = self._name(experiment, cell)
        with Store(self.store) as store:
            # The limits of relative iterations are measured once: a run goes on with its own.
            if name in store.runs():
                plan = store.plan(name)[1]
            else:
                plan = plan_of(experiment, cell, self.scale_of(experiment), self._with_files)
            began = time.time()
            for done, record in enumerate(run_plan(plan, self.executor, store, name), start=1):
                self.tell(f"{experiment.id} {cell.row} / {cell.column}", done, plan.num_games)
                if record.started >= began and done == plan.num_games:
                    store.set_note(self._facts_name(experiment), facts_now())

    def _note_facts(self, experiment: Experiment) -> None:
        with Store(self.store) as store:
            store.set_note(self._facts_name(experiment), facts_now())

    def _facts_name(self, experiment: Experiment) -> str:
        if not isinstance(experiment, Matches):
            return f"{experiment.id}/facts"
        scale = self.scale_of(experiment)
        return f"{experiment.id}/facts/{scale.games}x{scale.time:g}"

    def _measure(self, experiment: Speeds | SearchTimes) -> None:
        values = (
            _speeds(experiment, self._with_files)
            if isinstance(experiment, Speeds)
            else _times(experiment)
        )
        with Store(self.store) as store:
            store.set_note(f"{experiment.id}/values", json.dumps(values))
            store.set_note(self._facts_name(experiment), facts_now())

    def _measured(self, experiment: Speeds | SearchTimes) -> list[Measured]:
        with Store(self.store) as store:
            text = store.note(f"{experiment.id}/values")
        if text is None:
            return [Measured(cell, None) for cell in experiment.cells]
        known = dict(zip(experiment.cells, json.loads(text), strict=True))
        return [
            Measured(
                cell,
                known[cell],
                ratio=known[cell] / known[experiment.plain(cell)],
                published_ratio=experiment.ratio(cell),
            )
            for cell in experiment.cells
        ]

    def _result(self, experiment: Matches, cell: Pairing) -> Measured:
        score = Score(0, 0, 0)
        for record in self.records(experiment, cell):
            score += score_of(record, _played_as(record, cell))
        if not score.games:
            return Measured(cell, None)
        return Measured(cell, share_estimate(score, experiment.scoring).percent, score)

    def _error(self, experiment: Deviations, cell: Deviation) -> Measured:
        course = networks.errors(cell, self.trainings, self.scale)
        value = networks.final_error(cell, self.trainings, self.scale)
        return Measured(cell, value, course=course if experiment.over_epochs else ())

    def _read(self, summary: Summary, cell: Reading) -> Measured:
        source = find_experiment(cell.experiment)
        assert isinstance(source, Matches)
        games = [
            (each, self.records(source, each))
            for each in source.cells
            if each.agent == cell.agent and cell.opponent in (None, each.opponent)
        ]
        return Measured(cell, _reading(summary, cell.agent, games, source))


def plan_of(
    experiment: Matches, cell: Pairing, scale: Scale, with_files: Callable[[str], str] = str
) -> Plan:
    """The games of a cell; ``with_files`` puts the files of networks in place of their names.

    >>> from spielbaum.lab import experiment
    >>> table = experiment("S0.table10")
    >>> plan_of(table, table.cells[0], Scale(4)).num_games
    4
    """
    rule = Openings("position", path=experiment.start) if experiment.start else Openings("empty", 0)
    limits = cell.limits
    if limits is None:
        assert cell.relative is not None
        rules = game(experiment.game)
        limits = relative_limits(rules, cell.opponent, cell.relative, rule.draw(rules, 1, 0))
    entrants = (
        Entrant(with_files(cell.agent), scale.limits(limits)),
        Entrant(cell.opponent, scale.limits(cell.opponent_limits or limits)),
    )
    return Plan(experiment.game, entrants, scale.games, rule, seed=_seed(experiment, cell))


def distinct(experiment: Matches) -> list[Pairing]:
    """The cells that have games of their own, not those of another one from the other side.

    >>> from spielbaum.lab import experiment
    >>> table = experiment("S2.table3.4")
    >>> len(table.cells), len(distinct(table))
    (12, 6)
    """
    found: list[Pairing] = []
    for cell in (*experiment.cells, *experiment.variants):
        if _mirrored(experiment, cell) not in found:
            found.append(cell)
    return found


RUN_NAME = re.compile(r"(?P<id>[^/]+)/.*/(?P<games>\d+)x(?P<time>[^/]+)(/\w+)?", re.DOTALL)


def run_name(experiment: Matches, cell: Pairing, scale: Scale) -> str:
    """What the run of a cell is called in the store."""
    return f"{experiment.id}/{cell.row}/{cell.column}/{cell.agent}/{scale.games}x{scale.time:g}"


def _played_as(record: GameRecord, cell: Pairing) -> str:
    """The spec of a cell's agent in a record, where a file stands for the name of a network."""
    if not networks.named_by(cell.agent):
        return cell.agent
    return next(seat.agent for seat in record.task.seats if seat.agent != cell.opponent)


def _mirrored(experiment: Matches, cell: Pairing) -> Pairing | None:
    if not experiment.both_sides:
        return None
    for other in experiment.cells:
        if (other.agent, other.opponent) == (cell.opponent, cell.agent) and (
            other.limits,
            other.relative,
        ) == (cell.limits, cell.relative):
            return other
    return None


def _seed(experiment: Matches, cell: Pairing) -> int:
    """Every cell has games of its own, and the same ones whenever it is run."""
    text = f"{experiment.id}/{cell.row}/{cell.column}/{cell.agent}"
    seed = 0
    for byte in text.encode():
        seed = (seed * 31 + byte) % (2**31 - 1)
    return seed


def _speeds(experiment: Speeds, with_files: Callable[[str], str]) -> list[float]:
    """Iterations per second in one thread, in CPU time, by runs that alternate."""
    rules = game(experiment.game)
    state = rules.state(experiment.start) if experiment.start else rules.initial()
    budget = Budget(iterations=experiment.iterations)
    found: list[list[float]] = [[] for _ in experiment.cells]
    for _ in range(RUNS):
        for cell, speeds in zip(experiment.cells, found, strict=True):
            chooser = stored_agent(with_files(cell.agent))
            chooser.choose(state, budget)  # its memory is there before the clock runs
            chooser.reset()
            began = time.process_time()
            chooser.choose(state, budget)
            speeds.append(experiment.iterations / (time.process_time() - began))
    return [statistics.median(speeds) for speeds in found]


def _times(experiment: SearchTimes) -> list[float]:
    """Mean CPU seconds of searches to a depth, each with an empty table; medians of several runs.

    Before the clock runs, every agent searches the same position: then its memory is there.
    """
    rules = game(experiment.game)
    states = [rules.state(notation) for notation in experiment.positions]
    means: list[list[float]] = [[] for _ in experiment.cells]
    for state in states:
        found: list[list[float]] = [[] for _ in experiment.cells]
        choosers = [stored_agent(cell.agent) for cell in experiment.cells]
        for cell, chooser in zip(experiment.cells, choosers, strict=True):
            chooser.choose(state, Budget(depth=cell.depth))
        for _ in range(RUNS):
            for cell, chooser, times in zip(experiment.cells, choosers, found, strict=True):
                chooser.reset()
                began = time.process_time()
                chooser.choose(state, Budget(depth=cell.depth))
                times.append(time.process_time() - began)
        for times, medians in zip(found, means, strict=True):
            medians.append(statistics.median(times))
    return [statistics.mean(medians) for medians in means]


def _reading(
    summary: Summary,
    spec: str,
    games: Sequence[tuple[Pairing, list[GameRecord]]],
    source: Matches,
) -> float | None:
    records = [record for _, cell_records in games for record in cell_records]
    if not records:
        return None
    if summary.measure == "mean points":
        shares = []
        for _, cell_records in games:
            score = sum((score_of(each, spec) for each in cell_records), Score(0, 0, 0))
            if score.games:
                shares.append(100 * score.share(source.scoring))
        return statistics.mean(shares)
    if summary.measure == "draws":
        # The document's percents are of all games of the run, of which an agent plays a half.
        drawn = sum(record.winner is None for record in records)
        return 100 * drawn / (2 * len(records))
    counts = {"iterations per move": "iterations", "nodes per move": "nodes"}
    if summary.measure not in counts:
        return None  # alpha-beta does not say how full its table is
    numbers = [
        number
        for record in records
        for ply, number in enumerate(getattr(record, counts[summary.measure]))
        if record.task.seats[(len(record.task.opening) + ply) % 2].agent == spec
    ]
    return statistics.mean(numbers) if numbers else None
