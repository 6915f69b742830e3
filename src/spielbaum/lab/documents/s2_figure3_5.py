"""S2's figure 3.5: playouts with and without general domain knowledge."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Matches, Pairing

_AGENTS = {"without GDK": "uct:c=0.5", "with GDK": "mcts-gdk:c=0.5"}

EXPERIMENT = Matches(
    id="S2.figure3.5",
    title="Step 3: general domain knowledge",
    source="S2, section 3.2, figure 3.5",
    game=s2.GAME,
    question="Do playouts that win and block (GDK) beat random ones, at c = 0.5 and ten seconds?",
    scoring="nothing",
    games=s2.TUNING_GAMES,
    most_games=s2.TUNING_GAMES,
    small=s2.small(s2.TUNING_GAMES),
    both_sides=True,
    cells=tuple(
        Pairing(
            row=row,
            column=column,
            agent=_AGENTS[row],
            opponent=_AGENTS[column],
            limits=s2.TEN_SECONDS,
        )
        for row, column in (("without GDK", "with GDK"), ("with GDK", "without GDK"))
    ),
    notes=(
        "The figure is lost. The text says that MCTS clearly gains by GDK (section 4.2.2).",
        s2.BOTH_SIDES,
        *s2.METHOD,
    ),
)
