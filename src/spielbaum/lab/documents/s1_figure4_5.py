"""S1's figures 4.5 and 4.7: tic-tac-toe."""

from __future__ import annotations

from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.figure4.5",
    title="Tic-tac-toe",
    source="S1, section 4.2.1, figures 4.5 and 4.7",
    game="tictactoe",
    question="After how many games is tic-tac-toe played perfectly?",
    runs=10,
    small_runs=10,
    cells=(
        Course(
            row="one 9-tuple after 2,500 games",
            column="success",
            config="tictactoe-9",
            opponent="perfect",
            published=50,
            at=2_500,
        ),
        Course(
            row="four 3-tuples after 4,000 games",
            column="success",
            config="tictactoe-3",
            opponent="perfect",
            published=50,
            at=4_000,
        ),
    ),
    notes=(
        "A draw, 50 %, is the best result; the document counts it as 0 and a loss as -1.",
        "Step sizes and rates of the figures are lost, and the cells of figure 4.6: those of our "
        "configurations are used.",
    ),
)
