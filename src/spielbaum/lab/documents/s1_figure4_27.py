"""S1's figure 4.27: better parameters."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.27",
    title="Better parameters",
    source="S1, section 4.6.1, figure 4.27",
    game=s1.GAME,
    question="How fast does the improved configuration learn?",
    cells=(
        Course(
            row="base",
            column="2 million games",
            config=s1.BASE,
            at=2000000,
        ),
        Course(
            row="base",
            column="4 million games",
            config=s1.BASE,
            published=80,
            at=4000000,
        ),
        Course(
            row="improved",
            column="2 million games",
            config=s1.IMPROVED,
            published=80,
            at=2000000,
        ),
        Course(
            row="improved",
            column="4 million games",
            config=s1.IMPROVED,
            at=4000000,
        ),
    ),
    notes=(*s1.METHOD,),
)
