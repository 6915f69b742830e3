"""S1's figures 4.22 and 4.23: 120 tuples, and the factor k."""

from __future__ import annotations

from spielbaum.lab import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.22",
    title="Too many tuples",
    source="S1, section 4.5.2, figures 4.22 and 4.23",
    game=s1.GAME,
    question="Why do 120 tuples do worse than 70, and does a factor k help?",
    cells=(
        Course(
            row="70 tuples, k = 1",
            column="success",
            config=s1.BASE,
            changes=(("network.fresh", True),),
        ),
        Course(
            row="120 tuples, k = 1",
            column="success",
            config=s1.BASE,
            changes=(("network.fresh", True),),
            tuples=("walk", 120, 8),
        ),
        Course(
            row="120 tuples, k = 0.58",
            column="success",
            config=s1.BASE,
            changes=(
                ("network.fresh", True),
                ("network.k", 0.58),
            ),
            tuples=("walk", 120, 8),
        ),
    ),
    notes=(
        *s1.METHOD,
        "The text: 120 do worse than 70 without k, and better with it.",
    ),
)
