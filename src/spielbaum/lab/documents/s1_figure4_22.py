"""S1's figures 4.22 and 4.23: 120 tuples, and the factor k."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.22",
    title="Too many tuples",
    source="S1, section 4.5.2, figures 4.22 and 4.23",
    game=s1.GAME,
    question="Why do 120 tuples do worse than 70, and does a factor k help?",
    small_runs=2,
    small_games=s1.SMALL,
    cells=tuple(
        s1.walks(number, 8, k=k, row=f"{number} tuples, k = {k}")
        for number, k in ((70, 1.0), (120, 1.0), (120, 0.58))
    ),
    notes=(
        *s1.METHOD,
        "The text: 120 do worse than 70 without k, and better with it.",
    ),
)
