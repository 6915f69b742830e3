"""S2's figure 3.8: iterations of the tree searches."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Reading, Summary

EXPERIMENT = Summary(
    id="S2.figure3.8",
    title="Iterations per move",
    source="S2, section 3.3.1, figure 3.8",
    game=s2.GAME,
    question="How many iterations has a move of MCTS, MCTS-AB and MCTS-PNS?",
    measure="iterations per move",
    unit="iterations, mean of a game's moves",
    cells=tuple(
        Reading(row=time, column=name, experiment=experiment, agent=s2.FINAL[name])
        for time, experiment in (("10 s", "S2.table3.4"), ("5 s", "S2.table3.5"))
        for name in s2.TREE_SEARCHES
    ),
    notes=(
        "The figure is lost: it showed a distribution, with the mean of each game as a point. The "
        "text says that means are alike in both runs, and that the median of MCTS and MCTS-PNS is "
        "even higher at five seconds, as games from test position 4 lack the first moves "
        "(section 4.3).",
    ),
)
