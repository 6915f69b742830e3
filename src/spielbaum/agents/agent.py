"""The interface of everything that chooses moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from spielbaum.base.discover import load
from spielbaum.base.errors import IllegalMove

if TYPE_CHECKING:
    from spielbaum.agents.decision import Decision
    from spielbaum.base.budget import Budget
    from spielbaum.games.state import State


class Agent(ABC):
    """Something that chooses moves. Only `choose` must be written; the rest has a plain default.

    >>> import spielbaum as sb
    >>> class First(sb.Agent):
    ...     def choose(self, state, budget=None):
    ...         return sb.Decision(move=state.legal_moves[0])
    >>> First().choose(sb.game("connect4").initial()).move
    0
    """

    # Set by the registry, which knows the name and the options that the agent was made from.
    _spec: str = ""

    @property
    def spec(self) -> str:
        """The spec from which `spielbaum.agent` makes an equal agent; also what ``str`` gives.

        An agent that was not made from a spec has the name of its class.
        """
        return self._spec or type(self).__name__

    @abstractmethod
    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Choose a move for the player to move; without a budget the agent uses its own default.

        Threads may share an agent: one thinks after the other. A report may not ask its own agent.
        Raises `IllegalMove` if the game is over. With equal options, seed and calls since `reset`,
        and limits that do not depend on a clock, the decision is the same.
        """

    def stop(self) -> None:  # noqa: B027  an agent that decides at once needs nothing here
        """End a running `choose` soon; to be called from another thread."""

    def reset(self, seed: int | None = None) -> None:  # noqa: B027  nor one without memory
        """Forget everything about the game so far, and begin with ``seed`` or the agent's own."""

    def __reduce__(self) -> str | tuple[object, ...]:
        # A copy or a pickled agent is made anew from the spec, as if after `reset`.
        make = load(__package__, "registry").stored_agent
        return (make, (self._spec,)) if self._spec else super().__reduce__()

    def __str__(self) -> str:
        return self.spec

    def __repr__(self) -> str:
        return f"<agent {self.spec}>"


def choices(state: State) -> tuple[int, ...]:
    """The moves to choose from; `IllegalMove` if there are none because the game is over.

    >>> import spielbaum as sb
    >>> choices(sb.game("tictactoe").state("b2 a1 c3"))
    (1, 2, 3, 5, 6, 7)
    """
    moves = state.legal_moves
    if not moves and (outcome := state.outcome) is not None:
        raise IllegalMove(f"the game is over: {outcome.reason}")
    return moves
