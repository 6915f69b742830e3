"""Several runs of one training: their mean, their spread, and the plot of both."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from spielbaum.base.errors import ModelError
from spielbaum.base.figures import Curve, curves, save_figure
from spielbaum.base.statistics import Estimate
from spielbaum.models.ntuple import combine
from spielbaum.models.ntuple_file import load_network, save_network
from spielbaum.train.methods.ntuple.training import Row, read_log
from spielbaum.train.run_folder import write_table

COMBINED = "combined.npz"


@dataclass(frozen=True)
class Point:
    """What the runs of a training reached after so many games, on average.

    >>> Point(1000, "perfect", 3, 0.9, 0.02).mean
    0.9
    """

    games: int
    opponent: str
    runs: int
    mean: float
    deviation: float
    """The standard deviation of single runs; 0 for one run."""


def run_folders(folder: Path) -> list[Path]:
    """The folders of the runs of a training that have measured something."""
    found = [path for path in folder.glob("run*") if (path / "log.csv").exists()]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def summarise(logs: list[list[Row]]) -> list[Point]:
    """Mean and standard deviation over runs, for each opponent and number of games.

    >>> row = Row(100, 1.0, 0.1, 0.01, 0.1, "perfect", 0.5, 1, 0, 1, 0.1)
    >>> summarise([[row], [row]])
    [Point(games=100, opponent='perfect', runs=2, mean=0.5, deviation=0.0)]
    """
    shares: dict[tuple[str, int], list[float]] = defaultdict(list)
    for log in logs:
        for row in log:
            shares[row.opponent, row.games].append(row.share)
    return [
        Point(
            games,
            opponent,
            len(found),
            statistics.mean(found),
            statistics.stdev(found) if len(found) > 1 else 0.0,
        )
        for (opponent, games), found in sorted(shares.items())
    ]


def write_summary(folder: Path) -> list[Point]:
    """Write ``summary.csv`` and ``curve.svg`` of a training into its folder."""
    logs = [read_log(path) for path in run_folders(folder)]
    points = summarise(logs)
    if not points:
        raise ModelError(f"training {folder}: nothing has been measured yet")
    table: list[list[object]] = [["games", "opponent", "runs", "mean", "deviation"]]
    for point in points:
        shares = [f"{point.mean:.4f}", f"{point.deviation:.4f}"]
        table.append([point.games, point.opponent, point.runs, *shares])
    write_table(folder / "summary.csv", table)
    plot(points, folder / "curve.svg")
    return points


def write_combined(folder: Path) -> Path | None:
    """Write ``combined.npz``, the mean of the runs' best networks, if all have the same tuples.

    It usually plays better than each of them: their errors are not the same.
    """
    files = [path / "best.npz" for path in run_folders(folder)]
    # Another process may be about to write that of its run.
    networks = [load_network(file) for file in files if file.exists()]
    if len(networks) < 2 or len({network.tuples for network in networks}) > 1:
        return None
    save_network(combine(networks), folder / COMBINED)
    return folder / COMBINED


def plot(points: list[Point], path: Path) -> None:
    """Draw strength by games, with a band of one standard deviation where there are several runs.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     picture = Path(folder) / "curve.svg"
    ...     plot([Point(1, "perfect", 1, 0.1, 0.0), Point(2, "perfect", 1, 0.4, 0.0)], picture)
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
        lines.append(Curve(f"against {opponent}", tuple(point.games for point in own), values))
    labels = ("training games", "success in percent")
    save_figure(curves("Strength while it learns", lines, labels=labels, band=True), path)
