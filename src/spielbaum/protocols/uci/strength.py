"""Playing chess below full strength: how many nodes a rating is worth.

The figures come from matches of alphabeta with its own evaluation against Stockfish 15.1 with
``UCI_Elo`` (see docs/uci.md). Stockfish has calibrated that scale by games at 60 s + 0.6 s, and
plays it by choosing a move at a small depth among its best four with some noise, so that its
strength hardly depends on the time for a move. Ours depends on nodes only.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

from spielbaum.agents import Budget
from spielbaum.base.options import Option, parse_spec
from spielbaum.base.rng import Rng

NODES = {1400: 1350, 1600: 2700, 1800: 19000}
"""Nodes for a move by rating; for ratings between they are interpolated."""
SPREAD = 2.0
"""Each move gets nodes that are drawn between the figure divided and multiplied by this."""

LOWEST, HIGHEST = min(NODES), max(NODES)
ELO = Option("elo", LOWEST, low=LOWEST, high=HIGHEST)
SKILL = Option("skill", 20, low=0, high=20)


def nodes_of(elo: int) -> float:
    """Nodes for a move that make a rating.

    >>> round(nodes_of(1400)) == NODES[1400]
    True
    """
    for (low, few), (high, many) in pairwise(NODES.items()):
        if elo <= high:
            share = (elo - low) / (high - low)
            return math.exp(math.log(few) * (1 - share) + math.log(many) * share)
    return NODES[HIGHEST]


def skill_elo(skill: int) -> int | None:
    """The rating of a Skill Level: from the lowest of all to the highest; None for the full 20.

    >>> skill_elo(20) is None, skill_elo(0) == LOWEST, skill_elo(19) == HIGHEST
    (True, True, True)
    """
    if skill == SKILL.high:
        return None
    return round(LOWEST + (HIGHEST - LOWEST) * skill / 19)


def can_be_weakened(spec: str) -> bool:
    """Whether the nodes of an agent were measured: alphabeta's, however much memory it has.

    >>> can_be_weakened("alphabeta:memory=16"), can_be_weakened("alphabeta:eval=none")
    (True, False)
    """
    name, written = parse_spec(spec)
    return name == "alphabeta" and not set(written) - {"memory", "threads"}


def weakened(budget: Budget, elo: int, rng: Rng) -> Budget:
    """The budget of a move with at most the nodes of a rating, of which some are drawn.

    >>> weakened(Budget(seconds=9, nodes=7), elo=1400, rng=Rng(1)).nodes
    7
    """
    drawn = round(nodes_of(elo) * SPREAD ** (rng.below(2001) / 1000 - 1))
    return replace(budget, nodes=drawn if budget.nodes is None else min(budget.nodes, drawn))
