"""S0's table 1: errors of the best networks."""

from __future__ import annotations

from typing import Literal

from spielbaum.lab.documents import s0, s0_nets
from spielbaum.lab.experiment import Deviation, Deviations

Measure = Literal["mse", "mae"]

_ROWS = (
    ("DenseNet, normalised", "DenseNet-Norm", 0.022, 0.107),
    ("ConvNet, normalised", "ConvNet-Norm", 0.039, 0.076),
    ("DenseNet, raw", "DenseNet", 0.351, 0.398),
    ("ConvNet, raw", "ConvNet", 0.130, 0.116),
)
_NORMALISED_RANGE = 0.5
"""Of a normalised target, in units of a raw one."""


def _cells(row: str, network: str, mse: float, mae: float) -> tuple[Deviation, ...]:
    share = _NORMALISED_RANGE if network.endswith("-Norm") else 1.0
    printed: tuple[tuple[Measure, float, float], ...] = (
        ("mse", mse, mse / share**2),
        ("mae", mae, mae / share),
    )
    return (
        *(
            Deviation(row=row, column=name.upper(), published=own, network=network, measure=name)
            for name, own, _ in printed
        ),
        *(
            Deviation(
                row=row,
                column=f"{name.upper()} in [-1, 1]",
                published=round(common, 3),
                network=network,
                measure=name,
                one_scale=True,
            )
            for name, _, common in printed
        ),
    )


EXPERIMENT = Deviations(
    id="S0.table1",
    title="Errors of value networks",
    source="S0, section 5.4, table 1",
    game=s0.GAME,
    question="How well do networks predict the results of games?",
    cells=tuple(cell for row in _ROWS for cell in _cells(*row)),
    notes=(
        "A normalised target halves the range of values. On one scale, its mean squared errors are "
        "multiplied by 4 and absolute ones by 2: the document's DenseNet is then better with it, "
        "but its ConvNet is better without, though it plays worse (table 2).",
        *s0_nets.TRAINING_NOTES,
    ),
)
