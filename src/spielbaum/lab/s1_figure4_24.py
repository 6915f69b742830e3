"""S1's figure 4.24: success by the number of tuples."""

from __future__ import annotations

from spielbaum.lab import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.24",
    title="The number of tuples",
    source="S1, section 4.5.2, figure 4.24",
    game=s1.GAME,
    question="How does success grow with the number of tuples?",
    since=0.7,
    cells=(
        Course(
            row="10 tuples, k = 7.00",
            column="success",
            config=s1.BASE,
            changes=(
                ("network.fresh", True),
                ("network.k", 7.0),
            ),
            tuples=("walk", 10, 8),
        ),
        Course(
            row="30 tuples, k = 2.33",
            column="success",
            config=s1.BASE,
            changes=(
                ("network.fresh", True),
                ("network.k", 2.3333),
            ),
            tuples=("walk", 30, 8),
        ),
        Course(
            row="50 tuples, k = 1.40",
            column="success",
            config=s1.BASE,
            changes=(
                ("network.fresh", True),
                ("network.k", 1.4),
            ),
            tuples=("walk", 50, 8),
        ),
        Course(
            row="70 tuples, k = 1.00",
            column="success",
            config=s1.BASE,
            changes=(
                ("network.fresh", True),
                ("network.k", 1.0),
            ),
            tuples=("walk", 70, 8),
        ),
        Course(
            row="90 tuples, k = 0.78",
            column="success",
            config=s1.BASE,
            changes=(
                ("network.fresh", True),
                ("network.k", 0.7778),
            ),
            tuples=("walk", 90, 8),
        ),
        Course(
            row="120 tuples, k = 0.58",
            column="success",
            config=s1.BASE,
            changes=(
                ("network.fresh", True),
                ("network.k", 0.5833),
            ),
            tuples=("walk", 120, 8),
        ),
    ),
    notes=(
        *s1.METHOD,
        "The values of the curve and the numbers on its axis are lost; these are ours.",
    ),
)
