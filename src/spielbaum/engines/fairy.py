"""Games of ours that Fairy-Stockfish plays as variants of chess: stones are dropped pawns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum.base.errors import IllegalMove, SpecError
from spielbaum.base.options import did_you_mean

if TYPE_CHECKING:
    from spielbaum.games.state import State


@dataclass(frozen=True)
class Variant:
    """A variant that is one of our games, on a board of one size.

    >>> import spielbaum as sb
    >>> flipello, start = variant("flipello"), sb.game("reversi").initial()
    >>> flipello.text(start, start.parse("d3")), start.text(flipello.move(start, "P@d6"))
    ('P@d6', 'd3')
    """

    name: str
    game: str
    """Spec of the game."""
    ranks: int
    from_top: bool = False
    """Whether our rows are counted from the top, while ranks of chess are from the bottom."""

    def text(self, state: State, move: int) -> str:
        """A move as the engine writes it: a drop, or a pass as a piece that stays where it is."""
        cells = state.cells_of(move)
        if cells:
            return f"P@{self._square(state, cells[-1])}"
        own = [cell for cell, stone in enumerate(state.cells) if stone == state.to_move + 1]
        square = min((self._square(state, cell) for cell in own), key=lambda name: (name[1:], name))
        return square * 2

    def move(self, state: State, word: str) -> int:
        """The legal move that the engine means."""
        for move in state.legal_moves:
            cells = state.cells_of(move)
            square = self._square(state, cells[-1]) if cells else ""
            if word == f"P@{square}" if cells else word[:2] == word[2:4]:
                return move
        raise IllegalMove(f"{word!r:.60} is not a legal move of {self.name}")

    def _square(self, state: State, cell: int) -> str:
        name = state.game.face.cell_name(state.game, cell)
        row = int(name[1:])
        return f"{name[0]}{self.ranks + 1 - row if self.from_top else row}"


VARIANTS = {
    each.name: each
    for each in (
        Variant("flipello", "reversi", 8, from_top=True),
        Variant("tictactoe", "tictactoe", 3),
        Variant("cfour", "connect4", 6),
    )
}


def variant(name: str) -> Variant:
    """The variant of a name; `SpecError` if it is none of our games.

    >>> variant("flipelo")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: there is no game here for the variant 'flipelo' (did you mean \
flipello?); known are cfour, flipello, tictactoe
    """
    if name not in VARIANTS:
        raise SpecError(
            f"there is no game here for the variant {name!r:.60}{did_you_mean(name, [*VARIANTS])}; "
            f"known are {', '.join(sorted(VARIANTS))}"
        )
    return VARIANTS[name]
