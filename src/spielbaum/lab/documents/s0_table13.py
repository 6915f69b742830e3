"""S0's table 13: everything at equal thinking time."""

from __future__ import annotations

from spielbaum.lab.documents import s0, s0_nets
from spielbaum.lab.experiment import Matches, Pairing
from spielbaum.lab.table import entries

_PUBLISHED = """
                1000  2000  3000  4000
    UCT1        47.9  47.7  50.5  46.8
    UCT2        47.5  44.9  44.9  45.0
    UCT3        43.7  39.8  42.4  40.9
    alpha-AMAF  59.2  60.3  60.8  55.1
    RAVE        61.7  57.6  59.9  60.2
    LGR         68.9  73.9  76.9  79.6
    AMAF-LGR    76.2  77.7  78.2  82.8
    RAVE-LGR    76.0  82.7  83.4  81.4
"""
_SPEED = {
    "UCT1": 5952,
    "UCT2": 5952,
    "UCT3": 4866,
    "alpha-AMAF": 5665,
    "RAVE": 5665,
    "LGR": 4578,
    "AMAF-LGR": 3947,
    "RAVE-LGR": 3947,
    **s0_nets.SPEED,
}
"""Iterations per second: the table's second column."""

_BATCH = 8
"""Positions that networks are asked for at a time: at equal time, more than one pays."""

_WITHOUT_SYMMETRY = {
    "UCT1": "uct1:c=0.8,symmetry=off",
    "UCT2": "uct2:c=1.1,symmetry=off",
}
"""The best ones of the lower half of table 4."""


def _cell(row: str, kind: str, agent: str, iterations: str, percent: float | None) -> Pairing:
    return Pairing(
        row=row,
        column=iterations,
        published=percent,
        agent=f"{agent},reuse=on",
        opponent=f"{s0.PLAIN},reuse=on",
        relative=int(iterations),
        published_share=_SPEED[kind] / s0_nets.PLAIN_SPEED,
    )


EXPERIMENT = Matches(
    id="S0.table13",
    title="Everything at equal thinking time",
    source="S0, section 6.8, table 13",
    game=s0.GAME,
    question="Which improvements pay if everybody has the time that MCTS needs for so many "
    "iterations?",
    scoring="half",
    games=s0.GAMES,
    most_games=s0.GAMES,
    cells=tuple(
        _cell(kind, kind, s0.BEST[kind], iterations, percent)
        for kind, iterations, percent in entries(_PUBLISHED)
    )
    + tuple(
        _cell(kind, kind, s0_nets.agent(kind, batch=_BATCH), iterations, percent)
        for kind, iterations, percent in entries(s0_nets.PUBLISHED)
    ),
    variants=tuple(
        _cell(f"{kind} without symmetry", kind, _WITHOUT_SYMMETRY[kind], iterations, percent)
        for kind, iterations, percent in entries(_PUBLISHED)
        if kind in _WITHOUT_SYMMETRY
    ),
    notes=(
        *s0.METHOD,
        "Trees are kept between moves (section 6.8), of the opponent, too: 'the agents keep "
        "their tree'.",
        s0.BEST_NOTE,
        "Where mirrored positions are merged, Spielbaum keeps no tree, whatever reuse= says; the "
        "variants of UCT1 and UCT2 merge none and keep it.",
        "Table 12 has the same figures for the six agents with networks, counts 300 games where "
        "table 13 says 500, and its section keeps no trees. They have our time here; with the "
        "iterations that they had in the document they are in table 12.",
        f"Networks are asked for {_BATCH} positions at a time, and average over the mirror.",
        "RAVE-LGR-ConvNet has 365 iterations per second here and 364 in table 11.",
        "LGR has 4,578 iterations per second here and 4,579 in section 6.5.",
    ),
)
