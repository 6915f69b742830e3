"""What a solver answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from spielbaum.base.text_table import html_table, plain_table

if TYPE_CHECKING:
    from spielbaum.games import State

Source: TypeAlias = Literal["solver", "book", "cache"]
"""Where a solution comes from: a search, the opening book, or an earlier search."""


class NotSolved(RuntimeError):
    """The budget ended before the position was solved.

    >>> import spielbaum as sb
    >>> try:
    ...     sb.solve(sb.game("connect4").initial(), budget=sb.Budget(nodes=1000), lookup=False)
    ... except sb.NotSolved as error:
    ...     print(error)
    connect4 at '' is not solved after 1,000 nodes
    """

    nodes: int = 0
    """Positions that were searched in vain."""


@dataclass(frozen=True)
class SolvedMove:
    """The exact value of one legal move for the player who chooses.

    >>> import spielbaum as sb
    >>> sb.solve(sb.game("connect4").state("52753311433677442422121")).moves[4]
    SolvedMove(move=4, score=8, value=1.0)
    """

    move: int
    score: int
    value: float


@dataclass(frozen=True)
class Solution:
    """The exact value of a position for the side to move.

    >>> import spielbaum as sb
    >>> solution = sb.solve(sb.game("connect4").state("52753311433677442422121"))
    >>> solution.score, solution.value, solution.pv[0]
    (8, 1.0, 4)
    """

    score: int
    """In the convention of the game; negative for a loss, 0 for a draw. Connect Four and
    tic-tac-toe: k for a win with one's k-th last stone. Reversi: the final difference of stones,
    cells left empty counted for the winner. With ``exact=False`` only the sign: 1, 0 or -1."""
    value: float
    """1.0 win, 0.0 draw, -1.0 loss."""
    moves: tuple[SolvedMove, ...]
    """Every legal move with its value, in the order of ``state.legal_moves``."""
    pv: tuple[int, ...]
    """A line of best play to the end; empty with ``exact=False``."""
    nodes: int
    """Positions that were searched; 0 if the answer was known."""
    seconds: float
    source: Source = "solver"
    """Where the answer is from."""
    state: State | None = field(default=None, repr=False, compare=False)
    """The position, by which moves have names."""

    def _rows(self) -> list[tuple[str, str, str]]:
        """The moves as texts, the best first, under the names of the columns."""
        words = {1.0: "win", 0.0: "draw", -1.0: "loss"}
        best = sorted(self.moves, key=lambda each: -each.score)
        return [
            ("move", "score", "result"),
            *((self._name(each.move), f"{each.score:+d}", words[each.value]) for each in best),
        ]

    def _name(self, move: int) -> str:
        return str(move) if self.state is None else self.state.label(move)

    def __str__(self) -> str:
        return plain_table(self._rows())

    def _repr_html_(self) -> str:
        return html_table(self._rows())


def make_solution(
    score: int,
    moves: list[tuple[int, int]],
    pv: list[int],
    nodes: int,
    seconds: float,
    source: Source,
) -> Solution:
    """A solution from plain scores.

    >>> make_solution(1, [(0, 1), (1, -1)], [], 0, 0.0, "book").moves[1].value
    -1.0
    """
    solved = tuple(SolvedMove(move, each, sign(each)) for move, each in moves)
    return Solution(score, sign(score), solved, tuple(pv), nodes, seconds, source)


def sign(score: int) -> float:
    """Win, draw or loss of a score.

    >>> sign(-18)
    -1.0
    """
    return float((score > 0) - (score < 0))
