"""S1's figure 4.28: no symmetries."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.28",
    title="Without symmetry",
    source="S1, section 4.6.2, figure 4.28",
    game=s1.GAME,
    question="What is lost without the symmetry of the board?",
    small_runs=2,
    small_games=s1.MAIN,
    cells=(
        Course(
            row="with symmetry",
            column="success",
            config=s1.BASE,
            published=91,
        ),
        Course(
            row="without",
            column="success",
            config=s1.BASE,
            published=70,
            changes=(("network.symmetries", False),),
        ),
        Course(
            row="without, k = 2",
            column="success",
            config=s1.BASE,
            changes=(
                ("network.symmetries", False),
                ("network.k", 2.0),
            ),
        ),
    ),
    notes=(
        *s1.METHOD,
        "The text: k = 2 does not help.",
    ),
)
