"""Errors of neural networks in validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from spielbaum.lab.experiment import (
    TOLERANCE,
    Agreement,
    Cell,
    Entry,
    Experiment,
    Measured,
    Verdict,
)
from spielbaum.lab.networks import TrainedNetwork
from spielbaum.lab.plots import courses

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spielbaum.lab.runner import Lab


@dataclass(frozen=True, kw_only=True)
class Deviation(Cell):
    """How far a neural network's values are from results, in its best epoch's validation.

    >>> Deviation(row="ConvNet", column="MSE", network="ConvNet", measure="mse").one_scale
    False
    """

    network: str
    """The name of a network of the lab."""
    measure: Literal["mse", "mae", "guess_mse", "guess_mae"]
    """Mean squared or absolute error; or that of somebody who always answers the mean."""
    one_scale: bool = False
    """Whether errors are those of values in [-1, 1], also with a normalised target, which halves
    that range: then the document's figures are multiplied by 4 (squares) or 2."""


@dataclass(frozen=True, kw_only=True)
class Deviations(Experiment[Deviation]):
    """Trainings of neural networks: their errors in validation.

    >>> from spielbaum.lab import experiment
    >>> table = experiment("S0.table1")
    >>> [(cell.row, cell.column, cell.published) for cell in table.cells][:2]
    [('DenseNet, normalised', 'MSE', 0.022), ('DenseNet, normalised', 'MAE', 0.107)]
    """

    axis: ClassVar[str] = "error in validation"

    over_epochs: bool = False
    """Whether the figure shows how errors fall, epoch by epoch."""

    @property
    def networks(self) -> tuple[str, ...]:
        """Names of the neural networks whose errors it shows.

        >>> from spielbaum.lab import experiment
        >>> experiment("S0.figure20").networks
        ('DenseNet', 'ConvNet')
        """
        return tuple(dict.fromkeys(cell.network for cell in self.cells))

    def run(self, lab: Lab) -> None:
        """Note the date: errors are measured while the networks are trained."""
        lab.keep_facts(self)

    def results(self, lab: Lab) -> list[Measured[Deviation]]:
        """Read errors, and those of every epoch if the figure is about them."""
        return [self._error(cell, lab.network(cell.network)) for cell in self.cells]

    def _error(self, cell: Deviation, network: TrainedNetwork) -> Measured[Deviation]:
        # Errors are stored for values in [-1, 1]; the document prints those of its target.
        halved = network.config.network.target == "normalised" and not cell.one_scale
        range_ = (4 if cell.measure.endswith("mse") else 2) if halved else 1
        rows = network.rows
        by_epoch = self.over_epochs and cell.measure in ("mse", "mae")
        course = tuple(getattr(row, cell.measure) / range_ for row in rows) if by_epoch else ()
        value = network.final(cell.measure)
        return Measured(cell, None if value is None else value / range_, course=course)

    def judge(self, measured: Measured[Deviation]) -> Verdict:
        """Look whether the error is near the published one."""
        published, value = measured.cell.published, measured.value
        if published is None or not isinstance(value, float):
            return Verdict(None, "")
        return Verdict(abs(value / published - 1) <= TOLERANCE, "")

    def line(self, measured: Measured[Deviation]) -> tuple[Entry, ...]:
        """Return the errors."""
        return (("published", measured.cell.published), ("measured (error)", measured.value))

    def sentence(self, counts: Agreement, results: Sequence[Measured[Deviation]]) -> str:
        """Say how many errors are near the published ones."""
        return f"{counts.contained} of {counts.compared} errors are near the published one."

    def picture(self, results: Sequence[Measured[Deviation]]) -> Figure:
        """Draw errors by epochs if they are known, and otherwise the last ones."""
        if any(each.course for each in results):
            return courses(self.heading, results, ("epochs", self.axis), columns=True)
        return super().picture(results)
