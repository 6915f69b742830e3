"""What a training by deep Q-learning has measured, as tables and drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spielbaum.base.figures import Curve, curves, save_figure
from spielbaum.base.statistics import Estimate
from spielbaum.train.rounds import RoundRow
from spielbaum.train.run_folder import write_table

POINTS = 300
"""Of a curve of losses; more cannot be told apart."""


@dataclass(frozen=True, kw_only=True)
class Row(RoundRow):
    """A round; a line of ``metrics.csv``.

    >>> row = Row(round=5, seconds=60, games=100, epsilon=0.5, q_loss=0.25, shares={"random": 0.9})
    >>> print(row.line())
        5: 0:01:00  100 games  epsilon 0.50  loss 0.250  90.0 % against random
    """

    games: int = 0
    positions: int = 0
    steps: int = 0
    """Of the optimizer, so far."""
    epsilon: float = 0.0
    q_loss: float = 0.0
    conservative_loss: float = 0.0
    regularisation_loss: float = 0.0
    repeated: float | None = None
    """Share of the database's moves that the greedy network plays, too."""
    possible: float | None = None
    """The most that this can be: not all games go on alike from the same position."""
    shares: dict[str, float] = field(default_factory=dict)
    """Points by games against agents."""

    @property
    def loss(self) -> float:
        """What is minimised."""
        return self.q_loss + self.conservative_loss + self.regularisation_loss

    @property
    def score(self) -> float | None:
        """What decides which network is the best: points, or how often it plays as masters did."""
        if self.shares:
            return sum(self.shares.values()) / len(self.shares)
        return self.repeated

    def numbers(self) -> dict[str, float]:
        """What a curve can show."""
        numbers = {
            "loss/total": self.loss,
            "loss/q": self.q_loss,
            "loss/conservative": self.conservative_loss,
            "loss/regularisation": self.regularisation_loss,
            "games": float(self.games),
            "epsilon": self.epsilon,
        }
        if self.repeated is not None:
            numbers["repeated"] = self.repeated
        return numbers | {f"share against {name}": each for name, each in self.shares.items()}

    def line(self) -> str:
        """The row in words."""
        text = super().line()
        text += f"  {self.games:,} games  epsilon {self.epsilon:.2f}  loss {self.loss:.3f}"
        return "  ".join(filter(None, [text, self.strength()]))

    def strength(self) -> str:
        """What was measured, in a few words."""
        words = [f"{100 * share:.1f} % against {name}" for name, share in self.shares.items()]
        if self.repeated is not None:
            possible = 100 * (self.possible or 0.0)
            words.append(f"{100 * self.repeated:.1f} % of {possible:.1f} % repeated")
        return "  ".join(words)


def write_metrics(folder: Path, rows: Sequence[Row]) -> None:
    """Write ``metrics.csv``."""
    names = [name for name in Row.__dataclass_fields__ if name != "shares"]
    opponents = list(dict.fromkeys(name for row in rows for name in row.shares))
    table: list[list[object]] = [[*names, *(f"share against {name}" for name in opponents)]]
    for row in rows:
        shares = [row.shares.get(name) for name in opponents]
        table.append([*(getattr(row, name) for name in names), *shares])
    write_table(folder / "metrics.csv", table)


def write_plots(folder: Path, rows: Sequence[Row]) -> None:
    """Draw losses and strength."""
    size = max(1, len(rows) // POINTS)
    groups = [rows[first : first + size] for first in range(0, len(rows), size)]
    lines = []
    for name in ("loss", "q_loss", "conservative_loss", "regularisation_loss"):
        means = [sum(getattr(row, name) for row in group) / len(group) for group in groups]
        if any(means):
            words = name.removesuffix("_loss").replace("loss", "total")
            lines.append(_curve(words, [group[-1].round for group in groups], means))
    if lines:
        drawn = curves("Losses", lines, labels=("rounds", "loss"))
        save_figure(drawn, folder / "losses.svg")
    lines = []
    for opponent in dict.fromkeys(name for row in rows for name in row.shares):
        met = [row for row in rows if opponent in row.shares]
        shares = [100 * row.shares[opponent] for row in met]
        lines.append(_curve(f"against {opponent}", [row.round for row in met], shares))
    asked = [row for row in rows if row.repeated is not None]
    if asked:
        shares = [100 * (row.repeated or 0.0) for row in asked]
        lines.append(_curve("moves of masters repeated", [row.round for row in asked], shares))
    if lines:
        drawn = curves("Strength", lines, labels=("rounds", "percent"))
        save_figure(drawn, folder / "strength.svg")


def _curve(name: str, places: Sequence[float], values: Sequence[float]) -> Curve:
    points = tuple(Estimate(value, value, value) for value in values)
    return Curve(name, tuple(float(place) for place in places), points)
