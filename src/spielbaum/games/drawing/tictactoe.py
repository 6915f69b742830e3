"""The face of tic-tac-toe: crosses and circles on a light card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielbaum.games.drawing.svg import ring, square, tag
from spielbaum.games.drawing.text import CELL, BoardFace, Layout, Theme, grid

if TYPE_CHECKING:
    from spielbaum.games.game import Game

CROSS = "#d9482b"
CIRCLE = "#1c6f9c"


class TicTacToeFace(BoardFace):
    """Tic-tac-toe as a diagram and as a picture."""

    title = "Tic-tac-toe"
    symbols = ".xo"
    text_sides = drawn_sides = ("x", "o")
    theme = Theme(
        frame="#34424f", label="#dfe6ec", cell="#fbfaf6", last="#fbe7a9", target="#9aa5ae"
    )
    last_below = True

    def layout(self, game: Game) -> Layout:
        """Three rows of three, a1 at the lower left."""
        return grid(3, 3)

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """A white square; the frame shows through the gaps as the lines of the board."""
        return square(CELL - 3, self.theme.cell)

    def last_shape(self) -> str:
        """A square in the colour of the last move."""
        return square(CELL - 3, self.theme.last)

    def stone(self, content: int) -> str:
        """A cross for x, a circle for o."""
        if content == 2:
            return ring(27, CIRCLE, 12)
        return tag(
            "path",
            d="M-25-25 25 25M25-25-25 25",
            stroke=CROSS,
            stroke_width=12,
            stroke_linecap="round",
        )


FACE = TicTacToeFace()
