"""The experiments of S4: AlphaZero in chess."""

from __future__ import annotations

from typing import Any

from spielbaum.lab.experiment import Experiment
from spielbaum.lab.kinds.self_play import Claim, SelfPlay

_CHANGE = "last by first update"

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    SelfPlay(
        id="S4.figure6.1",
        title="Losses of self-play in chess",
        source="S4, section 6.2, figure 6.1",
        game="chess",
        question="Do losses fall over 200 training loops, and does the network get better?",
        config="s4-small",
        cells=(
            Claim(row="total loss", column=_CHANGE, below=1.0),
            Claim(row="policy loss", column=_CHANGE, loss="policy", below=1.0),
            Claim(row="value loss", column=_CHANGE, loss="value"),
            Claim(row="regularisation loss", column=_CHANGE, loss="regularisation"),
            Claim(
                row="value loss",
                column="rise with new games, later by earlier",
                loss="value",
                measure="spikes",
                below=1.0,
            ),
            Claim(row="policy loss", column="share", loss="policy", measure="share", above=0.5),
            Claim(
                row="regularisation loss",
                column="share",
                loss="regularisation",
                measure="share",
                below=0.1,
            ),
            Claim(row="trained", column="points against untrained", measure="points", above=50.0),
        ),
        notes=(
            "The curves are lost. The text says: the total loss clearly tends downwards, and so "
            "does the policy loss, which is the largest part; the value loss is constant by and "
            "large, with a peak whenever new games come (every 20 loops), and these peaks become "
            "smaller; the regularisation hardly counts (here: less than a tenth); after 200 loops "
            "the network beats the untrained one.",
            "As in S4, moves that a search never visited are left out of the policy loss, and the "
            "first match (after the fifth update) is against the untrained network, which plays "
            "until then.",
            "All parameters are S4's, but for a tower of 5 blocks with 64 channels instead of 19 "
            "with 256, and a learning rate of 0.0005 instead of 0.00002 for so small a network.",
        ),
    ),
)
