"""S2's table 3.3: the constant of exploration with general domain knowledge and more time."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Matches

_PUBLISHED = """
          0.3  0.7   √2
    0.3    -    53   48
    0.7   47     -   58
    √2    48    40    -
"""

EXPERIMENT = Matches(
    id="S2.table3.3",
    title="Step 5: c with GDK at five seconds",
    source="S2, section 3.2, table 3.3",
    game=s2.GAME,
    question="Which c is best for MCTS with GDK, at five seconds?",
    scoring="nothing",
    games=s2.TUNING_GAMES,
    most_games=s2.TUNING_GAMES,
    small=s2.small(s2.TUNING_GAMES),
    both_sides=True,
    cells=s2.c_sweep(_PUBLISHED, "mcts-gdk", s2.FIVE_SECONDS),
    notes=(
        "Rates are rounded to whole percents. c = 0.5 was left out for lack of time.",
        "The text does not repeat that games begin on the empty board, as in step 1.",
        "The document goes on with 0.7, though 0.3 won more games against it.",
        s2.BOTH_SIDES,
        *s2.METHOD,
    ),
)
