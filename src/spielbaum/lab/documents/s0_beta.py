"""S0's wish for another formula of RAVE's weight."""

from __future__ import annotations

from itertools import product

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing

_K = (10, 20, 50, 100, 200)
_C = (0.2, 0.3, 0.4, 0.5, 0.6)

EXPERIMENT = Matches(
    id="S0.beta",
    title="Another weight for RAVE",
    source="S0, section 7",
    game=s0.GAME,
    question="Is RAVE better with another formula for beta?",
    scoring="half",
    games=s0.GAMES,
    cells=tuple(
        Pairing(
            row=f"k = {k}",
            column=f"Cp = {c}",
            agent=f"rave:beta=silver,rave_k={k},c={c}",
            opponent=s0.PLAIN,
            limits=s0.THOUSAND,
        )
        for k, c in product(_K, _C)
    ),
    notes=(
        "A wish: the document has no figures. The grid is that of table 6.",
        "It names the formula of Helmbold and Parker-Wood; this is Silver's, by visits and AMAF "
        "visits of the move.",
        *s0.METHOD,
    ),
)
