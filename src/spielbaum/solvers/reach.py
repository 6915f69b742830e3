"""What can be solved in time: an estimate before the work begins."""

from __future__ import annotations

import math

from spielbaum.base.budget import Budget
from spielbaum.games import State

NODES_PER_SECOND = 5e6
EASY_NODES = 4e5
"""Nodes of an easy Reversi endgame with `USUAL_CELLS` empty cells; a usual one takes ten times."""
USUAL_CELLS = 20
GROWTH = 2.5
"""Times as many nodes for each empty cell more."""


def too_early(state: State, budget: Budget) -> str:
    """Why it would be a waste of time to try to solve a position, or nothing.

    That is known of Reversi only; positions of other games are always tried.

    >>> import spielbaum as sb
    >>> too_early(sb.game("reversi").initial(), Budget(seconds=1))
    'reversi with 60 empty cells is too far from its end to be solved in time'
    """
    if state.game.name != "reversi":
        return ""
    empty = state.cells.count(0)
    if empty <= most_empty_cells(budget):
        return ""
    return f"{state.game} with {empty} empty cells is too far from its end to be solved in time"


def most_empty_cells(budget: Budget) -> float:
    """Empty cells of a Reversi position that is solved within a budget, if it is an easy one.

    >>> most_empty_cells(Budget(seconds=600))
    29
    """
    seconds = math.inf if budget.seconds is None else budget.seconds
    nodes = seconds * NODES_PER_SECOND if budget.nodes is None else budget.nodes
    if nodes == math.inf:
        return math.inf
    return USUAL_CELLS + math.floor(math.log(nodes / EASY_NODES, GROWTH))
