"""S1's figure 4.10: one table for each tuple."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.10",
    title="One table for each tuple",
    source="S1, section 4.3, figure 4.10",
    game=s1.GAME,
    question="How far does a network get that does not know whose turn it is?",
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
    ),
    notes=(
        *s1.METHOD,
        "The text says 20 to 30 % after 6 million games; the middle is taken.",
    ),
)
