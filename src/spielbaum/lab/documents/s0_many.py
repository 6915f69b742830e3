"""S0's wish for many iterations: the best of each kind again."""

from __future__ import annotations

from itertools import product

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing, Scale
from spielbaum.play.limits import Limits

_ITERATIONS = (10_000, 50_000)
# In proportion to tables 6 and 9, which had 1,000 iterations.
_GROWING_K = {
    "RAVE": (100, "rave:rave_k={},c=0.2"),
    "RAVE-LGR": (50, "rave-lgr:rave_k={},c=0.2,forget=off,keep=on"),
}


def _cell(row: str, agent: str, iterations: int) -> Pairing:
    return Pairing(
        row=row,
        column=f"{iterations:,}",
        agent=agent,
        opponent=s0.PLAIN,
        limits=Limits(iterations=iterations),
    )


EXPERIMENT = Matches(
    id="S0.many",
    title="Many iterations",
    source="S0, section 7",
    game=s0.GAME,
    question="What are the improvements worth at 10,000 and 50,000 iterations for each move?",
    scoring="half",
    games=s0.GAMES,
    small=Scale(40),
    cells=tuple(
        _cell(kind, agent, iterations)
        for (kind, agent), iterations in product(s0.BEST.items(), _ITERATIONS)
    ),
    variants=tuple(
        _cell(f"{kind}, larger k", agent.format(k * iterations // 1000), iterations)
        for (kind, (k, agent)), iterations in product(_GROWING_K.items(), _ITERATIONS)
    ),
    notes=(
        "A wish ('more than 10,000 iterations'): the document has no figures.",
        s0.BEST_NOTE,
        "The best k of RAVE 'depends strongly on the number of iterations' (section 6.4); the "
        "variants have a k that grows with it.",
        "The document supposes that transpositions may pay only with very many iterations.",
        *s0.METHOD,
    ),
)
