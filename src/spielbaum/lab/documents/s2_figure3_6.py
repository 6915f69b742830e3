"""S2's figure 3.6: the mean of each row of table 3.2."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Reading, Summary

EXPERIMENT = Summary(
    id="S2.figure3.6",
    title="Step 4: mean rate of each c with GDK at one second",
    source="S2, section 3.2, figure 3.6",
    game=s2.GAME,
    question="Which c wins most of all its games, at one second?",
    measure="mean points",
    unit="% of the games of the agent",
    cells=tuple(
        Reading(
            row=f"c = {c}",
            column="mean",
            experiment="S2.table3.2",
            agent=s2.c_agent("mcts-gdk", c),
        )
        for c in ("0.3", "0.5", "0.7", "√2")
    ),
    notes=(
        "The figure is lost, but its games are those of table 3.2, whose rounded rates have the "
        "means 56.7, 46.0, 50.7 and 46.7.",
    ),
)
