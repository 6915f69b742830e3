"""S2's table 3.6: draws in the games of tables 3.4 and 3.5."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Reading, Summary

# Games, and their share of all 300 games of a run, in percent.
_PUBLISHED = {
    "10 s": {"AB*": (1, 0.3), "MCTS": (8, 2.7), "MCTS-AB": (12, 4.0), "MCTS-PNS": (11, 3.7)},
    "5 s": {"AB*": (11, 3.7), "MCTS": (8, 2.7), "MCTS-AB": (11, 3.7), "MCTS-PNS": (6, 2.0)},
}
_EXPERIMENTS = {"10 s": "S2.table3.4", "5 s": "S2.table3.5"}

EXPERIMENT = Summary(
    id="S2.table3.6",
    title="Draws",
    source="S2, section 3.3.4, table 3.6",
    game=s2.GAME,
    question="How many games of each agent are drawn?",
    measure="draws",
    unit="% of all games of the run",
    cells=tuple(
        Reading(
            row=time,
            column=name,
            published=percent,
            experiment=_EXPERIMENTS[time],
            agent=s2.FINAL[name],
            note=f"{games} game{'s' if games > 1 else ''}",
        )
        for time, draws in _PUBLISHED.items()
        for name, (games, percent) in draws.items()
    ),
    notes=(
        "The shares are of all 300 games of a run (six pairings of 50), of which an agent plays "
        "150: 11 draws are 3.7 %. A drawn game is counted for both of its agents.",
        s2.FINAL_NOTE,
    ),
)
