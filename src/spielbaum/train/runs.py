"""Several runs of one training: their mean, their spread, and the plot of both."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielbaum.base.figures import Curve, curves, save_figure
from spielbaum.base.statistics import Estimate
from spielbaum.train.method import Method
from spielbaum.train.rows import Row, read_rows, write_table


@dataclass(frozen=True)
class Point:
    """What the runs of a training reached at a step, on average.

    >>> Point(1000, "perfect", 3, 0.9, 0.02).mean
    0.9
    """

    step: int
    opponent: str
    """Whom they played against, or what else was measured."""
    runs: int
    mean: float
    deviation: float
    """The standard deviation of single runs; 0 for one run."""


def run_folders(folder: Path, table: str = "log.csv") -> list[Path]:
    """Return the folders of the runs of a training that have measured something."""
    found = [path for path in folder.glob("run[0-9]*") if (path / table).exists()]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def summarise(runs: Sequence[Sequence[Row]]) -> list[Point]:
    """Return mean and standard deviation over runs, for each opponent and step."""
    shares: dict[tuple[str, int], list[float]] = defaultdict(list)
    for rows in runs:
        for row in rows:
            for name, value in row.strengths().items():
                shares[name, row.step].append(value)
    return [
        Point(
            step,
            opponent,
            len(found),
            statistics.mean(found),
            statistics.stdev(found) if len(found) > 1 else 0.0,
        )
        for (opponent, step), found in sorted(shares.items())
    ]


def write_summary(wanted: type[Method[Any, Any]], folder: Path) -> list[Point]:
    """Write ``summary.csv`` and ``curve.svg`` of a training, if its runs measured anything."""
    runs = run_folders(folder, wanted.table)
    points = summarise([read_rows(path / wanted.table, wanted.row_type) for path in runs])
    if not points:
        return []
    axis = wanted.row_type.axis
    table: list[list[object]] = [[axis, "opponent", "runs", "mean", "deviation"]]
    for point in points:
        shares = [f"{point.mean:.4f}", f"{point.deviation:.4f}"]
        table.append([point.step, point.opponent, point.runs, *shares])
    write_table(folder / "summary.csv", table)
    plot(points, axis, folder / "curve.svg")
    return points


def plot(points: Sequence[Point], axis: str, path: Path) -> None:
    """Draw strength by steps, with a band of one standard deviation where there are several runs.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     picture = Path(folder) / "curve.svg"
    ...     points = [Point(1, "perfect", 1, 0.1, 0.0), Point(2, "perfect", 1, 0.4, 0.0)]
    ...     plot(points, "games", picture)
    ...     picture.read_text(encoding="utf-8")[:5]
    '<?xml'
    """
    lines = []
    for opponent in dict.fromkeys(point.opponent for point in points):
        own = [point for point in points if point.opponent == opponent]
        values = tuple(
            Estimate(
                100 * point.mean,
                100 * (point.mean - point.deviation),
                100 * (point.mean + point.deviation),
            )
            for point in own
        )
        lines.append(Curve(f"against {opponent}", tuple(point.step for point in own), values))
    labels = (f"training, by {axis}", "success in percent")
    save_figure(curves("Strength while it learns", lines, labels=labels, band=True), path)
