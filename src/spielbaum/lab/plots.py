"""Published and measured figures of an experiment as a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spielbaum.base.figures import Curve, curves, heat_map
from spielbaum.base.statistics import Estimate
from spielbaum.lab.experiment import (
    Counts,
    Deviations,
    Experiment,
    Matches,
    SelfPlay,
    Summary,
    Trainings,
)
from spielbaum.lab.runner import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(experiment: Experiment, results: Sequence[Measured]) -> Figure | None:
    """The figure of an experiment; None if nothing has been measured.

    >>> from spielbaum.lab import experiment
    >>> table = experiment("S0.table10")
    >>> draw(table, [Measured(cell, None) for cell in table.cells]) is None
    True
    >>> made = draw(table, [Measured(cell, Estimate(58, 55, 61)) for cell in table.cells])
    >>> [tick.get_text() for tick in made.axes[0].get_xticklabels()]
    ['AMAF-LGR', 'RAVE-LGR']
    """
    title = f"{experiment.id}: {experiment.title}"
    found = {(each.cell.row, each.cell.column): each for each in results if each.value is not None}
    if not found:
        return None
    if any(each.course for each in results):
        loops = isinstance(experiment, SelfPlay)
        labels = ("training loops", "loss") if loops else ("epochs", "error in validation")
        return _courses(title, results, labels)
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*found, strict=True))
    if isinstance(experiment, Matches) and experiment.both_sides:
        return _cross(title, rows, columns, found)
    flip = len(rows) > len(columns)  # the longer side is the axis
    lines, places = (columns, rows) if flip else (rows, columns)
    drawn = []
    for line in lines:
        cells = [
            (float(index), found[place])
            for index, at in enumerate(places)
            if (place := (at, line) if flip else (line, at)) in found
        ]
        drawn.append(
            Curve(
                line,
                tuple(index for index, _ in cells),
                tuple(_value(each) for _, each in cells),
                tuple(_published(each) for _, each in cells),
            )
        )
    unit = _unit(experiment)
    level = 50.0 if isinstance(experiment, Matches) else None
    return curves(title, drawn, labels=("", unit), ticks=places, level=level)


def _courses(title: str, results: Sequence[Measured], labels: tuple[str, str]) -> Figure:
    """How figures change while a network learns."""
    lines = [
        Curve(
            f"{each.cell.row}, {each.cell.column}" if labels[0] == "epochs" else each.cell.row,
            tuple(float(epoch) for epoch in range(1, len(each.course) + 1)),
            tuple(Estimate(value, value, value) for value in each.course),
        )
        for each in results
        if each.course
    ]
    return curves(title, lines, labels=labels, band=True)


def _cross(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    found: dict[tuple[str, str], Measured],
) -> Figure:
    """Everybody against everybody, with what was published in brackets."""
    order = [*rows, *(name for name in columns if name not in rows)]
    table = [[found.get((row, column)) for column in order] for row in order]
    return heat_map(
        title,
        order,
        order,
        [[None if each is None else _value(each).value for each in row] for row in table],
        beside=[[None if each is None else _published(each) for each in row] for row in table],
        labels=("", "against"),
    )


def _value(measured: Measured) -> Estimate:
    if isinstance(measured.value, Estimate):
        return measured.value
    number = measured.value if measured.ratio is None else measured.ratio
    assert number is not None
    return Estimate(number, number, number)


def _published(measured: Measured) -> float | None:
    return measured.cell.published if measured.ratio is None else measured.published_ratio


def _unit(experiment: Experiment) -> str:
    if isinstance(experiment, Matches):
        return "points in percent"
    if isinstance(experiment, Deviations):
        return "error in validation"
    if isinstance(experiment, (Summary, Trainings, Counts)):
        return experiment.unit
    return "ratio to the plain agent"
