"""The face of Yavalath: white, black and red stones on a hexagon of hexagons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING

from spielbaum.games.drawing.hexagons import outline, rounded_frame
from spielbaum.games.drawing.svg import circle, tag
from spielbaum.games.drawing.text import CELL, BoardFace, Label, Layout, Row, Theme

if TYPE_CHECKING:
    from spielbaum.games.game import Game
    from spielbaum.games.state import State

CELL_NAME = "#8b6f45"
STONES = {1: ("#ffffff", "#b9ad97"), 2: ("#2b2e33", "#0d0f11"), 3: ("#cf4431", "#8f2418")}


@lru_cache
def hexagon(side: int) -> Layout:
    """The layout of a hexagon: rows a, b, ... from the top, cells 1, 2, ... from the left.

    >>> [len(row.cells) for row in hexagon(3).rows]
    [3, 4, 5, 4, 3]
    >>> hexagon(3).names[:5]
    ('a1', 'a2', 'a3', 'b1', 'b2')
    """
    rows: list[Row] = []
    names: list[str] = []
    for index in range(2 * side - 1):
        missing = abs(side - 1 - index)
        letter, length = chr(ord("a") + index), 2 * side - 1 - missing
        rows.append(
            Row(tuple(range(len(names), len(names) + length)), letter, missing / 2, str(length))
        )
        names += [f"{letter}{number + 1}" for number in range(length)]
    return Layout(tuple(rows), tuple(names), row_distance=sqrt(3) / 2, cell_height=2 / sqrt(3))


class YavalathFace(BoardFace):
    """Yavalath for two or three players as a diagram and as a picture."""

    title = "Yavalath"
    symbols = ".xoz"
    text_sides = ("x", "o", "z")
    drawn_sides = ("white", "black", "red")
    theme = Theme(
        frame="#5b4636", label="#f0e2c8", cell="#ead7b0", last="#1f9bd1", target="#8f7350"
    )

    def layout(self, game: Game) -> Layout:
        """A hexagon of side 5, a1 at the upper left."""
        return hexagon(5)

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """A hexagon; the frame shows through the gaps as the lines of the board."""
        return tag("polygon", points=outline(CELL / sqrt(3) - 2), fill=self.theme.cell)

    def labels(self, layout: Layout, margin: float) -> list[Label]:
        """Labels at the ends of the rows, and names in the cells, which stones cover."""
        names = [
            Label(layout.names[cell], (x, y + 28), 18, CELL_NAME)
            for cell, (x, y) in layout.centres.items()
        ]
        return super().labels(layout, margin) + names

    def frame(self, layout: Layout, margin: float) -> str:
        """A hexagon with round corners around the cells."""
        return rounded_frame(layout, margin, self.theme.frame)

    def out(self, state: State) -> Sequence[int]:
        """Those of three players who have made a three."""
        return state.details.get("eliminated", ())

    def stone(self, content: int) -> str:
        """A flat disc with a rim."""
        face, rim = STONES[content]
        return circle(40, rim) + circle(36.5, face)


FACE = YavalathFace()
