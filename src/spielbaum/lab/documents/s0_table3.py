"""S0's table 3: how much plain Monte-Carlo tree search should explore."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing
from spielbaum.lab.table import entries

_PUBLISHED = """
           0.6   0.7   0.8   0.9   1.0   1.1   1.2   1.3   1.4
    MCTS  42.5  43.5  50.6  50.0  49.4  49.5  48.7  48.0  46.6
"""

EXPERIMENT = Matches(
    id="S0.table3",
    title="The constant of exploration",
    source="S0, section 6.2, table 3",
    game=s0.GAME,
    question="Which Cp is best for MCTS, against Cp = 1.0?",
    scoring="half",
    games=900,
    most_games=1700,
    cells=tuple(
        Pairing(
            row=agent,
            column=f"Cp = {c}",
            published=percent,
            agent=f"uct:c={c}",
            opponent="uct:c=1",
            limits=s0.THOUSAND,
            note="the agent meets itself" if c == "1.0" else "",
        )
        for agent, c, percent in entries(_PUBLISHED)
    ),
    notes=(
        *s0.METHOD,
        "900 to 1,700 games, without saying how many for which Cp.",
        "The document calls 0.8 to 0.9 best and goes on with 0.8.",
    ),
)
