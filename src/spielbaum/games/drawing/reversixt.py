"""The face of ReversiXT: numbered stones of eight colours on any map."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from spielbaum.games.drawing.svg import INK, circle, square, tag, text
from spielbaum.games.drawing.text import (
    CELL,
    BoardFace,
    Choice,
    Layout,
    Link,
    Marks,
    Paint,
    Row,
    Theme,
    stones_of,
)

if TYPE_CHECKING:
    from spielbaum.games.game import Game
    from spielbaum.games.state import State

STONES = {  # face and number; pairs of them differ for those who do not see all colours, too
    1: ("#d13d1e", "#ffffff"),
    2: ("#3a4acc", "#ffffff"),
    3: ("#1f9069", "#ffffff"),
    4: ("#e4e935", "#1b1f24"),
    5: ("#993d9e", "#ffffff"),
    6: ("#6ac6ef", "#1b1f24"),
    7: ("#f8b98a", "#1b1f24"),
    8: ("#2e1933", "#ffffff"),
}
EXPANSION, HOLE, BONUS, CHOICE, INVERSION = 9, 10, 11, 12, 13
PLAYERS = tuple(f"player {number}" for number in STONES)
CONTENTS = {
    EXPANSION: "expansion stone",
    HOLE: "hole",
    BONUS: "bonus",
    CHOICE: "choice",
    INVERSION: "inversion",
}
SIGNS = {  # strokes about the origin: a parcel, two arrows that change places, and one around
    BONUS: "M-27-10h54v36h-54zM0-10v36M0-10C-30-14-18-38 0-10C18-38 30-14 0-10",
    CHOICE: "M-28-14h50M8-28l16 14-16 14M28 16h-50M-8 2l-16 14 16 14",
    INVERSION: "M22-18A28 28 0 1 0 28 6M26-32v16h-16",
}
BOMB, OVERRIDE = 20, 21  # what a bonus may be, in the text of a move
SUPPLIES = ("overrides", "bombs")
TRANSITION = re.compile(r"(\d+)\s+(\d+)\s+(\d)\s*<->\s*(\d+)\s+(\d+)\s+(\d)")


@lru_cache(maxsize=64)
def map_layout(game: Game) -> Layout:
    """The layout of a map: columns and rows are counted from 0, from the upper left.

    >>> import spielbaum as sb
    >>> layout = map_layout(sb.game("reversixt:map=map34"))
    >>> layout.names[:3], layout.links[0]
    (('0,0', '1,0', '2,0'), Link(cells=(0, 99), sides=(315, 135)))
    """
    _, rows, columns = game.plane_shape()

    def link(x1: int, y1: int, side1: int, x2: int, y2: int, side2: int) -> Link:
        return Link((y1 * columns + x1, y2 * columns + x2), (45 * side1, 45 * side2))

    return Layout(
        rows=tuple(
            Row(tuple(range(row * columns, (row + 1) * columns)), str(row)) for row in range(rows)
        ),
        names=tuple(f"{column},{row}" for row in range(rows) for column in range(columns)),
        above=tuple(map(str, range(columns))),
        links=tuple(link(*map(int, found)) for found in TRANSITION.findall(game._file)),
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
    previews = True
    explained = tuple(CONTENTS)
    icons: ClassVar[Mapping[str, str]] = {
        "stones": circle(40, "currentColor"),
        "overrides": circle(24, "currentColor", cx=-16, cy=12, fill_opacity=0.45)
        + circle(24, "currentColor", cx=14, cy=-10),
        "bombs": circle(30, "currentColor", cx=-6, cy=10)
        + tag(
            "path",
            d="M14-10L26-22q8-8 16 0",
            fill="none",
            stroke="currentColor",
            stroke_width=9,
            stroke_linecap="round",
        ),
    }
    words: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "de": {
            **{name: f"Spieler {number}" for number, name in enumerate(PLAYERS, start=1)},
            "expansion stone": "Expansionsstein",
            "hole": "Loch",
            "bonus": "Bonus",
            "choice": "Tausch",
            "inversion": "Inversion",
            "overrides": "Überschreibsteine",
            "bombs": "Bomben",
            "phase 1: stones": "Phase 1: Steine",
            "phase 2: bombs": "Phase 2: Bomben",
            "what do you take?": "Was nimmst du?",
            "a bomb": "eine Bombe",
            "an override stone": "einen Überschreibstein",
            "whose stones do you take for yours?": "Mit wem tauschst du die Steine?",
            "nobody's: keep mine": "mit niemandem",
            "last player left": "nur ein Spieler ist übrig",
            "no cells left": "keine Felder mehr",
            "no moves left": "keine Züge mehr",
        }
    }

    def layout(self, game: Game) -> Layout:
        """A rectangle of the size of the map, with its transitions."""
        return map_layout(game)

    def num_contents(self, game: Game) -> int:
        """Stones, expansion stones, holes and special cells."""
        return len(self.symbols) - 1

    def content_name(self, content: int) -> str:
        """Whose stone it is, or what is special about the cell."""
        return PLAYERS[content - 1] if content in STONES else CONTENTS[content]

    def counts(self, state: State) -> Mapping[str, Sequence[int]]:
        """Stones on the board; override stones and bombs in hand, if the map has any."""
        details, first = state.details, state.game.initial()
        has_bonus = BONUS in first.cells
        supplies = {
            name: details[name]
            for name in SUPPLIES
            if has_bonus or any(details[name]) or any(first.details[name])
        }
        return {"stones": stones_of(state), **supplies}

    def notes(self, state: State) -> Sequence[str]:
        """The phase."""
        return ("phase 1: stones" if state.details["phase"] == (1,) else "phase 2: bombs",)

    def choice(self, state: State, move: int) -> Choice:
        """With whom the mover exchanges stones, or what he takes as a bonus."""
        value = int(state.text(move).split(",")[-1])
        if value in (BOMB, OVERRIDE):
            bonus = "a bomb" if value == BOMB else "an override stone"
            return Choice("what do you take?", bonus)
        whose = "nobody's: keep mine" if value == state.to_move + 1 else PLAYERS[value - 1]
        return Choice("whose stones do you take for yours?", whose, value)

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """A square; the frame shows through the gaps as the lines of the board."""
        return square(CELL - 3, self.theme.cell)

    def last_shape(self) -> str:
        """A frame around the cell, dark and light, so that it is seen on holes, too."""
        return square(CELL - 4, "none", stroke="#ffffff", stroke_width=5) + square(
            CELL - 13, "none", stroke=self.theme.last, stroke_width=5
        )

    def stone(self, content: int) -> str:
        """A numbered disc, a diamond for an expansion stone, or a mark of a cell without stone."""
        if content in STONES:
            face, number = STONES[content]
            rim = circle(40, face, stroke=INK, stroke_opacity=0.4, stroke_width=2.5)
            return rim + text(str(content), (0, 0), 44, number)
        if content == EXPANSION:
            return tag("path", d="M0 -36L36 0L0 36L-36 0Z", fill="#97a2ae")
        if content == HOLE:
            return square(CELL, self.theme.frame)
        return square(CELL - 3, "#c3ced9") + tag(
            "path",
            d=SIGNS[content],
            fill="none",
            stroke="#39424e",
            stroke_width=9,
            stroke_linecap="round",
            stroke_linejoin="round",
        )

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
        supplies = [f"{name} {' '.join(map(str, details[name]))}" for name in SUPPLIES]
        if details["disqualified"]:
            out = " ".join(str(player + 1) for player in details["disqualified"])
            supplies.append(f"disqualified {out}")
        board = super().diagram(state, marks=marks, last_move=last_move, paint=paint)
        return "; ".join([board, *supplies])


FACE = ReversiXTFace()
