"""How a player who has lost resists: by the moves that lose last, as far as a few plies tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielbaum.agents.alphabeta import AlphaBetaAgent

if TYPE_CHECKING:
    from spielbaum.games import State

RESISTANCE = 6
"""Plies of the search that tells which loss is the latest."""


class Resistance:
    """Finds the most stubborn moves of lost positions, with one small search for all of them.

    >>> import spielbaum as sb
    >>> state = sb.game("tictactoe").state("a1 b1 a2 c1 b2")  # x threatens c2, a3 and c3
    >>> [state.text(move) for move in Resistance().last_losing(state)]
    ['c2', 'a3', 'b3', 'c3']
    """

    def __init__(self) -> None:
        self._search = AlphaBetaAgent(eval="none", memory=4)

    def last_losing(self, state: State, plies: int = RESISTANCE) -> list[int]:
        """Return the moves that lose last; with no plies to tell, all of them."""
        if plies == 0:
            return list(state.legal_moves)
        values = self._search.scores(state, depth=plies)
        latest = max(values.values())
        return [move for move, value in values.items() if value == latest]
