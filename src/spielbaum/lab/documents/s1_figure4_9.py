"""S1's figures 4.8 and 4.9: openings."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.9",
    title="Openings",
    source="S1, section 4.2.2, figures 4.8 and 4.9",
    game=s1.GAME,
    question="Can openings be learnt, if games end early with the solver's value?",
    small_runs=1,
    cells=(
        Course(
            row="6 stones",
            column="success",
            config="s1-opening-6",
        ),
        Course(
            row="8 stones",
            column="success",
            config="s1-opening-8",
        ),
        Course(
            row="10 stones",
            column="success",
            config="s1-opening-10",
            paper_only=True,
        ),
        Course(
            row="12 stones",
            column="success",
            config="s1-opening-12",
            paper_only=True,
        ),
    ),
    notes=(
        "Curves and parameters are lost; figure 4.8 needed 400,000 games, figure 4.9 fewer.",
        "Values of positions with more than eight stones are solved when they come up, which "
        "takes hours for 10 and 12 stones: these are for the scale `paper`.",
    ),
)
