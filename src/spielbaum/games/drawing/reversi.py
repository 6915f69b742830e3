"""The face of Reversi: black and white discs on green felt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from spielbaum.games.drawing.svg import circle, square, tag
from spielbaum.games.drawing.text import CELL, BoardFace, Layout, Theme, grid, stones_of

if TYPE_CHECKING:
    from spielbaum.games.game import Game
    from spielbaum.games.state import State

DISCS = {1: ("#16191c", "#2a2f34", "#3a4047"), 2: ("#c9ccc6", "#f3f4ef", "#ffffff")}


class ReversiFace(BoardFace):
    """Reversi of any size as a diagram and as a picture."""

    title = "Reversi"
    symbols = ".XO"
    text_sides = ("X", "O")
    drawn_sides = ("black", "white")
    theme = Theme(
        frame="#153f2c", label="#cfe8d8", cell="#2f8f5b", last="#e5533d", target="#0f4a30"
    )

    previews = True

    def counts(self, state: State) -> Mapping[str, Sequence[int]]:
        """The discs of both."""
        return {"stones": stones_of(state)}

    def layout(self, game: Game) -> Layout:
        """A square of the size that the game's option says, a1 at the upper left."""
        size = int(game.options["size"])
        return grid(size, size, from_top=True)

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """A green square; the frame shows through the gaps as the lines of the board."""
        return square(CELL - 2.5, self.theme.cell)

    def last_shape(self) -> str:
        """A dot on the disc."""
        return circle(9, self.theme.last)

    def stone(self, content: int) -> str:
        """A disc that is lit from above: its shadow, rim, face and shine."""
        rim, face, shine = DISCS[content]
        return (
            circle(41, "#0b2a1c", cy=3, fill_opacity=0.45)
            + circle(41, rim)
            + circle(39, face, cy=-1.5)
            + tag("ellipse", cy=-14, rx=27, ry=19, fill=shine, fill_opacity=0.55)
        )


FACE = ReversiFace()
