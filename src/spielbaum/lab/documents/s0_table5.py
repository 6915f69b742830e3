"""S0's table 5: alpha-AMAF."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing
from spielbaum.lab.table import entries

_PUBLISHED = """
          0.2   0.3   0.4   0.5   0.6
    0.3  28.2  35.5  52.5  53.3  60.0
    0.5  43.9  58.5  62.4  62.1  57.6
    0.8  61.5  55.8  51.8  53.0  51.6
"""
_CELLS = tuple(
    Pairing(
        row=f"alpha = {alpha}",
        column=f"Cp = {c}",
        published=percent,
        agent=f"amaf:alpha={alpha},c={c}",
        opponent=s0.PLAIN,
        limits=s0.THOUSAND,
    )
    for alpha, c, percent in entries(_PUBLISHED)
)

EXPERIMENT = Matches(
    id="S0.table5",
    title="alpha-AMAF",
    source="S0, section 6.4, table 5",
    game=s0.GAME,
    question="How much does alpha-AMAF gain, and with which alpha and Cp?",
    scoring="half",
    games=s0.GAMES,
    cells=_CELLS,
    variants=s0.as_listed(_CELLS, s0.BEST["alpha-AMAF"]),
    notes=(
        *s0.METHOD,
        s0.AMAF_METHOD,
        "The number of games is that of section 6.1, 'at least 500'.",
        "The text gives 62.4 % to alpha = 0.5 with Cp = 0.5; the table, where it is printed bold, "
        "to Cp = 0.4, and 62.1 % to Cp = 0.5. The table is followed.",
    ),
)
