"""S0's table 4: transpositions, with and without the mirror."""

from __future__ import annotations

from spielbaum.lab.documents import s0
from spielbaum.lab.experiment import Matches, Pairing
from spielbaum.lab.table import entries

_WITH_SYMMETRY = """
           0.7   0.8   0.9   1.0   1.1   1.2
    UCT1  45.3  53.0  46.2  49.6  50.0  50.0
    UCT2  46.2  51.4  51.5  52.1  52.1  49.3
    UCT3  47.0  49.5  50.8  47.0  49.0  48.2
"""
_WITHOUT_SYMMETRY = """
           0.7   0.8   0.9   1.0   1.1   1.2
    UCT1  47.4  51.0  49.4  49.6  48.4  47.2
    UCT2  44.6  49.5  46.8  47.4  49.8  45.3
    UCT3  49.3  48.2  45.5  50.0  48.4  50.9
"""


def _cells(published: str, words: str, symmetry: str) -> tuple[Pairing, ...]:
    return tuple(
        Pairing(
            row=f"{rule} {words} symmetry",
            column=f"Cp = {c}",
            published=percent,
            agent=f"{rule.lower()}:c={c},symmetry={symmetry}",
            opponent=s0.PLAIN,
            limits=s0.THOUSAND,
        )
        for rule, c, percent in entries(published)
    )


EXPERIMENT = Matches(
    id="S0.table4",
    title="Transpositions",
    source="S0, section 6.3, table 4",
    game=s0.GAME,
    question="Do UCT1, UCT2 and UCT3 beat MCTS, and does it help to merge mirrored positions?",
    scoring="half",
    games=s0.GAMES,
    most_games=800,
    cells=(
        *_cells(_WITH_SYMMETRY, "with", "on"),
        *_cells(_WITHOUT_SYMMETRY, "without", "off"),
    ),
    notes=(
        *s0.METHOD,
        "500 to 800 games, without saying how many for which cell.",
        "The opponent has Cp = 0.8, as section 6.2 settles for all that follows.",
        "The document does not exclude that its treatment of transpositions has an error "
        "(section 7).",
    ),
)
