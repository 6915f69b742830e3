"""S0's figure 19: errors while networks learn, with a normalised target."""

from __future__ import annotations

from spielbaum.lab.documents import s0, s0_nets
from spielbaum.lab.experiment import Deviation, Deviations

EXPERIMENT = Deviations(
    id="S0.figure19",
    title="Training with a normalised target",
    source="S0, section 5.4, figure 19",
    game=s0.GAME,
    question="How do errors fall with a normalised target?",
    over_epochs=True,
    cells=(
        Deviation(row="DenseNet", column="MSE", network="DenseNet-Norm", measure="mse"),
        Deviation(row="DenseNet", column="MAE", network="DenseNet-Norm", measure="mae"),
        Deviation(row="ConvNet", column="MSE", network="ConvNet-Norm", measure="mse"),
        Deviation(row="ConvNet", column="MAE", network="ConvNet-Norm", measure="mae"),
    ),
    notes=(
        "The curves are lost; where they end is in table 1.",
        *s0_nets.TRAINING_NOTES,
    ),
)
