"""Something that is counted in the games of other experiments."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spielbaum.base.statistics import Score
from spielbaum.lab.catalog import experiment
from spielbaum.lab.experiment import Cell, Experiment, Measured
from spielbaum.lab.kinds.matches import Matches
from spielbaum.play.referee import score_of

if TYPE_CHECKING:
    from spielbaum.lab.runner import Lab

_COUNTED = {"iterations per move": "iterations", "nodes per move": "nodes"}
"""What a record of a game has for each move, by measure."""


@dataclass(frozen=True, kw_only=True)
class Reading(Cell):
    """What is counted for an agent in the games of an experiment.

    >>> reading = Reading(
    ...     row="MCTS", column="10 s", experiment="S2.table3.4", agent="mcts-gdk:c=0.7"
    ... )
    >>> reading.experiment
    'S2.table3.4'
    """

    experiment: str
    """The id of the experiment whose games are looked at."""
    agent: str
    """The agent whose games, or moves, count."""
    opponent: str | None = None
    """Only games against this one, if it is given."""


@dataclass(frozen=True, kw_only=True)
class Summary(Experiment[Reading]):
    """Something that is counted in the games of other experiments.

    >>> from spielbaum.lab import experiment
    >>> draws = experiment("S2.table3.6")
    >>> draws.measure, draws.cells[0].experiment, draws.cells[0].published
    ('draws', 'S2.table3.4', 0.3)
    """

    measure: Literal[
        "mean points", "draws", "iterations per move", "nodes per move", "table entries"
    ]
    unit: str

    def run(self, lab: Lab) -> None:
        """Do nothing: the games are those of other experiments."""

    def results(self, lab: Lab) -> list[Measured[Reading]]:
        """Count in the games that have been played."""
        return [Measured(cell, self._read(lab, cell)) for cell in self.cells]

    def facts(self, lab: Lab) -> str:
        """Return when and where the games of the first cell were played."""
        return _source(self.cells[0]).facts(lab)

    def _read(self, lab: Lab, cell: Reading) -> float | None:
        source = _source(cell)
        games = [
            source.records(lab, each)
            for each in source.cells
            if each.agent == cell.agent and cell.opponent in (None, each.opponent)
        ]
        records = [record for each in games for record in each]
        if not records:
            return None
        if self.measure == "mean points":
            scores = [
                sum((score_of(record, cell.agent) for record in each), Score(0, 0, 0))
                for each in games
            ]
            return statistics.mean(
                100 * score.share(source.scoring) for score in scores if score.games
            )
        if self.measure == "draws":
            # The document's percents are of all games of the run, of which an agent plays a half.
            drawn = sum(record.winner is None for record in records)
            return 100 * drawn / (2 * len(records))
        if self.measure not in _COUNTED:
            return None  # alpha-beta does not say how full its table is
        numbers = [
            number
            for record in records
            for ply, number in enumerate(getattr(record, _COUNTED[self.measure]))
            if record.task.seats[(len(record.task.opening) + ply) % 2].agent == cell.agent
        ]
        return statistics.mean(numbers) if numbers else None

    @property
    def measured_in(self) -> str:
        """The unit of its figures."""
        return self.unit


def _source(cell: Reading) -> Matches:
    source = experiment(cell.experiment)
    assert isinstance(source, Matches)
    return source
