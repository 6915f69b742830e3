"""What a training measures: rows of named columns, and what is made of them.

A method declares its columns once. From them come the table (``metrics.csv``), the lines that a
terminal shows, the curves of TensorBoard and the drawings.
"""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE, read_text, typed
from spielbaum.base.errors import StoreError
from spielbaum.base.figures import Curve, curves, save_figure
from spielbaum.base.statistics import Estimate

POINTS = 300
"""Points of a drawn curve; more cannot be told apart."""
SHARE = "share against "
"""How columns with points by games against an opponent begin."""


@dataclass(frozen=True)
class Chart:
    """A drawing of some columns over the steps of a training."""

    file: str
    """Its name, without ``.svg``."""
    title: str
    unit: str


LOSSES = Chart("losses", "Losses", "loss")
STRENGTH = Chart("strength", "Strength", "percent")


@dataclass(frozen=True)
class Column:
    """How a named measurement is shown; whatever is empty does not show it.

    >>> Column("accuracy", "{:.1f} % of moves", percent=True).said(0.5)
    '50.0 % of moves'
    """

    name: str
    words: str = ""
    """What lines say of it, such as ``loss {:.3f}``."""
    tag: str = ""
    """Its name in TensorBoard."""
    chart: Chart | None = None
    label: str = ""
    """Name of its curve in the chart."""
    percent: bool = False
    """Whether words and charts show a share in percent."""
    strength: bool = False
    """Whether it says how strong the network is, and not how far the training."""

    def shown(self, value: float) -> float:
        """Return a value as words and charts have it."""
        return 100 * value if self.percent else value

    def said(self, value: float) -> str:
        """Return a value in words."""
        return self.words.format(self.shown(value))


class Row:
    """One measurement: a frozen dataclass with a field for each column of the table.

    A field ``shares`` has the points by games against each opponent, and ``seconds`` the time that
    the whole run has taken.
    """

    axis: ClassVar[str] = "round"
    """The field that counts how far the training was."""
    columns: ClassVar[tuple[Column, ...]] = ()
    """How fields and properties are shown; a field without a column is in the table alone."""

    @property
    def step(self) -> int:
        """How far the training was."""
        return int(getattr(self, self.axis))

    @property
    def score(self) -> float | None:
        """What decides which network is the best; None if that was not measured."""
        return None

    @property
    def is_news(self) -> bool:
        """Whether a terminal shows its line."""
        return True

    def known(self) -> list[tuple[Column, float]]:
        """Return what was measured by declared columns, opponents last."""
        found = [(each, getattr(self, each.name)) for each in self.columns]
        found += [(_against(name), share) for name, share in vars(self).get("shares", {}).items()]
        return [(column, value) for column, value in found if value is not None]

    def strengths(self) -> dict[str, float]:
        """Return shares that say how strong the network is, by opponent or by column."""
        return {
            column.name.removeprefix(SHARE): value
            for column, value in self.known()
            if column.strength and column.percent
        }

    def numbers(self) -> dict[str, float]:
        """Return what TensorBoard shows, by its tags."""
        return {column.tag: float(value) for column, value in self.known() if column.tag}

    def line(self) -> str:
        """Return the row in words."""
        told = [f"{self.step:5}: {clock(vars(self).get('seconds', 0.0))}"]
        told += [each.said(value) for each, value in self.known() if not each.strength]
        return "  ".join(filter(None, [*told, self.strength()]))

    def strength(self) -> str:
        """Return in a few words how strong the network is, if that was measured."""
        return "  ".join(each.said(value) for each, value in self.known() if each.strength)


R = TypeVar("R", bound=Row)


def _against(opponent: str) -> Column:
    return Column(
        SHARE + opponent,
        f"{{:.1f}} % against {opponent.replace('{', '{{').replace('}', '}}')}",
        SHARE + opponent,
        STRENGTH,
        f"against {opponent}",
        percent=True,
        strength=True,
    )


def plural(axis: str) -> str:
    """Return what is counted by an axis.

    >>> plural("round"), plural("games")
    ('rounds', 'games')
    """
    return axis if axis.endswith("s") else f"{axis}s"


def clock(seconds: float) -> str:
    """Return hours, minutes and seconds.

    >>> clock(3700.9)
    '1:01:40'
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def write_table(path: Path, table: Sequence[Sequence[object]]) -> None:
    r"""Write a CSV file, at once or not at all; None is an empty cell.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     path = Path(name) / "a.csv"
    ...     write_table(path, [["games", "share"], [1, None]])
    ...     path.read_text()
    'games,share\n1,\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    write_atomically(path, text.getvalue().encode())


def write_rows(path: Path, kind: type[Row], rows: Sequence[Row]) -> None:
    """Write rows of a kind as a table; each opponent has a column of its own."""
    names = _names(kind)
    shares = [vars(row).get("shares", {}) for row in rows]
    opponents = list(dict.fromkeys(name for each in shares for name in each))
    table: list[list[object]] = [[*names, *(SHARE + name for name in opponents)]]
    for row, own in zip(rows, shares, strict=True):
        cells = [getattr(row, name) for name in names]
        table.append([*cells, *(own.get(name) for name in opponents)])
    write_table(path, table)


def read_rows(path: Path, kind: type[R]) -> list[R]:
    """Read what `write_rows` wrote; nothing if there is no file, `StoreError` if it is damaged.

    >>> read_rows(Path("/nowhere/metrics.csv"), Row)
    []
    """
    if not path.exists():
        return []
    try:
        lines = csv.DictReader(io.StringIO(read_text(path), newline=""))
        return [_row(kind, line) for line in lines]
    except (OSError, csv.Error, *DAMAGE):
        raise StoreError(f"training {path.parent}: its {path.name} is damaged") from None


def _row(kind: type[R], line: dict[str, str]) -> R:
    cells = {name: text for name, text in line.items() if text != ""}
    values: dict[str, Any] = {name: cells[name] for name in _names(kind) if name in cells}
    shares = {
        name.removeprefix(SHARE): float(text)
        for name, text in cells.items()
        if name.startswith(SHARE)
    }
    return typed(kind, {**values, **({"shares": shares} if shares else {})})


def _names(kind: type[Row]) -> list[str]:
    return [each.name for each in fields(kind) if each.name != "shares"]  # type: ignore[arg-type]


def draw(folder: Path, rows: Sequence[Row], unit: str) -> None:
    """Draw all charts that the columns of rows name, over steps of a unit."""
    found: dict[Chart, dict[str, list[tuple[float, float]]]] = {}
    for row in rows:
        for column, value in row.known():
            if column.chart is not None:
                lines = found.setdefault(column.chart, {})
                points = lines.setdefault(column.label or column.name, [])
                points.append((float(row.step), column.shown(float(value))))
    for chart, lines in found.items():
        # What is never anything but 0, such as a loss that has no weight, is no curve.
        drawn = [curve(name, each) for name, each in lines.items() if any(y for _, y in each)]
        if drawn:
            figure = curves(chart.title, drawn, labels=(unit, chart.unit))
            save_figure(figure, folder / f"{chart.file}.svg")


def curve(name: str, points: Sequence[tuple[float, float]]) -> Curve:
    """Return a curve to be drawn; many points are drawn as means of some."""
    size = max(1, len(points) // POINTS)
    groups = [points[first : first + size] for first in range(0, len(points), size)]
    means = [statistics.fmean(y for _, y in group) for group in groups]
    values = tuple(Estimate(mean, mean, mean) for mean in means)
    return Curve(name, tuple(group[-1][0] for group in groups), values)
