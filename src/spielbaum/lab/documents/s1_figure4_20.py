"""S1's figure 4.20: random walks against random points."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.20",
    title="Random walks and random points",
    source="S1, section 4.5.1, figure 4.20",
    game=s1.GAME,
    question="Do scattered cells do as well as connected ones?",
    small_runs=2,
    small_games=s1.SMALL,
    cells=(
        s1.walks(70, 8, row="70 random walks"),
        Course(
            row="100 times random points",
            column="success",
            config=s1.BASE,
            changes=(("network.fresh", True),),
            tuples=("points", 100, 8),
        ),
    ),
    notes=(
        *s1.METHOD,
        "The text: random points gave no satisfying results. Other tuples in every run.",
    ),
)
