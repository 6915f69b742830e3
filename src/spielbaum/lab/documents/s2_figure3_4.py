"""S2's figure 3.4: two constants of exploration at ten seconds."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Matches

_PUBLISHED = """
          0.5   √2
    0.5    -     ?
    √2     ?     -
"""

EXPERIMENT = Matches(
    id="S2.figure3.4",
    title="Step 2: c with random playouts and more time",
    source="S2, section 3.2, figure 3.4",
    game=s2.GAME,
    question="Which of c = 0.5 and c = √2 is better for MCTS with random playouts, at ten seconds?",
    scoring="nothing",
    games=s2.TUNING_GAMES,
    most_games=s2.TUNING_GAMES,
    small=s2.small(s2.TUNING_GAMES),
    both_sides=True,
    cells=s2.c_sweep(_PUBLISHED, "uct", s2.TEN_SECONDS),
    notes=(
        "The figure is lost. The document goes on with 0.5.",
        s2.BOTH_SIDES,
        *s2.METHOD,
    ),
)
