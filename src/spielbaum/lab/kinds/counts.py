"""Facts about tuples of n-tuple networks that are found by drawing many of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spielbaum.base.rng import Rng
from spielbaum.games import game
from spielbaum.lab.experiment import Cell, Experiment, Measured
from spielbaum.models.ntuple import random_tuples, realisable_states

if TYPE_CHECKING:
    from spielbaum.lab.runner import Lab


@dataclass(frozen=True, kw_only=True)
class Count(Cell):
    """Something that is counted or computed without a game being played.

    >>> Count(row="m = 4", column="8", kind="walk", length=8, contents=4, published=8).kind
    'walk'
    """

    kind: str
    """How tuples are drawn: walk, slide or points."""
    length: int
    contents: int = 4
    cell: int | None = None
    """The cell whose visits are counted; None: states that can occur."""


@dataclass(frozen=True, kw_only=True)
class Counts(Experiment[Count]):
    """Facts about tuples that are found by drawing many of them.

    >>> from spielbaum.lab import experiment
    >>> experiment("S1.figure4.21").unit
    'visits in per mille'
    """

    unit: str
    draws: int = 10_000
    """Tuples that are drawn for each cell; the document drew 1,000,000 or more."""

    def run(self, lab: Lab) -> None:
        """Draw tuples, and count."""
        lab.keep_values(self, [self.count(cell) for cell in self.cells])

    def results(self, lab: Lab) -> list[Measured[Count]]:
        """Read what was counted."""
        return [
            Measured(cell, value) for cell, value in zip(self.cells, lab.values(self), strict=True)
        ]

    def count(self, cell: Count) -> float:
        """Draw the tuples of a cell, and count."""
        rules = game(self.game)
        rng = Rng(cell.length)
        states: list[float] = []
        visits = np.zeros(len(rules.initial().cells))
        for _ in range(self.draws):
            cells = random_tuples(rules, cell.kind, [cell.length], rng=rng)[0]
            if cell.cell is None:
                size = cell.contents**cell.length
                states.append(realisable_states(rules, cells, cell.contents) / size)
            else:
                visits[list(cells)] += 1
        if cell.cell is None:
            return 100 * statistics.mean(states)
        return float(1000 * visits[cell.cell] / visits.sum())

    @property
    def measured_in(self) -> str:
        """The unit of its figures."""
        return self.unit

    def summary(self, results: Sequence[Measured[Count]]) -> str:
        """Say how far counted figures are from published ones."""
        sizes = [
            abs(each.value - each.cell.published)
            for each in results
            if each.cell.published is not None and isinstance(each.value, float)
        ]
        if not sizes:
            return "There is nothing to compare."
        return (
            f"{len(sizes)} of {len(results)} figures are published; the measured ones differ from "
            f"them by {statistics.fmean(sizes):.1f} on average, and by {max(sizes):.1f} at most."
        )
