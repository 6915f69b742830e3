"""S0's figure 20: errors while networks learn, with a raw target."""

from __future__ import annotations

from spielbaum.lab.documents import s0, s0_nets
from spielbaum.lab.experiment import Deviation, Deviations

EXPERIMENT = Deviations(
    id="S0.figure20",
    title="Training with a raw target",
    source="S0, section 5.4, figure 20",
    game=s0.GAME,
    question="How do errors fall with a raw target?",
    over_epochs=True,
    cells=(
        Deviation(row="DenseNet", column="MSE", network="DenseNet", measure="mse"),
        Deviation(row="DenseNet", column="MAE", network="DenseNet", measure="mae"),
        Deviation(row="ConvNet", column="MSE", network="ConvNet", measure="mse"),
        Deviation(row="ConvNet", column="MAE", network="ConvNet", measure="mae"),
    ),
    notes=(
        "The curves are lost; where they end is in table 1.",
        *s0_nets.TRAINING_NOTES,
    ),
)
