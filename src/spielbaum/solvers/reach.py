"""What can be solved in time: an estimate before the work begins."""

from __future__ import annotations

import math

from spielbaum.base.budget import Budget
from spielbaum.games import Game, State

NODES_PER_SECOND = 5e6


def too_early(state: State, budget: Budget) -> str:
    """Why it would be a waste of time to try to solve a position, or nothing.

    Where nothing is known of the game's solver, every position is tried.

    >>> import spielbaum as sb
    >>> too_early(sb.game("reversi").initial(), Budget(seconds=1))
    'reversi with 60 empty cells is too far from its end to be solved in time'
    """
    empty = state.cells.count(0)
    if empty <= most_empty_cells(state.game, budget):
        return ""
    return f"{state.game} with {empty} empty cells is too far from its end to be solved in time"


def most_empty_cells(game: Game, budget: Budget) -> float:
    """Empty cells of a position that is solved within a budget, if it is an easy one.

    >>> import spielbaum as sb
    >>> most_empty_cells(sb.game("reversi"), Budget(seconds=600))
    29
    """
    facts = game._core.solver
    if facts is None or not facts.easy_nodes:
        return math.inf
    seconds = math.inf if budget.seconds is None else budget.seconds
    nodes = seconds * NODES_PER_SECOND if budget.nodes is None else budget.nodes
    if nodes == math.inf:
        return math.inf
    return facts.easy_cells + math.floor(math.log(nodes / facts.easy_nodes, facts.growth))
