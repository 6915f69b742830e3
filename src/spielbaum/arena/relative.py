"""Relative iterations (S0 6.8): everybody gets the time that one agent needs for so many."""

from __future__ import annotations

import statistics
import time

from spielbaum.agents import Budget, stored_agent
from spielbaum.games import Game
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Opening

POSITIONS = 12
PLIES = 12


def relative_limits(
    rules: Game, reference: str, iterations: int, openings: list[Opening]
) -> Limits:
    """Measure how long the reference takes for one move, on positions of the match itself.

    It plays on from a few openings against itself; the median time of a move is what everybody
    gets. The agent has warmed up before, and its tree is not kept.

    >>> import spielbaum as sb
    >>> limits = relative_limits(sb.game("tictactoe"), "uct", 100, [Opening()])
    >>> 0 < limits.seconds < 1
    True
    """
    measured = stored_agent(reference)
    budget = Budget(iterations=iterations)
    measured.choose(rules.initial(), budget)
    times = []
    for opening in openings[:POSITIONS]:
        state = opening.state(rules)
        for _ in range(PLIES):
            if state.outcome is not None:
                break
            measured.reset()
            began = time.perf_counter()
            decision = measured.choose(state, budget)
            times.append(time.perf_counter() - began)
            state = state.play(decision.move)
    return Limits(seconds=max(statistics.median(times), 1e-6))
