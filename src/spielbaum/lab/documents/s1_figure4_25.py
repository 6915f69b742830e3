"""S1's figures 4.25 and 4.26: how reproducible a training is."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.25",
    title="Single runs",
    source="S1, section 4.5.3, figures 4.25 and 4.26",
    game=s1.GAME,
    question="How different are the runs of one configuration?",
    small_runs=2,
    small_games=s1.SMALL,
    cells=(
        Course(
            row="same tuples",
            column="success",
            config=s1.BASE,
            published=91,
        ),
        s1.walks(70, 8, row="other tuples"),
    ),
    notes=(
        *s1.METHOD,
        "The intervals show the spread; S1 saw one set of tuples that often failed.",
    ),
)
