"""S2's figure 3.9: nodes of the tree searches."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Reading, Summary

EXPERIMENT = Summary(
    id="S2.figure3.9",
    title="Nodes per move",
    source="S2, section 3.3.2, figure 3.9",
    game=s2.GAME,
    question="How many nodes does a move of MCTS, MCTS-AB and MCTS-PNS expand?",
    measure="nodes per move",
    unit="expanded nodes, mean of a game's moves",
    cells=tuple(
        Reading(row=time, column=name, experiment=experiment, agent=s2.FINAL[name])
        for time, experiment in (("10 s", "S2.table3.4"), ("5 s", "S2.table3.5"))
        for name in s2.TREE_SEARCHES
    ),
    notes=(
        "The figure is lost: it showed a distribution, with the mean of each game as a point. The "
        "text says that MCTS has clearly more nodes than the others, and that twice the time gives "
        "twice the nodes (section 4.3); of iterations, one of which expands at most one node, it "
        "says that they hardly differ, and does not explain it.",
    ),
)
