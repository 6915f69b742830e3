"""S2's table 3.2: the constant of exploration with general domain knowledge."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Matches

_PUBLISHED = """
          0.3  0.5  0.7   √2
    0.3    -    62   53   55
    0.5   38     -   50   50
    0.7   47    50    -   55
    √2    45    50   45    -
"""

EXPERIMENT = Matches(
    id="S2.table3.2",
    title="Step 4: c with GDK at one second",
    source="S2, section 3.2, table 3.2",
    game=s2.GAME,
    question="Which c is best for MCTS with GDK, at one second?",
    scoring="nothing",
    games=s2.TUNING_GAMES,
    most_games=s2.TUNING_GAMES,
    small=s2.small(s2.TUNING_GAMES),
    both_sides=True,
    cells=s2.c_sweep(_PUBLISHED, "mcts-gdk", s2.ONE_SECOND),
    notes=(
        "Rates are rounded to whole percents.",
        "The text does not repeat that games begin on the empty board, as in step 1.",
        s2.BOTH_SIDES,
        *s2.METHOD,
    ),
)
