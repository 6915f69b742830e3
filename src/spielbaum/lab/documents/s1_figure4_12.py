"""S1's figure 4.12: a table for each player to move."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.12",
    title="A table for each player",
    source="S1, section 4.3.2, figure 4.12",
    game=s1.GAME,
    question="What do two tables for each tuple gain?",
    small_runs=2,
    small_games=s1.MAIN,
    cells=(
        Course(
            row="one table, m = 3",
            column="success",
            config=s1.BASE,
            published=25,
            changes=(
                ("network.table_per_player", False),
                ("network.contents", 3),
            ),
        ),
        Course(
            row="two tables, m = 3",
            column="success",
            config=s1.BASE,
            published=80,
            changes=(("network.contents", 3),),
        ),
    ),
    notes=(
        *s1.METHOD,
        "The text says more than 80 %.",
    ),
)
