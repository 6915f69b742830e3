"""S2's figure 3.3: the constant of exploration with random playouts."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Matches

_PUBLISHED = """
          0.5    1   √2    2
    0.5    -     ?   50    ?
    1      ?     -    ?    ?
    √2    50     ?    -    ?
    2      ?     ?    ?    -
"""

EXPERIMENT = Matches(
    id="S2.figure3.3",
    title="Step 1: c with random playouts",
    source="S2, section 3.2, figure 3.3",
    game=s2.GAME,
    question="Which c is best for MCTS with random playouts, at one second?",
    scoring="nothing",
    games=s2.TUNING_GAMES,
    most_games=s2.TUNING_GAMES,
    small=s2.small(s2.TUNING_GAMES),
    both_sides=True,
    cells=s2.c_sweep(_PUBLISHED, "uct", s2.ONE_SECOND),
    notes=(
        "The figure showed the mean of each row, and is lost. The text of step 2 says that 0.5 and "
        "√2 won most games, and each of them half of those against the other.",
        s2.BOTH_SIDES,
        *s2.METHOD,
    ),
)
