"""What the experiments of S0 have in common.

Its method is in section 6.1: 1,000 iterations for each move, unless something else is said, colours
that alternate, at least 500 games, trees that are not kept between moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spielbaum.lab.experiment import Pairing
from spielbaum.play.limits import Limits

GAME = "connect4"
GAMES = 500

PLAIN = "uct:c=0.8"
"""The agent without improvements that all others meet, from section 6.2 on."""

THOUSAND = Limits(iterations=1000)

# With their parameters, though they are the defaults of the presets: what the document played does
# not change with our defaults. Those of RAVE-LGR are not.
BEST: Mapping[str, str] = {
    "UCT1": "uct1:c=0.8,symmetry=on",
    "UCT2": "uct2:c=1,symmetry=on",
    "UCT3": "uct3:c=1.2,symmetry=off",
    "alpha-AMAF": "amaf:alpha=0.5,c=0.4",
    "RAVE": "rave:rave_k=100,c=0.2",
    "LGR": "lgr:c=1,forget=off,keep=on",
    "AMAF-LGR": "amaf-lgr:alpha=0.5,c=0.4,forget=off,keep=on",
    "RAVE-LGR": "rave-lgr:rave_k=50,c=0.2,forget=off,keep=on",
}
"""Each kind of agent with the parameters that scored most in its table."""

BEST_NOTE = (
    "The parameters are those with the highest figures of tables 4 to 9; the document says "
    "'optimised' without listing them. It has two candidates for UCT2 (Cp = 1.0 and 1.1, both "
    "52.1) and nearly so for UCT3 (50.9 with Cp = 1.2 without symmetry, 50.8 with Cp = 0.9 with "
    "it); the first of each is taken."
)

METHOD = (
    "A draw counts half: section 6.1 writes that 'a loss' counts 50 %, but its example is about "
    "draws.",
    "No start position is named; it is taken to be the empty board.",
)

AMAF_METHOD = (
    "The final move is that of the selection rule without exploration, the best blended mean, as "
    "in the document's public program. The presets with AMAF values count moves of the tree, too; "
    "listings 16 to 18 count only moves of playouts. The variants show what each choice is worth."
)

_LISTED = (
    ("only moves of playouts", "tree_moves=off"),
    ("most visits", "final=visits"),
    ("best mean", "final=value"),
    ("only moves of playouts, best mean", "tree_moves=off,final=value"),
)


def as_listed(cells: tuple[Pairing, ...], agent: str) -> tuple[Pairing, ...]:
    """Variants of the cell of an agent with AMAF values that follow the document's listings.

    >>> cell = Pairing(row="alpha = 0.5", column="Cp = 0.4", agent="amaf:c=0.4", opponent=PLAIN)
    >>> [variant.agent for variant in as_listed((cell,), "amaf:c=0.4")][-1]
    'amaf:c=0.4,tree_moves=off,final=value'
    """
    cell = next(each for each in cells if each.agent == agent)
    return tuple(
        replace(cell, row=f"{cell.row}, {name}", agent=f"{agent},{options}")
        for name, options in _LISTED
    )
