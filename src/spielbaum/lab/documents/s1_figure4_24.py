"""S1's figure 4.24: the number of tuples."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.24",
    title="The number of tuples",
    source="S1, section 4.5.2, figure 4.24",
    game=s1.GAME,
    question="How does success grow with the number of tuples?",
    since=0.7,
    small_runs=2,
    small_games=s1.SMALL,
    cells=tuple(
        s1.walks(number, 8, k=k, row=f"{number} tuples, k = {k}")
        for number, k in ((10, 7.0), (30, 2.33), (50, 1.4), (70, 1.0), (90, 0.78), (120, 0.58))
    ),
    notes=(
        *s1.METHOD,
        "The values of the curve and the numbers on its axis are lost; these are ours.",
    ),
)
