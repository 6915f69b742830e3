"""S1's section 4.6.5: another opponent, and play as the second player."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Course, Trainings

EXPERIMENT = Trainings(
    id="S1.second",
    title="Play as the second player",
    source="S1, section 4.6.5",
    game=s1.GAME,
    question="How well does a network play against another program, and as the second player?",
    small_runs=2,
    small_games=s1.MAIN,
    cells=(
        Course(row="perfect", column="first", config=s1.BASE, published=92),
        Course(row="perfect", column="second", config=s1.BASE, seat=1),
        Course(row="uct", column="first", config=s1.BASE, opponent="uct"),
        Course(row="uct", column="second", config=s1.BASE, opponent="uct", seat=1, published=40),
    ),
    notes=(
        "The document played 20 games by hand on either side against the program Mustrum, which is "
        "perfect but made mistakes as the first player, probably by its book. Against a perfect "
        "first player the second has no chance; `uct` with 10,000 iterations for each move, which "
        "makes mistakes, too, takes Mustrum's place there.",
    ),
)
