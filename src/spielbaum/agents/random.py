"""The agent that plays any legal move: the yardstick of all others."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from spielbaum._core import Rng
from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.registry import register_agent
from spielbaum.base.options import Option

if TYPE_CHECKING:
    from spielbaum.base.budget import Budget
    from spielbaum.games.state import State

SEED = Option("seed", 0, "start of the sequence of random numbers", low=0, high=2**63 - 1)


class RandomAgent(Agent):
    """Chooses uniformly among the legal moves; the same seed gives the same moves everywhere.

    >>> import spielbaum as sb
    >>> start = sb.game("connect4").initial()
    >>> decision = sb.agent("random:seed=1").choose(start)
    >>> decision.move in start.legal_moves, decision.value
    (True, 0.0)
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._rng = Rng(seed)

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Choose any legal move; the budget is not needed."""
        moves = choices(state)
        move = moves[self._rng.below(len(moves))]
        return Decision(move, 0.0, _alike(moves), (move,), {"legal_moves": len(moves)}, state)

    def reset(self, seed: int | None = None) -> None:
        """Start the sequence of random numbers again."""
        self._rng = Rng(self._seed if seed is None else int(SEED.check(seed)))


@lru_cache(maxsize=4096)
def _alike(moves: tuple[int, ...]) -> tuple[MoveEval, ...]:
    """Moves of which none is better than another; in most games the same ones come again."""
    return tuple(MoveEval(each, prior=1 / len(moves), pv=(each,)) for each in moves)


register_agent("random", RandomAgent, options=(SEED,), help="any legal move, all equally likely")
