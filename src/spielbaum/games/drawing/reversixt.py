"""The face of ReversiXT: numbered stones of eight colours on any map."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from spielbaum.games.drawing.svg import circle, square, tag, text
from spielbaum.games.drawing.text import CELL, BoardFace, Layout, Marks, Paint, Row, Theme

if TYPE_CHECKING:
    from spielbaum.games.game import Game
    from spielbaum.games.state import State

STONES = {  # face and number
    1: ("#d9482b", "#ffffff"),
    2: ("#2473b4", "#ffffff"),
    3: ("#3c9c4a", "#ffffff"),
    4: ("#f2c531", "#1b1f24"),
    5: ("#8754b5", "#ffffff"),
    6: ("#41b8c4", "#1b1f24"),
    7: ("#ee7fb0", "#1b1f24"),
    8: ("#6b5444", "#ffffff"),
}
EXPANSION, HOLE = 9, 10
LETTERS = {11: "b", 12: "c", 13: "i"}
PLAYERS = tuple(f"player {number}" for number in STONES)


@lru_cache
def numbered_grid(rows: int, columns: int) -> Layout:
    """The layout of a map: columns and rows are counted from 0, from the upper left.

    >>> numbered_grid(2, 3).names
    ('0,0', '1,0', '2,0', '0,1', '1,1', '2,1')
    """
    return Layout(
        rows=tuple(
            Row(tuple(range(row * columns, (row + 1) * columns)), str(row)) for row in range(rows)
        ),
        names=tuple(f"{column},{row}" for row in range(rows) for column in range(columns)),
        above=tuple(map(str, range(columns))),
    )


class ReversiXTFace(BoardFace):
    """ReversiXT on any map as a diagram and as a picture.

    >>> import spielbaum as sb
    >>> print(sb.game("reversixt:map=map11").initial().diagram().splitlines()[-1])
    player 1 to move; overrides 0 0; bombs 2 2
    """

    title = "ReversiXT"
    symbols = ".12345678x-bci"
    text_sides = PLAYERS
    drawn_sides = PLAYERS
    theme = Theme(
        frame="#39424e", label="#e3e8ee", cell="#e8ecf0", last="#111418", target="#7a8794"
    )
    words: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "de": {
            **{name: f"Spieler {number}" for number, name in enumerate(PLAYERS, start=1)},
            "expansion stone": "Erweiterungsstein",
            "hole": "Loch",
            "bonus": "Bonus",
            "choice": "Tausch",
            "inversion": "Inversion",
            "last player left": "nur ein Spieler ist übrig",
            "no cells left": "keine Felder mehr",
            "no moves left": "keine Züge mehr",
        }
    }

    def layout(self, game: Game) -> Layout:
        """A rectangle of the size of the map."""
        _, rows, columns = game.plane_shape()
        return numbered_grid(rows, columns)

    def num_contents(self, game: Game) -> int:
        """Stones, expansion stones, holes and special cells."""
        return len(self.symbols) - 1

    def content_name(self, content: int) -> str:
        """Whose stone it is, or what is special about the cell."""
        others = {EXPANSION: "expansion stone", HOLE: "hole", 11: "bonus", 12: "choice"}
        return PLAYERS[content - 1] if content in STONES else others.get(content, "inversion")

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """A square; the frame shows through the gaps as the lines of the board."""
        return square(CELL - 3, self.theme.cell)

    def last_shape(self) -> str:
        """A frame around the cell."""
        return square(CELL - 8, "none", stroke=self.theme.last, stroke_width=6)

    def stone(self, content: int) -> str:
        """A numbered disc, a diamond for an expansion stone, or a mark of a cell without stone."""
        if content in STONES:
            face, number = STONES[content]
            return circle(40, face) + text(str(content), (0, 0), 44, number)
        if content == EXPANSION:
            return tag("path", d="M0 -36L36 0L0 36L-36 0Z", fill="#97a2ae")
        if content == HOLE:
            return square(CELL, self.theme.frame)
        return square(76, "#cfd8e1") + text(LETTERS[content], (0, 0), 54, "#39424e")

    def diagram(
        self,
        state: State,
        *,
        marks: Marks | None = None,
        last_move: bool = True,
        paint: Paint | None = None,
    ) -> str:
        """The board as text, and what the players have in hand."""
        details = state.details
        supplies = [
            f"{name} {' '.join(map(str, details[name]))}" for name in ("overrides", "bombs")
        ]
        if details["disqualified"]:
            out = " ".join(str(player + 1) for player in details["disqualified"])
            supplies.append(f"disqualified {out}")
        board = super().diagram(state, marks=marks, last_move=last_move, paint=paint)
        return "; ".join([board, *supplies])


FACE = ReversiXTFace()
