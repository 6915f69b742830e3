"""Draw published and measured figures: as lines, as a cross table, or as courses of a training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spielbaum.base.figures import Curve, curves, heat_map
from spielbaum.base.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spielbaum.lab.experiment import Measured


def lines(
    title: str, results: Sequence[Measured[Any]], axis: str, level: float | None = None
) -> Figure:
    """Draw a line for each row, or for each column if there are fewer of these.

    ``axis`` is the label of the figures, ``level`` one of them that is marked.
    """
    places = _places(results)
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*places, strict=True))
    flip = len(rows) > len(columns)  # the longer side is the axis
    names, ticks = (columns, rows) if flip else (rows, columns)
    drawn = []
    for name in names:
        cells = [
            (float(index), places[place])
            for index, tick in enumerate(ticks)
            if (place := (tick, name) if flip else (name, tick)) in places
        ]
        drawn.append(
            Curve(
                name,
                tuple(index for index, _ in cells),
                tuple(_interval(each) for _, each in cells),
                tuple(each.published for _, each in cells),
            )
        )
    return curves(title, drawn, labels=("", axis), ticks=ticks, level=level)


def courses(
    title: str, results: Sequence[Measured[Any]], labels: tuple[str, str], *, columns: bool
) -> Figure:
    """Draw how figures change while a network learns; ``columns``: name these in the legend."""
    drawn = [
        Curve(
            f"{each.cell.row}, {each.cell.column}" if columns else each.cell.row,
            tuple(float(time) for time in range(1, len(each.course) + 1)),
            tuple(Estimate(value, value, value) for value in each.course),
        )
        for each in results
        if each.course
    ]
    return curves(title, drawn, labels=labels, band=True)


def cross(title: str, results: Sequence[Measured[Any]]) -> Figure:
    """Draw a table of everybody against everybody, with published figures in brackets."""
    places = _places(results)
    order = list(dict.fromkeys([row for row, _ in places] + [column for _, column in places]))
    table = [[places.get((row, column)) for column in order] for row in order]
    return heat_map(
        title,
        order,
        order,
        [[None if each is None else _interval(each).value for each in row] for row in table],
        beside=[[None if each is None else each.published for each in row] for row in table],
        labels=("", "against"),
    )


def _places(results: Sequence[Measured[Any]]) -> dict[tuple[str, str], Measured[Any]]:
    return {(each.cell.row, each.cell.column): each for each in results if each.value is not None}


def _interval(measured: Measured[Any]) -> Estimate:
    assert measured.interval is not None, "only what has been measured is drawn"
    return measured.interval
