"""Speeds and times of agents that search alone, compared as ratios to a plain agent."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from spielbaum.agents import Budget, stored_agent
from spielbaum.games import game
from spielbaum.lab.experiment import (
    TOLERANCE,
    Agreement,
    Cell,
    Entry,
    Experiment,
    Measured,
    Verdict,
)
from spielbaum.lab.networks import named_by

if TYPE_CHECKING:
    from spielbaum.agents import Agent
    from spielbaum.games import State
    from spielbaum.lab.runner import Lab

RUNS = 5
"""How often speeds and times are measured; the median counts."""


@dataclass(frozen=True, kw_only=True)
class Speed(Cell):
    """Iterations per second of an agent.

    >>> Speed(row="UCT3", column="iterations per second", agent="uct3", published=4866).agent
    'uct3'
    """

    agent: str


@dataclass(frozen=True, kw_only=True)
class SearchTime(Cell):
    """Mean seconds of an agent's searches to a depth.

    >>> SearchTime(row="4", column="AB", agent="alphabeta:tt=off", depth=4, published=1.61).depth
    4
    """

    agent: str
    depth: int


CellT = TypeVar("CellT", Speed, SearchTime)


@dataclass(frozen=True, kw_only=True)
class _Ratios(Experiment[CellT]):
    """What belongs to a machine, so that only ratios to a plain agent can be compared."""

    axis: ClassVar[str] = "ratio to the plain agent"

    baseline: str
    """The row or column of the plain agent."""

    def plain(self, cell: CellT) -> CellT:
        """Return the cell of the plain agent with which another is compared."""
        raise NotImplementedError

    def ratio(self, cell: CellT) -> float | None:
        """Return the published figure in units of the plain agent's."""
        own, plain = cell.published, self.plain(cell).published
        return None if own is None or plain is None else own / plain

    def measure(self, lab: Lab) -> list[float]:
        """Measure all cells, in their order."""
        raise NotImplementedError

    def run(self, lab: Lab) -> None:
        """Measure everything anew."""
        lab.keep_values(self, self.measure(lab))

    def results(self, lab: Lab) -> list[Measured[CellT]]:
        """Read what was measured last."""
        known = dict(zip(self.cells, lab.values(self), strict=True))
        return [
            Measured(cell, None)
            if (value := known[cell]) is None or (plain := known[self.plain(cell)]) is None
            else Measured(cell, value, ratio=value / plain, published_ratio=self.ratio(cell))
            for cell in self.cells
        ]

    def judge(self, measured: Measured[CellT]) -> Verdict:
        """Compare the ratio, and whether the agent is slower or faster than the plain one."""
        ratio, published = measured.ratio, measured.published_ratio
        if ratio is None or published is None:
            return Verdict(None, "")
        same_side = (ratio >= 1) == (published >= 1)
        near = abs(ratio / published - 1) <= TOLERANCE
        return Verdict(near, "agrees" if same_side else "differs")

    def counts(self, cell: CellT) -> bool:
        """Return whether it is not the plain agent's cell, whose ratio is 1 by definition."""
        return cell != self.plain(cell)

    def line(self, measured: Measured[CellT]) -> tuple[Entry, ...]:
        """Return figures, ratios, and the direction."""
        return (
            ("published", measured.cell.published),
            ("measured", measured.value),
            ("published ratio", measured.published_ratio),
            ("ratio", measured.ratio),
            ("", self.judge(measured).direction),
        )

    def sentence(self, counts: Agreement, results: Sequence[Measured[CellT]]) -> str:
        """Say how many ratios and directions agree."""
        return (
            f"{counts.contained} of {counts.compared} ratios are near the published figure; "
            f"{counts.directions}"
        )


@dataclass(frozen=True, kw_only=True)
class Speeds(_Ratios[Speed]):
    """Iterations per second of agents that search one position; ``baseline`` is a row.

    >>> from spielbaum.lab import experiment
    >>> speeds = experiment("S0.speed")
    >>> round(speeds.ratio(speeds.cells[3]), 3)
    0.695
    """

    iterations: int
    start: str = ""

    @property
    def networks(self) -> tuple[str, ...]:
        """Names of the neural networks of its agents."""
        return named_by(*(cell.agent for cell in self.cells))

    def plain(self, cell: Speed) -> Speed:
        """Return the cell of the plain agent."""
        return next(each for each in self.cells if each.row == self.baseline)

    def measure(self, lab: Lab) -> list[float]:
        """Measure iterations per second in one thread, in CPU time, by runs that alternate."""
        rules = game(self.game)
        state = rules.state(self.start) if self.start else rules.initial()
        budget = Budget(iterations=self.iterations)
        found: list[list[float]] = [[] for _ in self.cells]
        for _ in range(RUNS):
            for cell, speeds in zip(self.cells, found, strict=True):
                chooser = stored_agent(lab.with_files(cell.agent))
                chooser.choose(state, budget)  # its memory is there before the clock runs
                speeds.append(self.iterations / _seconds(chooser, state, budget))
        return [statistics.median(speeds) for speeds in found]


@dataclass(frozen=True, kw_only=True)
class SearchTimes(_Ratios[SearchTime]):
    """Mean times of searches to fixed depths over some positions; ``baseline`` is a column.

    >>> from spielbaum.lab import experiment
    >>> times = experiment("S2.table3.1")
    >>> last = times.cells[-1]
    >>> last.column, last.depth, round(times.ratio(last), 3)
    ('AB*', 6, 0.091)
    """

    positions: tuple[str, ...]
    """Their notations."""

    def plain(self, cell: SearchTime) -> SearchTime:
        """Return the cell of the plain agent at the same depth."""
        wanted = (cell.row, self.baseline)
        return next(each for each in self.cells if (each.row, each.column) == wanted)

    def measure(self, lab: Lab) -> list[float]:
        """Measure CPU seconds of searches, each with an empty table; medians of several runs.

        Before the clock runs, every agent searches the same position: then its memory is there.
        """
        rules = game(self.game)
        medians: list[list[float]] = [[] for _ in self.cells]
        for notation in self.positions:
            state = rules.state(notation)
            choosers = [(stored_agent(cell.agent), Budget(depth=cell.depth)) for cell in self.cells]
            for chooser, budget in choosers:
                chooser.choose(state, budget)
            runs = [
                [_seconds(chooser, state, budget) for chooser, budget in choosers]
                for _ in range(RUNS)
            ]
            for times, seconds in zip(medians, zip(*runs, strict=True), strict=True):
                times.append(statistics.median(seconds))
        return [statistics.mean(times) for times in medians]


def _seconds(chooser: Agent, state: State, budget: Budget) -> float:
    """Measure the CPU seconds of a search without what earlier ones have found."""
    chooser.reset()
    began = time.process_time()
    chooser.choose(state, budget)
    return time.process_time() - began
