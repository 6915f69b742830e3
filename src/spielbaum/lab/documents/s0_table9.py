"""S0's table 9: RAVE and last good reply together."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing
from spielbaum.lab.table import entries

_PUBLISHED = """
          0.2   0.3   0.4   0.5   0.6
    10   80.7  81.8  85.1  81.7  80.3
    20   81.5  82.1  80.4  81.8  81.2
    50   87.4  81.8  83.2  81.0  77.3
    100  83.1  81.3  78.3  80.1  79.4
    200  81.3  79.5  77.9  71.7  78.0
"""
_CELLS = tuple(
    Pairing(
        row=f"k = {k}",
        column=f"Cp = {c}",
        published=percent,
        agent=f"rave-lgr:rave_k={k},c={c},forget=off,keep=on",
        opponent=s0.PLAIN,
        limits=s0.THOUSAND,
    )
    for k, c, percent in entries(_PUBLISHED)
)

EXPERIMENT = Matches(
    id="S0.table9",
    title="RAVE-LGR",
    source="S0, section 6.6, table 9",
    game=s0.GAME,
    question="What do RAVE and LGR gain together?",
    scoring="half",
    games=s0.GAMES,
    cells=_CELLS,
    variants=s0.as_listed(_CELLS, s0.BEST["RAVE-LGR"]),
    notes=(
        *s0.METHOD,
        s0.AMAF_METHOD,
        "The number of games is that of section 6.1, 'at least 500'.",
        "LGR is the best one of table 7: replies are kept, and not forgotten.",
        "The best cell, 87.4 %, stands four to six points above its neighbours; the standard error "
        "of 500 games is 1.5.",
    ),
)
