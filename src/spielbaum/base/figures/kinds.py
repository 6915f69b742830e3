"""The kinds of figures: bars with intervals, heat maps, and curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum.base.figures.canvas import COLOURS, INK, figure
from spielbaum.base.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW = 0.3  # inches for a bar, or a row of a heat map
_DIGIT = 0.075  # inches that a character takes


def bars(title: str, names: Sequence[str], values: Sequence[Estimate], unit: str) -> Figure:
    """One bar for each name, from the top, with its interval.

    >>> made = bars("Ratings", ["uct", "rave"], [Estimate(0, -9, 9), Estimate(31, 20, 42)], "Elo")
    >>> [label.get_text() for label in made.axes[0].get_yticklabels()]
    ['uct', 'rave']
    """
    made, axes = figure(title, height=1.1 + _ROW * len(names))
    places = range(len(names))
    axes.barh(
        places,
        [each.value for each in values],
        xerr=_margins(values),
        height=0.6,
        color=COLOURS[0],
        error_kw={"ecolor": INK, "elinewidth": 1.0, "capsize": 3.0},
    )
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.grid(axis="x")
    axes.set_xlabel(unit)
    return made


def heat_map(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    beside: Sequence[Sequence[float | None]] = (),
    labels: tuple[str, str] = ("", ""),
    unit: str = "points in percent",
    middle: float = 50.0,
) -> Figure:
    """A table whose colours say how far a value is from ``middle``; None leaves a place empty.

    ``beside``: figures of others, which stand in brackets below ours.

    >>> made = heat_map("Cross table", ["a", "b"], ["a", "b"], [[None, 70.0], [30.0, None]])
    >>> [text.get_text() for text in made.axes[0].texts]
    ['70.0', '30.0']
    """
    left = 0.6 + _DIGIT * max(map(len, rows))
    cell = max(0.62, _DIGIT * max(map(len, columns)) if len(columns) <= 6 else 0.62)
    height = _ROW * (1.5 if beside else 1.0)
    made, axes = figure(
        title, width=max(5.0, left + 1.2 + cell * len(columns)), height=1.4 + height * len(rows)
    )
    known = [value for row in values for value in row if value is not None]
    # A little beyond the largest value: the ends of the scale are too dark to read.
    reach = 1.3 * max((abs(value - middle) for value in known), default=0.0) or 1.0
    shown = [[math.nan if value is None else value for value in row] for row in values]
    image = axes.imshow(
        shown, cmap="PuOr_r", vmin=middle - reach, vmax=middle + reach, aspect="auto"
    )
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            if value is not None:
                dark = abs(value - middle) > 0.6 * reach
                text, other = f"{value:.1f}", beside[y][x] if beside else None
                if other is not None:
                    text += f"\n({other:.1f})"
                axes.text(x, y, text, ha="center", va="center", color="white" if dark else INK)
    turned = sum(map(len, columns)) * _DIGIT > cell * len(columns)
    axes.set_xticks(range(len(columns)), columns, rotation=90 if turned else 0)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylabel(labels[0])
    axes.set_xlabel(labels[1])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    made.colorbar(image, ax=axes, label=unit)
    return made


@dataclass(frozen=True)
class Curve:
    """Points of one line, and the figures of others that stand beside them.

    >>> Curve("rave", (0.2, 0.3), (Estimate(55, 52, 58), Estimate(57, 54, 60))).name
    'rave'
    """

    name: str
    at: tuple[float, ...]
    values: tuple[Estimate, ...]
    published: tuple[float | None, ...] = ()
    """For each point; hollow marks, connected by dots."""


def curves(
    title: str,
    lines: Sequence[Curve],
    *,
    labels: tuple[str, str],
    ticks: Sequence[str] | None = None,
    level: float | None = None,
    band: bool = False,
) -> Figure:
    """Lines with intervals, as bars or as bands; ``ticks`` name the places 0, 1, 2 ...

    >>> line = Curve("lgr", (0.0, 1.0), (Estimate(70, 68, 72), Estimate(74, 72, 76)), (69.0, None))
    >>> made = curves("LGR", [line], labels=("Cp", "points"), ticks=["0.8", "0.9"], level=50)
    >>> made.axes[0].get_ylabel()
    'points'
    """
    made, axes = figure(title)
    # Lines that share their places are set apart, so that intervals do not hide each other.
    step = 0.06 if ticks and len(lines) > 1 else 0.0
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        shift = step * (number - (len(lines) - 1) / 2)
        at = [place + shift for place in line.at]
        middle = [each.value for each in line.values]
        if band:
            axes.plot(at, middle, color=colour, label=line.name)
            low, high = ([getattr(each, end) for each in line.values] for end in ("low", "high"))
            axes.fill_between(at, low, high, color=colour, alpha=0.15, linewidth=0)
        else:
            axes.errorbar(
                at,
                middle,
                yerr=_margins(line.values),
                color=colour,
                label=line.name,
                marker="o",
                markersize=4,
                capsize=2.5,
                linewidth=1.2,
            )
        known = [
            (x, y)
            for x, y in zip(at, line.published or [None] * len(at), strict=True)
            if y is not None
        ]
        if known:
            axes.plot(
                *zip(*known, strict=True),
                color=colour,
                linestyle=":",
                marker="s",
                markersize=5,
                markerfacecolor="white",
                label=f"{line.name}, published",
            )
    if ticks is not None:
        turned = sum(map(len, ticks)) * _DIGIT > 6.0
        axes.set_xticks(range(len(ticks)), ticks, rotation=90 if turned else 0)
    if level is not None:
        axes.axhline(level, color=INK, linewidth=0.8, linestyle="--")
    axes.grid(axis="y")
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    made.legend(loc="outside right upper", frameon=False)
    return made


def _margins(values: Sequence[Estimate]) -> list[list[float]]:
    """How far intervals go below and above their values."""
    return [
        [max(0.0, each.value - each.low) for each in values],
        [max(0.0, each.high - each.value) for each in values],
    ]
