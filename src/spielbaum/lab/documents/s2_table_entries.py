"""S2's section 3.3.3: how large the transposition table of AB* grows."""

from __future__ import annotations

from spielbaum.lab.documents import s2
from spielbaum.lab.experiment import Reading, Summary

EXPERIMENT = Summary(
    id="S2.table-entries",
    title="Entries of the transposition table",
    source="S2, section 3.3.3",
    game=s2.GAME,
    question="How many entries has the transposition table of AB*?",
    measure="table entries",
    unit="entries, mean of games",
    cells=tuple(
        Reading(
            row="AB*",
            column=time,
            published=entries,
            experiment=experiment,
            agent=s2.FINAL["AB*"],
            opponent=s2.FINAL["MCTS-AB"],
        )
        for time, experiment, entries in (
            ("10 s", "S2.table3.4", 68_110),
            ("5 s", "S2.table3.5", 35_757),
        )
    ),
    notes=(
        "Only the games against MCTS-AB were counted, by an error of the test; it says so for ten "
        "seconds. At 88 bytes an entry these are 5.72 and 3 MB.",
        "Whether a mean is of moves or of games is not said, nor whether the table is kept between "
        "moves.",
    ),
)
