"""S0's table 7: last good reply."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing
from spielbaum.lab.table import entries

# The document writes K and F with a bar for what is switched off.
_PUBLISHED = """
               0.8   0.9   1.0   1.1   1.2
    noK/noF   72.9  74.0  75.1  70.3  74.3
    K/noF     73.2  75.6  77.8  73.9  74.6
    noK/F     52.6  52.7  55.0  53.6  52.5
    K/F       51.1  52.4  55.4  56.9  51.4
"""
_OPTIONS = {
    "noK/noF": "forget=off,keep=off",
    "K/noF": "forget=off,keep=on",
    "noK/F": "forget=on,keep=off",
    "K/F": "forget=on,keep=on",
}

EXPERIMENT = Matches(
    id="S0.table7",
    title="Last good reply",
    source="S0, section 6.5, table 7",
    game=s0.GAME,
    question="How much does LGR gain if replies are kept between moves (K), or forgotten (F)?",
    scoring="half",
    games=s0.GAMES,
    most_games=s0.GAMES,
    cells=tuple(
        Pairing(
            row=variant,
            column=f"Cp = {c}",
            published=percent,
            agent=f"lgr:c={c},{_OPTIONS[variant]}",
            opponent=s0.PLAIN,
            limits=s0.THOUSAND,
        )
        for variant, c, percent in entries(_PUBLISHED)
    ),
    notes=(
        *s0.METHOD,
        "Replies are learnt in playouts alone, and the first move of a playout is no reply "
        "(listing 19).",
    ),
)
