"""S0's question whether playouts with knowledge do what last good reply does."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing

_KNOWING = "uct:playout=gdk,c=0.8"
_OPPONENTS = {"MCTS": s0.PLAIN, "LGR": s0.BEST["LGR"]}

EXPERIMENT = Matches(
    id="S0.decisive",
    title="Playouts that win and block",
    source="S0, section 7",
    game=s0.GAME,
    question="Do playouts that win, block and do not lose at once beat random ones, and LGR?",
    scoring="half",
    games=s0.GAMES,
    cells=(
        *(
            Pairing(
                row="1,000 iterations",
                column=f"against {name}",
                agent=_KNOWING,
                opponent=opponent,
                limits=s0.THOUSAND,
            )
            for name, opponent in _OPPONENTS.items()
        ),
        *(
            Pairing(
                row="the time of the opponent's 1,000",
                column=f"against {name}",
                agent=_KNOWING,
                opponent=opponent,
                relative=1000,
            )
            for name, opponent in _OPPONENTS.items()
        ),
    ),
    notes=(
        "The document has no figures: it says that such playouts cost a lot of time, and that LGR "
        "has a similar effect without knowledge of the game.",
        *s0.METHOD,
    ),
)
