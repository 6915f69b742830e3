"""S0's table 6: RAVE."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing
from spielbaum.lab.table import entries

_PUBLISHED = """
          0.2   0.3   0.4   0.5   0.6
    10   52.1  57.3  55.7  57.6  57.0
    20   56.8  60.9  57.7  57.0  56.0
    50   61.0  60.6  59.4  56.2  55.5
    100  61.6  59.1  57.6  51.7  52.9
    200  59.6  59.1  53.7  50.3  45.6
"""
_CELLS = tuple(
    Pairing(
        row=f"k = {k}",
        column=f"Cp = {c}",
        published=percent,
        agent=f"rave:rave_k={k},c={c}",
        opponent=s0.PLAIN,
        limits=s0.THOUSAND,
    )
    for k, c, percent in entries(_PUBLISHED)
)

EXPERIMENT = Matches(
    id="S0.table6",
    title="RAVE",
    source="S0, section 6.4, table 6",
    game=s0.GAME,
    question="How much does RAVE gain, and with which k and Cp?",
    scoring="half",
    games=s0.GAMES,
    cells=_CELLS,
    variants=s0.as_listed(_CELLS, s0.BEST["RAVE"]),
    notes=(
        *s0.METHOD,
        s0.AMAF_METHOD,
        "The number of games is that of section 6.1, 'at least 500'.",
    ),
)
