"""The face of chess: pieces as silhouettes on a slate board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielbaum.games.drawing.svg import square, tag
from spielbaum.games.drawing.text import CELL, BoardFace, Choice, Layout, Theme, grid

if TYPE_CHECKING:
    from spielbaum.games.game import Game
    from spielbaum.games.state import State

LIGHT_SQUARE = "#e8edf1"

# Fill, outline and outline width of the white and of the black pieces.
COLOURS = (("#fffefa", "#23282f", 3.0), ("#2a2f37", "#f4f5f6", 2.2))

PLINTH = "M-30 42v-5q0-6 6-6h48q6 0 6 6v5z"
SKIRT = "M-21 31C-19 16-12 10-11 0h22C12 10 19 16 21 31z"
COLLAR = "M-20 0v-2q0-3 3-3h34q3 0 3 3v2z"

# Parts touch but do not overlap, so that their outlines become the lines of the drawing.
PAWN = (
    "M-25 42v-5q0-6 6-6h38q6 0 6 6v5z"
    "M-17 31C-16 18-9 13-8 2h16C9 13 16 18 17 31z"
    "M-16 2v-2q0-3 3-3h26q3 0 3 3v2z"
    "M-7-3a15 15 0 1 1 14 0z"
)
KNIGHT = (
    f"{PLINTH}M-20 31C-20 15-2 10-2-5C-8-2-13 1-17 6C-19 9-23 9-26 7C-29 5-31 1-31-3"
    "C-27-9-23-16-21-22C-19-28-15-31-12-33L-10-45L-1-36C18-34 28-15 25 31z"
)
BISHOP = (
    f"{PLINTH}M-17 31C-16 18-9 14-8 4h16C9 14 16 18 17 31z"
    "M-18 4v-2q0-3 3-3h30q3 0 3 3v2z"
    "M-13-1C-24-12-20-25 0-38C20-25 24-12 13-1z"
    "M-3.5-38a5 5 0 1 1 7 0z"
)
ROOK = f"{PLINTH}M-21 31L-17-9H17L21 31zM-27-38h12v8h9v-8h12v8h9v-8h12v20q0 9-9 9h-36q-9 0-9-9z"
QUEEN = (
    f"{PLINTH}{SKIRT}{COLLAR}M-17-5L-31-30L-19-23L-16-40L-7-26L0-44L7-26L16-40L19-23L31-30L17-5z"
)
KING = (
    f"{PLINTH}{SKIRT}{COLLAR}M-16-5L-25-26Q0-37 25-26L16-5z"
    "M-3.5-31.3v-4.5h-6v-6.5h6v-5h7v5h6v6.5h-6v4.5z"
)

# Every kind of piece with its strokes: the knight's eye and nostril, the cut of the bishop's mitre.
PIECES = (
    (PAWN, ""),
    (KNIGHT, "M-11-20h.1M-25-1h.1"),
    (BISHOP, "M6-25L-2-14"),
    (ROOK, ""),
    (QUEEN, ""),
    (KING, ""),
)


PIECE_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")


class ChessFace(BoardFace):
    """Chess as a diagram and as a picture."""

    title = "Chess"
    symbols = ".PNBRQKpnbrqk"
    text_sides = drawn_sides = ("white", "black")
    theme = Theme(
        frame="#2f3e4c", label="#d5dee6", cell="#86a2ba", last="#f2cf4a", target="#2e6f57"
    )
    last_below = True

    def layout(self, game: Game) -> Layout:
        """Eight ranks of eight, a1 at the lower left."""
        return grid(8, 8)

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """A dark or a light square; a1 is dark."""
        dark = (cell // 8 + cell % 8) % 2 == 0
        return square(CELL, self.theme.cell if dark else LIGHT_SQUARE)

    def last_shape(self) -> str:
        """A tint that leaves dark and light squares distinct."""
        return square(CELL, self.theme.last, fill_opacity=0.6)

    def num_contents(self, game: Game) -> int:
        """Six kinds of pieces in two colours."""
        return 2 * len(PIECES)

    def owner(self, content: int) -> int | None:
        """Return whose piece this is."""
        return (content - 1) // 6 if content else None

    def content_name(self, content: int) -> str:
        """Colour and kind of a piece."""
        colour, kind = divmod(content - 1, 6)
        return f"{self.drawn_sides[colour]} {PIECE_NAMES[kind]}"

    def chip(self, player: int) -> int:
        """The king."""
        return 6 * (player + 1)

    def choice(self, state: State, move: int) -> Choice:
        """Which piece a pawn becomes."""
        kind = "pnbrqk".index(state.text(move)[-1])
        content = 6 * state.to_move + kind + 1
        return Choice("which piece does the pawn become?", PIECE_NAMES[kind], content)

    def stone(self, content: int) -> str:
        """A piece: 1 to 6 are the white P N B R Q K, 7 to 12 the black ones."""
        colour, kind = divmod(content - 1, 6)
        fill, outline, width = COLOURS[colour]
        shape, strokes = PIECES[kind]
        return tag(
            "g",
            tag("path", d=shape, fill=fill, stroke_width=width),
            tag("path", d=strokes, stroke_width=width + 1.5) if strokes else "",
            stroke=outline,
            stroke_linejoin="round",
            stroke_linecap="round",
        )


FACE = ChessFace()
