"""What a training has measured, as tables and drawings."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spielbaum.arena.ratings import rate
from spielbaum.base.figures import Curve, curves, save_figure
from spielbaum.base.statistics import Estimate
from spielbaum.train.run_folder import write_table

Loss = tuple[int, float, float, float]
Result = tuple[str, str, int, int, int]


@dataclass(frozen=True)
class Row:
    """A generation; a line of ``metrics.csv``.

    >>> print(Row(5, 5, 60, 100, 900, 9000, 100, 50, 40, 8, 1.5, 1.2, 0.2, 0.1, 3, 2, 1).line())
        5: 0:01:00  100 games  loss 1.500 (policy 1.200, value 0.200)  3 won, 2 drawn, 1 lost
    """

    generation: int
    best: int
    """The generation that plays on."""
    seconds: float
    """Of the whole run."""
    games: int
    positions: int
    evaluations: int
    hits: int
    play_seconds: float
    """Of all processes that play."""
    steps: int
    training_seconds: float
    """Of this generation."""
    loss: float
    policy_loss: float
    value_loss: float
    regularisation_loss: float
    wins: int
    draws: int
    losses: int
    """Of its match."""
    accuracy: float | None = None
    """Share of solved positions whose value it keeps."""
    shares: dict[str, float] = field(default_factory=dict)
    """Points by games against agents."""

    def numbers(self) -> dict[str, float]:
        """What a curve can show."""
        numbers = {
            "loss/total": self.loss,
            "loss/policy": self.policy_loss,
            "loss/value": self.value_loss,
            "loss/regularisation": self.regularisation_loss,
            "games": float(self.games),
            "positions": float(self.positions),
        }
        if self.accuracy is not None:
            numbers["accuracy"] = self.accuracy
        for opponent, share in self.shares.items():
            numbers[f"share against {opponent}"] = share
        return numbers

    def line(self) -> str:
        """The row in words."""
        minutes, seconds = divmod(int(self.seconds), 60)
        clock = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
        text = (
            f"{self.generation:5}: {clock}  {self.games:,} games  loss {self.loss:.3f} "
            f"(policy {self.policy_loss:.3f}, value {self.value_loss:.3f})"
        )
        if self.wins or self.draws or self.losses:
            text += f"  {self.wins} won, {self.draws} drawn, {self.losses} lost"
        if self.accuracy is not None:
            text += f"  {self.accuracy:.1%} of values kept"
        for opponent, share in self.shares.items():
            text += f"  {share:.1%} against {opponent}"
        return text


def write_tables(
    folder: Path, rows: Sequence[Row], losses: Sequence[Loss], results: Sequence[Result]
) -> None:
    """Write ``metrics.csv``, in which generations that played matches are rated, ``losses.csv``."""
    names = [name for name in Row.__dataclass_fields__ if name != "shares"]
    opponents = list(dict.fromkeys(name for row in rows for name in row.shares))
    ratings = _ratings(results)
    table = [[*names, "elo", *(f"share against {name}" for name in opponents)]]
    for row in rows:
        rated = ratings.get(row.generation)
        cells = [*(getattr(row, name) for name in names), rated and round(rated.value, 1)]
        cells += [row.shares.get(name) for name in opponents]
        table.append(cells)
    write_table(folder / "metrics.csv", table)
    header: list[list[object]] = [["loop", "generation", "policy", "value", "regularisation"]]
    write_table(
        folder / "losses.csv",
        header + [[number, *loss] for number, loss in enumerate(losses, start=1)],
    )


def write_plots(
    folder: Path, rows: Sequence[Row], losses: Sequence[Loss], results: Sequence[Result]
) -> None:
    """Draw losses (S4, figure 6.1), ratings, and the share of values that are kept."""
    if losses:
        # Some hundred points are enough to see everything.
        size = max(1, len(losses) // 300)
        groups = [losses[first : first + size] for first in range(0, len(losses), size)]
        places = tuple(float(size * (index + 1)) for index in range(len(groups)))
        names = ("policy", "value", "regularisation")
        means = [
            tuple(statistics.fmean(loss[index] for loss in group) for group in groups)
            for index in (1, 2, 3)
        ]
        total = tuple(sum(values) for values in zip(*means, strict=True))
        lines = [_curve("total", places, total)]
        lines += [_curve(name, places, mean) for name, mean in zip(names, means, strict=True)]
        drawn = curves("Losses", lines, labels=("training loops", "loss"), band=True)
        save_figure(drawn, folder / "losses.svg")
    measured = [row for row in rows if row.accuracy is not None]
    if measured:
        hours = tuple(row.seconds / 3600 for row in measured)
        kept = tuple(100 * (row.accuracy or 0.0) for row in measured)
        labels = ("hours", "values kept in percent")
        drawn = curves("Solved positions", [_curve("values kept", hours, kept)], labels=labels)
        save_figure(drawn, folder / "accuracy.svg")
    if results:
        ratings = _ratings(results)
        line = Curve("generations", tuple(map(float, ratings)), tuple(ratings.values()))
        drawn = curves("Ratings", [line], labels=("generation", "Elo"), band=True)
        save_figure(drawn, folder / "elo.svg")


def _ratings(results: Sequence[Result]) -> dict[int, Estimate]:
    """Elo of the generations that played, in their order; the first opponent has 0."""
    if not results:
        return {}
    ratings = rate(results, anchor=(results[0][1], 0.0))
    return {int(name): ratings[name] for name in sorted(ratings.players, key=int)}


def _curve(name: str, places: tuple[float, ...], values: tuple[float, ...]) -> Curve:
    return Curve(name, places, tuple(Estimate(value, value, value) for value in values))
