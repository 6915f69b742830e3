"""The agent that asks a person in the terminal."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.registry import register_agent
from spielbaum.base.errors import IllegalMove

if TYPE_CHECKING:
    from spielbaum.base.budget import Budget
    from spielbaum.games.state import State

HELP = "Type a move such as {example}, or: moves (all legal moves), help."


class HumanAgent(Agent):
    """Asks until the answer is a legal move; ``ask`` and ``tell`` can be replaced.

    The end of the input (`EOFError`) and Ctrl-C (`KeyboardInterrupt`) reach the caller.

    >>> import spielbaum as sb
    >>> answers = iter(["z9", "b2"])
    >>> person = HumanAgent(ask=lambda prompt: next(answers), tell=lambda text: None)
    >>> person.choose(sb.game("tictactoe").initial()).move
    4
    """

    def __init__(
        self, ask: Callable[[str], str] | None = None, tell: Callable[[str], None] | None = None
    ) -> None:
        self._ask = ask or input
        self._tell = tell or print

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Show the board and ask for a move; a person takes no budget."""
        moves = choices(state)
        began = time.perf_counter()
        self._tell(str(state))
        while True:
            answer = self._ask("your move> ").strip()
            try:
                move = legal_move(state, answer)
            except IllegalMove as error:
                self._tell(self._reply(state, answer, error))
                continue
            evaluations = tuple(MoveEval(each, pv=(each,)) for each in moves)
            stats = {"seconds": time.perf_counter() - began}
            return Decision(move, 0.0, evaluations, (move,), stats, state)

    def _reply(self, state: State, answer: str, error: IllegalMove) -> str:
        """What to say to an answer that is not a move."""
        match answer.lower():
            case "moves":
                return list_moves(state)
            case "help" | "?" | "":
                return HELP.format(example=example_move(state))
            case _:
                return str(error)


def legal_move(state: State, text: str) -> int:
    """The legal move that ``text`` names, or the error of the game that says what is wrong.

    >>> import spielbaum as sb
    >>> legal_move(sb.game("connect4").initial(), "d1")
    3
    """
    move = state.parse(text)
    if move not in state.legal_moves:
        state.play(move)  # raises IllegalMove with the reason
    return move


def list_moves(state: State, width: int = 78) -> str:
    """The legal moves in the notation of the game, wrapped to lines.

    >>> import spielbaum as sb
    >>> print(list_moves(sb.game("tictactoe").state("b2 a1 c3")))
    6 legal moves: b1 c1 a2 c2 a3 b3
    """
    names = [state.label(move) for move in state.legal_moves]
    noun = "move" if len(names) == 1 else "moves"
    line = f"{len(names)} legal {noun}: {' '.join(names)}"
    return textwrap.fill(line, width, subsequent_indent="  ", break_on_hyphens=False)


def example_move(state: State) -> str:
    """A legal move as an example for a person who does not know the notation.

    >>> import spielbaum as sb
    >>> example_move(sb.game("tictactoe").initial())
    'b2'
    """
    moves = state.legal_moves
    return state.label(moves[len(moves) // 2])


register_agent("human", HumanAgent, help="a person who is asked in the terminal")
