"""S1's table 4.2: how long games take if a network stands at the leaves of alpha-beta."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Trainings

_PUBLISHED = {
    0: (50, 48, 41),
    2: (46, 44, 42),
    4: (41, 44, 39),
    6: (42, 37, 38),
    8: (44, 38, 39),
}
"""Seconds of 50 games by depth, for tuples of 7, 8 and 9 cells."""

EXPERIMENT = Trainings(
    id="S1.table4.2",
    title="Time of games with a network in alpha-beta",
    source="S1, section 4.6.3, table 4.2",
    game=s1.GAME,
    question="How does the time of 50 games against the perfect player grow with the depth?",
    measure="seconds",
    small_runs=2,
    small_games=s1.SMALL,
    cells=tuple(
        s1.walks(
            70,
            length,
            row=f"depth {depth}",
            column=f"70x {length}-tuples",
            depth=depth,
            published=published,
        )
        for depth, row in _PUBLISHED.items()
        for length, published in zip((7, 8, 9), row, strict=True)
    ),
    notes=(
        "Most of the document's time is that of its perfect player without books. Here solved "
        "positions come from a cache, so that the times are hardly comparable.",
        "Depths go up to 18 in the document: 895 to 1,267 seconds.",
    ),
)
