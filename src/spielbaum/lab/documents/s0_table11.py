"""S0's table 11: iterations per second with networks."""

from __future__ import annotations

from spielbaum.lab.documents import s0, s0_nets
from spielbaum.lab.experiment import Speed, Speeds

_COLUMN = "iterations per second"
_LARGE = 8

EXPERIMENT = Speeds(
    id="S0.table11",
    title="Iterations per second with networks",
    source="S0, section 6.7, table 11",
    game=s0.GAME,
    question="How much time do networks cost?",
    baseline="MCTS",
    iterations=2000,
    cells=(
        Speed(row="MCTS", column=_COLUMN, published=s0_nets.PLAIN_SPEED, agent=s0.PLAIN),
        *(
            Speed(
                row=kind,
                column=_COLUMN,
                published=speed,
                agent=s0_nets.agent(kind, more=",cache=0"),
            )
            for kind, speed in s0_nets.SPEED.items()
        ),
        *(
            Speed(
                row=f"{kind}, batch={_LARGE}",
                column=_COLUMN,
                agent=s0_nets.agent(kind, batch=_LARGE, more=",cache=0"),
            )
            for kind in s0_nets.SPEED
        ),
    ),
    notes=(
        "One core of a Ryzen 5 3600; 7,000 iterations of MCTS per second are from section 6.2. "
        "RAVE-LGR-ConvNet has 365 in table 13.",
        "Networks cost the document's search, in Python, a factor of 8 to 18. Here the search is "
        "more than a hundred times as fast, the networks some ten to twenty times: they cost far "
        "more of it.",
        f"{s0_nets.BATCH_NOTE} The lower half asks for {_LARGE} positions at a time, which the "
        "document did not. Answers are not kept (cache=0).",
        *s0_nets.TRAINING_NOTES,
    ),
)
