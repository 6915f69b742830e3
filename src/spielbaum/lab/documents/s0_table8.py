"""S0's table 8: alpha-AMAF and last good reply together."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing
from spielbaum.lab.table import entries

_PUBLISHED = """
          0.2   0.3   0.4   0.5   0.6
    0.3  56.8  70.6  77.9  78.9  80.3
    0.5  77.3  80.2  83.4  81.9  78.6
    0.8  81.3  82.4  78.6  76.6  73.4
"""
_CELLS = tuple(
    Pairing(
        row=f"alpha = {alpha}",
        column=f"Cp = {c}",
        published=percent,
        agent=f"amaf-lgr:alpha={alpha},c={c},forget=off,keep=on",
        opponent=s0.PLAIN,
        limits=s0.THOUSAND,
    )
    for alpha, c, percent in entries(_PUBLISHED)
)

EXPERIMENT = Matches(
    id="S0.table8",
    title="AMAF-LGR",
    source="S0, section 6.6, table 8",
    game=s0.GAME,
    question="What do alpha-AMAF and LGR gain together?",
    scoring="half",
    games=s0.GAMES,
    cells=_CELLS,
    variants=s0.as_listed(_CELLS, s0.BEST["AMAF-LGR"]),
    notes=(
        *s0.METHOD,
        s0.AMAF_METHOD,
        "The number of games is that of section 6.1, 'at least 500'.",
        "LGR is the best one of table 7: replies are kept, and not forgotten.",
    ),
)
