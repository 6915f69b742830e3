"""Choosing among some of the legal moves only, with any agent."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spielbaum.agents.decision import Decision
from spielbaum.base.budget import Budget
from spielbaum.base.scores import end_score

if TYPE_CHECKING:
    from spielbaum.agents.agent import Agent
    from spielbaum.games.state import State


def choose_among(agent: Agent, state: State, moves: Sequence[int], budget: Budget) -> Decision:
    """Choose the best of some legal moves, in a game of two players who take turns.

    Agents need not know about this: each move is judged by what the agent sees after it, one ply
    deeper in every round, until the budget ends or nothing can change any more. An agent that does
    not search by depth judges every move once.

    >>> import spielbaum as sb
    >>> state = sb.game("chess").state("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    >>> some = [state.parse("g1f1"), state.parse("a1a7"), state.parse("a1a8")]
    >>> agent = sb.agent("alphabeta:memory=1")
    >>> [state.text(choose_among(agent, state, each, sb.Budget(depth=3)).move)
    ...  for each in (some, some[:1])]
    ['a1a8', 'g1f1']
    """
    work = _Work(agent, state, budget)
    best = Decision(moves[0], pv=(moves[0],), state=state)
    order = list(moves)
    for depth in itertools.count(1):
        found = work.judge(order, depth)
        if found is None:
            break
        found.sort(key=lambda each: each.rank, reverse=True)
        # The best move comes first in the next round, where a search profits from it.
        order = [each.decision.move for each in found]
        best = work.with_totals(found[0].decision)
        if budget.report is not None:
            budget.report(best)
        deep_enough = budget.depth is not None and depth + 1 >= budget.depth
        if deep_enough or all(each.settled for each in found):
            break
    return best


@dataclass(frozen=True)
class _Judged:
    """A move with what the agent thinks of it; settled if a deeper search would say the same."""

    decision: Decision
    settled: bool

    @property
    def rank(self) -> tuple[float, float]:
        # Among proven wins the score prefers the nearest, among losses the farthest.
        return self.decision.value, float(self.decision.stats.get("score", 0))


@dataclass
class _Work:
    """The agent at work, and what it has spent of the budget."""

    agent: Agent
    state: State
    budget: Budget
    nodes: int = 0
    began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    @property
    def over(self) -> bool:
        budget = self.budget
        return (
            (budget.stop is not None and budget.stop.stopped)
            or (budget.seconds is not None and self.seconds >= budget.seconds)
            or (budget.nodes is not None and self.nodes >= budget.nodes)
        )

    def judge(self, moves: Sequence[int], depth: int) -> list[_Judged] | None:
        """Every move by a search of the position after it; None if the budget ends before.

        The first round is always finished, for there must be something to choose by.
        """
        found = []
        for move in moves:
            found.append(self._judge(move, depth))
            if self.over and depth > 1:
                return None
        return found

    def _judge(self, move: int, depth: int) -> _Judged:
        after = self.state.play(move)
        outcome = after.outcome
        if outcome is not None:
            value = outcome.rewards[self.state.to_move]
            won = {"score": end_score(value, 1), "plies_to_end": 1}
            stats = {"depth": 1, **(won if value else {"score": 0})}
            decision = Decision(move, value, pv=(move,), stats=stats, state=self.state)
            return _Judged(decision, settled=True)
        budget = self.budget
        limits = Budget(
            seconds=None if budget.seconds is None else max(budget.seconds - self.seconds, 1e-3),
            depth=depth,
            nodes=None if budget.nodes is None else max(budget.nodes - self.nodes, 1),
            stop=budget.stop,
        )
        reply = self.agent.choose(after, limits)
        self.nodes += int(reply.stats.get("nodes", 0))
        # A search that stops short of its depth knows all there is to know.
        return _Judged(
            _turned(self.state, move, reply), settled=reply.stats.get("depth", 0) != depth
        )

    def with_totals(self, decision: Decision) -> Decision:
        """The decision with the effort for all moves, where the agent counts its effort."""
        totals = {"nodes": self.nodes, "seconds": self.seconds}
        known = {name: value for name, value in totals.items() if name in decision.stats}
        return replace(decision, stats={**decision.stats, **known})


def _turned(state: State, move: int, reply: Decision) -> Decision:
    """The decision of the opponent as a judgement of the move before it."""
    stats = dict(reply.stats)
    value = -reply.value
    if "depth" in stats:
        stats["depth"] = int(stats["depth"]) + 1
    if "plies_to_end" in stats:
        plies = int(stats["plies_to_end"]) + 1
        stats |= {"plies_to_end": plies, "score": end_score(value, plies)}
    elif "score" in stats:
        stats["score"] = -int(stats["score"])
    return Decision(move, value, (), (move, *(reply.pv or (reply.move,))), stats, state)
