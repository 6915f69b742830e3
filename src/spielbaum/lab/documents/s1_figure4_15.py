"""S1's figure 4.15: one table with three and four contents."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.15",
    title="Four contents and one table",
    source="S1, section 4.4.1, figure 4.15",
    game=s1.GAME,
    question="Do four contents help a network with one table?",
    small_runs=2,
    small_games=s1.SMALL,
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
            row="one table, m = 4",
            column="success",
            config=s1.BASE,
            changes=(("network.table_per_player", False),),
        ),
    ),
    notes=(
        *s1.METHOD,
        "The text: no remarkable improvement.",
    ),
)
