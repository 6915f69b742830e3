"""S1's figure 4.30: alpha-beta with a network at its leaves."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Trainings

_PUBLISHED = {(7, 0): 72, (7, 6): 92, (9, 8): 99}
"""In percent, by length of tuples and depth."""

EXPERIMENT = Trainings(
    id="S1.figure4.30",
    title="A network in alpha-beta",
    source="S1, section 4.6.3, figure 4.30",
    game=s1.GAME,
    question="What does alpha-beta gain with a network at its leaves?",
    small_runs=2,
    small_games=s1.SMALL,
    cells=tuple(
        s1.walks(
            70,
            length,
            row=f"70x {length}-tuples",
            column=f"depth {depth}",
            depth=depth,
            published=_PUBLISHED.get((length, depth)),
        )
        for length in (7, 8, 9)
        for depth in (0, 2, 4, 6, 8)
    ),
    notes=(
        *s1.METHOD,
        "Depths go up to 18 in the document, where a game takes minutes (table 4.2). Its books are "
        "off; here the network's player has none.",
    ),
)
