"""S0's table 10: the combinations against last good reply alone."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing
from spielbaum.lab.table import entries

_PUBLISHED = """
               LGR
    AMAF-LGR  55.6
    RAVE-LGR  60.3
"""

EXPERIMENT = Matches(
    id="S0.table10",
    title="Combinations against LGR",
    source="S0, section 6.6, table 10",
    game=s0.GAME,
    question="Do AMAF-LGR and RAVE-LGR beat LGR?",
    scoring="half",
    games=1000,
    most_games=1000,
    cells=tuple(
        Pairing(
            row=agent,
            column=f"against {opponent}",
            published=percent,
            agent=s0.BEST[agent],
            opponent=s0.BEST[opponent],
            limits=s0.THOUSAND,
        )
        for agent, opponent, percent in entries(_PUBLISHED)
    ),
    notes=(*s0.METHOD, s0.BEST_NOTE),
)
