"""S2's table 3.4: alpha-beta and the tree searches at ten seconds."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Matches

_PUBLISHED = """
               AB*  MCTS  MCTS-AB  MCTS-PNS
    AB*         -    76      82       82
    MCTS       24     -      46       38
    MCTS-AB    16    46       -       44
    MCTS-PNS   18    54      42        -
"""

EXPERIMENT = Matches(
    id="S2.table3.4",
    title="Round robin at ten seconds from the empty board",
    source="S2, section 3.3.4, table 3.4",
    game=s2.GAME,
    question="Which of AB*, MCTS, MCTS-AB and MCTS-PNS plays best, at ten seconds?",
    scoring="nothing",
    games=s2.FINAL_GAMES,
    most_games=s2.FINAL_GAMES,
    small=s2.small(s2.FINAL_GAMES),
    both_sides=True,
    cells=s2.round_robin(_PUBLISHED, s2.TEN_SECONDS),
    notes=(
        s2.FINAL_NOTE,
        s2.AGENTS_NOTE,
        "Figure 3.10 shows the same figures.",
        s2.BOTH_SIDES,
        *s2.METHOD,
    ),
)
