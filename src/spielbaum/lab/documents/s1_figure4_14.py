"""S1's figure 4.14: three and four contents of a cell."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.14",
    title="Empty cells that can be reached",
    source="S1, section 4.4.1, figure 4.14",
    game=s1.GAME,
    question="What does a content for cells gain that a stone can reach?",
    small_runs=2,
    small_games=s1.MAIN,
    cells=(
        Course(
            row="m = 3",
            column="success",
            config=s1.BASE,
            published=81,
            changes=(("network.contents", 3),),
        ),
        Course(
            row="m = 4",
            column="success",
            config=s1.BASE,
            published=91,
        ),
    ),
    notes=(*s1.METHOD,),
)
