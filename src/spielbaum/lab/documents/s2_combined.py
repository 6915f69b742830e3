"""S2's wish for alpha-beta and proof numbers in one tree search."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Matches, Pairing

_COMBINED = "mcts-pn:c=0.7,cpn=1,k=4"

EXPERIMENT = Matches(
    id="S2.combined",
    title="Alpha-beta and proof numbers in one search",
    source="S2, section 5",
    game=s2.GAME,
    question="Is MCTS with alpha-beta and proof numbers better than with one of them, at ten "
    "seconds?",
    scoring="nothing",
    games=s2.FINAL_GAMES,
    small=s2.small(s2.FINAL_GAMES),
    cells=tuple(
        Pairing(
            row="MCTS-AB-PNS",
            column=name,
            agent=_COMBINED,
            opponent=opponent,
            limits=s2.TEN_SECONDS,
        )
        for name, opponent in s2.FINAL.items()
    ),
    notes=(
        "A wish: the document has no figures. Limits and games are those of table 3.4.",
        s2.AGENTS_NOTE,
        *s2.METHOD,
    ),
)
