"""The face of Hex: red and blue stones on a rhombus whose edges show who joins them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, ClassVar

from spielbaum.games.drawing.hexagons import outline, rounded_frame
from spielbaum.games.drawing.svg import circle, tag
from spielbaum.games.drawing.text import CELL, BoardFace, Layout, Row, Theme

if TYPE_CHECKING:
    from spielbaum.games.game import Game

STONES = {1: ("#d9482b", "#97290f"), 2: ("#2473b4", "#123f69")}


@lru_cache
def rhombus(size: int) -> Layout:
    """The layout of a rhombus: columns a, b, ... and rows 1, 2, ... from the top.

    >>> rhombus(3).names
    ('a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3')
    >>> [row.shift for row in rhombus(3).rows]
    [0.0, 0.5, 1.0]
    """
    letters = tuple(chr(ord("a") + column) for column in range(size))
    return Layout(
        rows=tuple(
            Row(tuple(range(row * size, (row + 1) * size)), str(row + 1), row / 2)
            for row in range(size)
        ),
        names=tuple(f"{letter}{row + 1}" for row in range(size) for letter in letters),
        above=letters,
        row_distance=sqrt(3) / 2,
        cell_height=2 / sqrt(3),
    )


class HexFace(BoardFace):
    """Hex of any size as a diagram and as a picture."""

    title = "Hex"
    symbols = ".xo"
    text_sides = ("x", "o")
    drawn_sides = ("red", "blue")
    theme = Theme(
        frame="#3c3a37", label="#f4efe4", cell="#efe7d3", last="#ffffff", target="#a2957b"
    )

    words: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "de": {"blue": "blau", "edges joined": "Ränder verbunden"}
    }

    def layout(self, game: Game) -> Layout:
        """A rhombus that leans to the right, a1 at the upper left."""
        return rhombus(int(game.options["size"]))

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """A hexagon; the frame shows through the gaps as the lines of the board."""
        return tag("polygon", points=outline(CELL / sqrt(3) - 2), fill=self.theme.cell)

    def frame(self, layout: Layout, margin: float) -> str:
        """A rhombus around the cells, with a band along each edge in its player's colour."""
        top, bottom = layout.rows[0].cells, layout.rows[-1].cells
        left = tuple(row.cells[0] for row in layout.rows)
        right = tuple(row.cells[-1] for row in layout.rows)

        def band(cells: tuple[int, ...], player: int) -> str:
            return tag(
                "path",
                d="M" + "L".join("{:.5g} {:.5g}".format(*layout.centres[cell]) for cell in cells),
                fill="none",
                stroke=STONES[player][0],
                stroke_width=2 * CELL / sqrt(3) + 20,
            )

        bands = (band(top, 1), band(bottom, 1), band(left, 2), band(right, 2))
        return rounded_frame(layout, margin, self.theme.frame) + "".join(bands)

    def stone(self, content: int) -> str:
        """A flat disc with a rim."""
        face, rim = STONES[content]
        return circle(40, rim) + circle(36.5, face)


FACE = HexFace()
