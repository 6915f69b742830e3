"""What the training of a value network has measured, as tables and drawings."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from spielbaum.base.bounded import DAMAGE, read_text
from spielbaum.base.errors import StoreError
from spielbaum.base.figures import Curve, curves, save_figure
from spielbaum.base.statistics import Estimate
from spielbaum.train.run_folder import write_table

METRICS = "metrics.csv"


@dataclass(frozen=True)
class Row:
    """An epoch; a line of ``metrics.csv``.

    Errors are those of values in [-1, 1], whatever the target. In units of a normalised target,
    which S0 prints, mean squares are a quarter of that and absolute errors a half.

    >>> print(Row(3, 12.0, 0.001, 0.30, 0.41, 0.35, 0.44).line())
        3: mean squared error 0.3500, absolute 0.4400; of what was learnt 0.3000 and 0.4100
    """

    epoch: int
    seconds: float
    """Of training, in all sittings."""
    learning_rate: float
    train_mse: float
    """Of a sample of the positions that are learnt."""
    train_mae: float
    mse: float
    """Of the positions that are kept for validation."""
    mae: float

    def line(self) -> str:
        """The row in words."""
        return (
            f"{self.epoch:5}: mean squared error {self.mse:.4f}, absolute {self.mae:.4f}; "
            f"of what was learnt {self.train_mse:.4f} and {self.train_mae:.4f}"
        )

    def numbers(self) -> dict[str, float]:
        """What a curve can show."""
        return {
            "mse/validation": self.mse,
            "mse/training": self.train_mse,
            "mae/validation": self.mae,
            "mae/training": self.train_mae,
            "learning rate": self.learning_rate,
        }


def write_rows(folder: Path, rows: Sequence[Row]) -> None:
    """Write ``metrics.csv``."""
    lines = [[f"{value:.6g}" for value in asdict(row).values()] for row in rows]
    write_table(folder / METRICS, [[each.name for each in fields(Row)], *lines])


def read_rows(folder: Path) -> list[Row]:
    """What `write_rows` wrote; nothing if there is no such file.

    >>> read_rows(Path("/nowhere"))
    []
    """
    path = folder / METRICS
    if not path.exists():
        return []
    try:
        return [
            Row(
                int(row["epoch"]),
                *(float(row[each.name]) for each in fields(Row) if each.name != "epoch"),
            )
            for row in csv.DictReader(io.StringIO(read_text(path), newline=""))
        ]
    except (OSError, csv.Error, *DAMAGE):
        raise StoreError(f"training {folder}: its {METRICS} is damaged") from None


def write_plots(folder: Path, rows: Sequence[Row]) -> None:
    """Draw both errors over the epochs (S0, figures 18 to 20)."""
    at = tuple(float(row.epoch) for row in rows)
    for name, title in (("mse", "Mean squared error"), ("mae", "Mean absolute error")):
        lines = [
            Curve("validation", at, _estimates([getattr(row, name) for row in rows])),
            Curve("training", at, _estimates([getattr(row, f"train_{name}") for row in rows])),
        ]
        drawn = curves(title, lines, labels=("epochs", title.lower()), band=True)
        save_figure(drawn, folder / f"{name}.svg")


def _estimates(values: Sequence[float]) -> tuple[Estimate, ...]:
    return tuple(Estimate(value, value, value) for value in values)
