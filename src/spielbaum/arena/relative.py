"""Relative iterations (S0 6.8): everybody gets the time that one agent needs for so many."""

from __future__ import annotations

import statistics

from spielbaum.agents import Agent, Budget, Decision, stored_agent
from spielbaum.games import Game
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Opening
from spielbaum.play.table import Player, Rules, Table, Turn, Watcher, play_one

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
    players, times = [Player(measured, budget)] * rules.num_players, _Times(measured)
    for opening in openings[:POSITIONS]:
        play_one(Table(opening.state(rules), players, Rules("raise", PLIES), [times]))
    return Limits(seconds=max(statistics.median(times.seconds), 1e-6))


class _Times(Watcher):
    """Notes how long each move took, and has the agent forget its tree before."""

    def __init__(self, measured: Agent) -> None:
        self._measured = measured
        self.seconds: list[float] = []

    def asked(self, turn: Turn) -> None:
        self._measured.reset()

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        self.seconds.append(seconds)
