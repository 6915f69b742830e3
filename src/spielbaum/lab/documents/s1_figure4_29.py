"""S1's figure 4.29: looking ahead during training."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.29",
    title="Looking ahead in training",
    source="S1, section 4.6.3, figure 4.29",
    game=s1.GAME,
    question="Does it help to look a ply further during training?",
    small_runs=2,
    small_games=s1.SMALL,
    cells=(
        Course(
            row="depth 0",
            column="success",
            config=s1.IMPROVED,
        ),
        Course(
            row="depth 1",
            column="success",
            config=s1.IMPROVED,
            changes=(("learning.look_ahead", 1),),
        ),
    ),
    notes=(
        *s1.METHOD,
        "The text: about one percent more.",
    ),
)
