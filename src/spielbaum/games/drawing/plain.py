"""The face of games that say nothing about their cells: their own text."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from spielbaum.games.drawing.text import Marks, Paint, status, text_picture
from spielbaum.games.python_game import value_of

if TYPE_CHECKING:
    from spielbaum.games.game import Game
    from spielbaum.games.state import State


class PlainFace:
    """Draws any game by the text that it gives."""

    def diagram(
        self,
        state: State,
        *,
        marks: Marks | None = None,
        last_move: bool = True,
        paint: Paint | None = None,
    ) -> str:
        """The game's own diagram, and whose turn it is or the result."""
        rules = state.game._python
        board = state.notation if rules is None else rules.diagram(value_of(state))
        sides = tuple(f"player {player + 1}" for player in range(state.num_players))
        return f"{board}\n{status(state, sides)}"

    def svg(
        self,
        state: State,
        *,
        size: int = 360,
        marks: Marks | None = None,
        last_move: bool = True,
        coordinates: bool = True,
        highlights: Collection[int] = (),
    ) -> str:
        """The diagram as a picture."""
        return text_picture(self.diagram(state), size)

    def cell_name(self, game: Game, cell: int) -> str:
        """The number of the cell."""
        return str(cell)
