"""S0's table 2: four networks in the search, against four times as many iterations."""

from __future__ import annotations

from spielbaum.lab.documents import s0, s0_nets
from spielbaum.lab.experiment import Matches, Pairing, Scale
from spielbaum.lab.table import entries
from spielbaum.play.limits import Limits

_PUBLISHED = """
                   0.5   0.85
    DenseNet       30.0  16.9
    DenseNet-Norm  46.8  22.2
    ConvNet        46.7  20.1
    ConvNet-Norm   54.1  34.2
"""

EXPERIMENT = Matches(
    id="S0.table2",
    title="Networks at the leaves",
    source="S0, section 5.5, table 2",
    game=s0.GAME,
    question="Do 100 iterations with a network make up for 400 without?",
    scoring="half",
    games=400,
    most_games=400,
    small=Scale(100),
    cells=tuple(
        Pairing(
            row=net,
            column=f"weight {weight}",
            published=percent,
            agent=s0_nets.with_net(s0.PLAIN, net, float(weight)),
            opponent=s0.PLAIN,
            limits=Limits(iterations=100),
            opponent_limits=Limits(iterations=400),
        )
        for net, weight, percent in entries(_PUBLISHED)
    ),
    notes=(
        *s0.METHOD,
        "Cp is not named here; it is taken to be 0.8, which section 6.2 finds.",
        "The document's 800 games with each network took 317, 433, 662 and 919 s.",
        s0_nets.BATCH_NOTE,
        *s0_nets.TRAINING_NOTES,
    ),
)
