"""S2's table 3.5: alpha-beta and the tree searches at five seconds, from a balanced position."""

from __future__ import annotations

from spielbaum.lab.documents import s2, s2_positions
from spielbaum.lab.experiment import Matches

_PUBLISHED = """
               AB*  MCTS  MCTS-AB  MCTS-PNS
    AB*         -    58      62       62
    MCTS       36     -      52       52
    MCTS-AB    28    40       -       50
    MCTS-PNS   32    46      46        -
"""

EXPERIMENT = Matches(
    id="S2.table3.5",
    title="Round robin at five seconds from a balanced position",
    source="S2, section 3.3.4, table 3.5",
    game=s2.GAME,
    question="Which of AB*, MCTS, MCTS-AB and MCTS-PNS plays best, at five seconds from the fourth "
    "test position?",
    scoring="nothing",
    games=s2.FINAL_GAMES,
    most_games=s2.FINAL_GAMES,
    small=s2.small(s2.FINAL_GAMES),
    start=s2_positions.BALANCED,
    both_sides=True,
    cells=s2.round_robin(_PUBLISHED, s2.FIVE_SECONDS),
    notes=(
        "The fourth test position (figure 3.11d) is lost. Another one stands in, which is about "
        "as even as the document says of its own.",
        s2.FINAL_NOTE,
        s2.AGENTS_NOTE,
        "Figure 3.10 shows the same figures.",
        s2.BOTH_SIDES,
        *s2.METHOD,
    ),
)
