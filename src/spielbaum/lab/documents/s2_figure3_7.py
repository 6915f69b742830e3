"""S2's figure 3.7: the mean of each row of table 3.3."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Reading, Summary

EXPERIMENT = Summary(
    id="S2.figure3.7",
    title="Step 5: mean rate of each c with GDK at five seconds",
    source="S2, section 3.2, figure 3.7",
    game=s2.GAME,
    question="Which c wins most of all its games, at five seconds?",
    measure="mean points",
    unit="% of the games of the agent",
    cells=tuple(
        Reading(
            row=f"c = {c}",
            column="mean",
            experiment="S2.table3.3",
            agent=s2.c_agent("mcts-gdk", c),
        )
        for c in ("0.3", "0.7", "√2")
    ),
    notes=(
        "The figure is lost, but its games are those of table 3.3, whose rounded rates have the "
        "means 50.5, 52.5 and 44.0.",
    ),
)
