"""S0's iterations per second, sections 6.2 to 6.6."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Speed, Speeds

_COLUMN = "iterations per second"
_PUBLISHED = {
    "UCT1": 5952,
    "UCT2": 5952,
    "UCT3": 4866,
    "alpha-AMAF": 5665,
    "RAVE": 5665,
    "LGR": 4579,
    "AMAF-LGR": 3947,
    "RAVE-LGR": 3947,
}

EXPERIMENT = Speeds(
    id="S0.speed",
    title="Iterations per second",
    source="S0, sections 6.2 to 6.6, and table 13",
    game=s0.GAME,
    question="How much time do the improvements cost?",
    baseline="MCTS",
    iterations=20_000,
    cells=(
        Speed(row="MCTS", column=_COLUMN, published=7000, agent=s0.PLAIN),
        *(
            Speed(row=kind, column=_COLUMN, published=speed, agent=s0.BEST[kind])
            for kind, speed in _PUBLISHED.items()
        ),
    ),
    notes=(
        "One core of a Ryzen 5 3600, in Python. 20,000 iterations took MCTS 2.857 s, alpha-AMAF "
        "and RAVE 3.53 s, LGR 4.37 s.",
        "The position that was searched is not named; it is taken to be the empty board. Nor is it "
        "said whether UCT1 to UCT3 merged mirrored positions: the best parameters are taken.",
        "3,947 is given for 'the combined agent' in section 6.6, and for both in table 13. LGR has "
        "4,578 there.",
        "The agents with networks are in table 11.",
    ),
)
