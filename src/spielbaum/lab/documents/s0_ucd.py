"""S0's wish for UCD, the treatment of transpositions by Saffidine, Cazenave and Mehat."""

from __future__ import annotations

from itertools import product

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing

_MEANS = {"0": 0, "1": 1, "2": 2, "all": -1}
_VISITS = (0, 1, 2)

EXPERIMENT = Matches(
    id="S0.ucd",
    title="UCD",
    source="S0, section 7",
    game=s0.GAME,
    question="Do transpositions pay if means and visits come from deeper below (UCD)?",
    scoring="half",
    games=s0.GAMES,
    cells=tuple(
        Pairing(
            row=f"d1 = {name}",
            column=f"d2 = {d2}, d3 = {d3}",
            agent=f"uct:select=ucd,d1={d1},d2={d2},d3={d3},c=0.8,symmetry=on",
            opponent=s0.PLAIN,
            limits=s0.THOUSAND,
        )
        for (name, d1), d2, d3 in product(_MEANS.items(), _VISITS, _VISITS)
    ),
    notes=(
        "A wish: the document has no figures of its own. It quotes more than 60 % for many "
        "parameters and 70.9 % for the best ones from the paper, without naming the game.",
        "Depths 0, 1, 2 and, for means, everything below; (0, 0, 0) is UCT1, (1, 0, 0) UCT2, "
        "(all, 0, 0) UCT3. Cp is that of the opponent, so that nothing else differs, and mirrored "
        "positions are merged, which helped in table 4.",
        *s0.METHOD,
    ),
)
