"""What an agent answers: a move, what it is worth, and what the agent saw on the way.

One convention of value holds everywhere: a value lies in [-1, 1], where 1 is a certain win and -1
a certain loss, and it is the view of the player to move in the state that was asked about. This is
true of `Decision.value` and of `MoveEval.value` alike; nobody has to flip a sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from spielbaum.base.discover import load

if TYPE_CHECKING:
    from spielbaum.agents.decision_table import DecisionTable
    from spielbaum.games.state import State


class MoveEval(NamedTuple):  # made for every move of every game of self-play
    """What an agent thinks of one legal move.

    >>> MoveEval(move=3, value=0.25, visits=120)
    MoveEval(move=3, value=0.25, visits=120, prior=None, proven=None, pv=(), policy=None)
    """

    move: int
    """The action."""
    value: float = 0.0
    """Worth in [-1, 1] for the player who chooses; equal to ``proven`` where that is known."""
    visits: int = 0
    """How often a search tried the move; 0 for agents that do not count."""
    prior: float | None = None
    """Probability of the move before any search, if the agent has an opinion."""
    proven: float | None = None
    """The exact value (1.0 win, 0.0 draw, -1.0 loss) if it is proven; it is never an average."""
    pv: tuple[int, ...] = ()
    """The line of play that is expected from this move on, beginning with it."""
    policy: float | None = None
    """Probability of the move after a tree search, which a network would learn: its share of the
    visits, or the improved policy of a root with Gumbel noise."""


@dataclass(frozen=True, init=False)
class Decision:
    """The answer of an agent. Two decisions are equal if move, value, moves and line are equal.

    >>> Decision(move=3, value=0.25, pv=(3, 4)).move
    3
    >>> import spielbaum as sb
    >>> decision = sb.agent("alphabeta").choose(sb.game("connect4").state("121212"))
    >>> decision.text, decision.line
    ('a4', ('a4',))
    """

    move: int
    """The chosen action."""
    value: float = 0.0
    """Worth of the position in [-1, 1] for the player who chooses."""
    moves: tuple[MoveEval, ...] = ()
    """One entry for every legal move, in the order of ``state.legal_moves``."""
    pv: tuple[int, ...] = ()
    """The line of play that is expected, beginning with ``move``."""
    # Statistics hold times, which differ between two runs that decide the same.
    stats: Mapping[str, bool | int | float | str] = field(default_factory=dict, compare=False)
    """Numbers about the search, such as ``iterations`` and ``seconds``."""
    state: State | None = field(default=None, compare=False, repr=False)
    """The position that was asked about, which knows the names of the moves, if it was told."""

    def __init__(
        self,
        move: int,
        value: float = 0.0,
        moves: tuple[MoveEval, ...] = (),
        pv: tuple[int, ...] = (),
        stats: Mapping[str, bool | int | float | str] | None = None,
        state: State | None = None,
    ) -> None:
        # Written by hand: a frozen dataclass takes as long to fill its fields as a fast agent to
        # choose a move.
        fields = self.__dict__
        fields["move"] = move
        fields["value"] = value
        fields["moves"] = moves
        fields["pv"] = pv
        fields["stats"] = stats or {}
        fields["state"] = state

    @property
    def text(self) -> str:
        """The name of the move; its number if the position was not told."""
        return self.names([self.move])[0]

    @property
    def line(self) -> tuple[str, ...]:
        """The names of the moves of ``pv``."""
        return self.names(self.pv)

    def names(self, moves: Sequence[int], state: State | None = None) -> tuple[str, ...]:
        """The names of moves that are played one after the other from the position on."""
        names, after = [], state or self.state
        for move in moves:
            names.append(str(move) if after is None else after.label(move))
            after = None if after is None else after.play(move)
        return tuple(names)

    def table(self, state: State | None = None) -> DecisionTable:
        """The decision as a table with the names of the moves, for notebooks and for printing.

        >>> import spielbaum as sb
        >>> state = sb.game("tictactoe").state("a1 b2 c3 a3")
        >>> print(sb.agent("alphabeta").choose(state, sb.Budget(depth=9)).table())
        move  value   line
        c1    +1.000  c1 b1 c2
        b1    -1.000  b1 c1
        a2    -1.000  a2
        c2    -1.000  c2
        b3    -1.000  b3
        """
        made: DecisionTable = load(__package__, "decision_table").DecisionTable(self, state)
        return made

    def _repr_html_(self) -> str:
        return str(load(__package__, "decision_table").DecisionTable(self)._repr_html_())
