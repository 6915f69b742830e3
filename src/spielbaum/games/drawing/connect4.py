"""The face of Connect Four: red and yellow discs in a blue wall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielbaum.games.drawing.svg import circle, ring
from spielbaum.games.drawing.text import BoardFace, Layout, Theme, grid

if TYPE_CHECKING:
    from spielbaum.games.game import Game

DISCS = {1: ("#e0352f", "#b3221f"), 2: ("#fbd13b", "#d3a012")}  # face and rim


class ConnectFourFace(BoardFace):
    """Connect Four of any size as a diagram and as a picture."""

    title = "Connect Four"
    symbols = ".xo"
    text_sides = ("x", "o")
    drawn_sides = ("red", "yellow")
    theme = Theme(
        frame="#2360c5", label="#e3edff", cell="#123574", last="#ffffff", target="#8fb4f5"
    )
    by_column = True

    def layout(self, game: Game) -> Layout:
        """The rows and columns that the game's options say, a1 at the lower left."""
        return grid(int(game.options["rows"]), int(game.options["columns"]), numbered=True)

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """A hole in the wall."""
        return circle(42, self.theme.cell)

    def stone(self, content: int) -> str:
        """A disc with a rim."""
        face, rim = DISCS[content]
        return circle(41, rim) + circle(35, face) + ring(26, rim, 2.5)

    def last_shape(self) -> str:
        """A white ring with dark edges, which stands out on red and on yellow."""
        return ring(20, "#3a2a12", 10) + ring(20, self.theme.last, 5.5)


FACE = ConnectFourFace()
