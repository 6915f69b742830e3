"""The lab's experiments for the page: published figures, and those that were measured here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from spielbaum.arena.executor import Workers
from spielbaum.arena.store import Store
from spielbaum.base.disk import check_writable
from spielbaum.base.errors import SpecError, StoreError
from spielbaum.base.statistics import Estimate
from spielbaum.lab import Experiment, Lab, Matches, Measured, Summary, experiment, experiments
from spielbaum.studio.services.protocol import Message
from spielbaum.studio.services.runs import Run, Runs

PREFIX = "lab/"
"""Runs of experiments are called so, and the id; no tournament can be."""


class ExperimentSummary(Message):
    """An experiment in the list."""

    id: str
    title: str
    source: str
    game: str
    question: str
    cells: int
    games: int | None = Field(description="Of each cell in the document; only for matches.")
    playable: bool
    running: bool


class CellFigures(Message):
    """A place of a table: what was published, and what came out here."""

    row: str
    column: str
    published: float | None
    measured: float | None
    low: float | None = None
    high: float | None = None
    games: int = 0
    verdict: Literal["contained", "outside", ""] = ""
    direction: str = ""
    agent: str = ""
    opponent: str = ""


class ExperimentView(ExperimentSummary):
    """An experiment with its figures."""

    unit: str
    notes: list[str]
    figures: list[CellFigures]
    summary: str
    progress: str
    done: int
    total: int
    problem: str


class ExperimentStart(Message):
    """How much of an experiment is to be played."""

    games: int = Field(default=20, ge=2, le=10_000, description="Of each cell.")


@dataclass
class Experiments:
    """The experiments, with the games in one file."""

    path: Path
    runs: Runs

    def all(self) -> list[ExperimentSummary]:
        """Every experiment, in the order of the documents."""
        return [self._summary(each) for each in experiments()]

    def view(self, id: str, games: int) -> ExperimentView:  # noqa: A002  the word of Experiment
        """The figures of an experiment, measured by ``games`` of each cell."""
        found = experiment(id)
        problem = self.runs.problem(PREFIX + id)
        try:
            results = self._results(found, games)
        except StoreError as error:  # the published figures are there in any case
            problem = str(error).replace(str(self.path), self.path.name)
            results = [Measured(cell, None) for cell in found.all_cells]
        run = self.runs.running(PREFIX + id)
        what, done, total = run.progress if run is not None else ("", 0, 0)
        return ExperimentView(
            **self._summary(found).model_dump(),
            unit=found.measured_in,
            notes=list(found.notes),
            figures=[_figures(found, each) for each in results],
            summary=found.summary(results),
            progress=what,
            done=done,
            total=total,
            problem=problem,
        )

    def start(self, id: str, games: int) -> None:  # noqa: A002
        """Play the games of an experiment in the background."""
        found = experiment(id)
        if not isinstance(found, Matches):
            raise SpecError(f"{id} has no games of its own to be played")

        def play(run: Run) -> None:
            def tell(what: str, done: int, total: int) -> None:
                run.progress = (what, done, total)
                self.runs.changed(run.name)

            Lab(self.path, run.executor, games=games, tell=tell).run(found)

        check_writable(self.path.parent)
        self.runs.start(PREFIX + id, play)

    def stop(self, id: str) -> None:  # noqa: A002
        """Stop playing; what was played counts."""
        self.runs.stop(PREFIX + experiment(id).id)

    def _results(self, found: Experiment[Any], games: int) -> list[Measured[Any]]:
        # Speeds and times are measured anew whenever they are asked for, so not for visitors.
        if not isinstance(found, Matches | Summary) or not self.path.exists():
            return [Measured(cell, None) for cell in found.all_cells]
        Store(self.path, for_reading=True).close()  # says what is wrong with it
        return found.results(Lab(self.path, Workers(1), games=games))

    def _summary(self, found: Experiment[Any]) -> ExperimentSummary:
        return ExperimentSummary(
            id=found.id,
            title=found.title,
            source=found.source,
            game=found.game,
            question=found.question,
            cells=len(found.cells),
            games=found.games if isinstance(found, Matches) else None,
            playable=isinstance(found, Matches),
            running=self.runs.running(PREFIX + found.id) is not None,
        )


def _figures(found: Experiment[Any], each: Measured[Any]) -> CellFigures:
    verdict = found.judge(each)
    value = each.value
    interval = value if isinstance(value, Estimate) else None
    return CellFigures(
        row=each.cell.row,
        column=each.cell.column,
        published=each.cell.published,
        measured=interval.value if interval is not None else value,  # type: ignore[arg-type]
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        games=each.score.games if each.score is not None else 0,
        verdict=verdict.word,
        direction=verdict.direction,
        agent=getattr(each.cell, "agent", ""),
        opponent=getattr(each.cell, "opponent", None) or "",
    )
