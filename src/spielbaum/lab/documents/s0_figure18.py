"""S0's figure 18: a short training with three encodings."""

from __future__ import annotations

from spielbaum.lab.documents import s0, s0_nets
from spielbaum.lab.experiment import Deviation, Deviations

EXPERIMENT = Deviations(
    id="S0.figure18",
    title="Three encodings",
    source="S0, section 5.4, figure 18",
    game=s0.GAME,
    question="From which encodings of the board can networks learn?",
    over_epochs=True,
    cells=(
        Deviation(row="guess", column="MSE", published=0.896, network="naive", measure="guess_mse"),
        Deviation(row="guess", column="MAE", published=0.9, network="naive", measure="guess_mae"),
        Deviation(row="naive", column="MSE", published=0.887, network="naive", measure="mse"),
        Deviation(row="naive", column="MAE", published=0.886, network="naive", measure="mae"),
        Deviation(row="regular", column="MSE", network="regular", measure="mse"),
        Deviation(row="regular", column="MAE", network="regular", measure="mae"),
        Deviation(row="planes", column="MSE", network="planes", measure="mse"),
        Deviation(row="planes", column="MAE", network="planes", measure="mae"),
    ),
    notes=(
        "20,000 positions, raw targets. The curves are lost; the text has the figures of the naive "
        "encoding after 100 epochs, and those of guessing.",
        "Guessing is here: always answering the mean of what is learnt.",
        "The sign of a result depends on whose turn it is. With the regular encoding (0, 1, -1) "
        "the sum of all cells says so, with planes the third of them; with the naive one (0, 1, 2) "
        "no weighted sum of cells does.",
        *s0_nets.TRAINING_NOTES,
    ),
)
