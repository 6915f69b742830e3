"""The face of games in Python that say where their cells are: round stones on a quiet board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

from spielbaum.games.drawing.hexagons import outline, rounded_frame
from spielbaum.games.drawing.plain import PlainFace
from spielbaum.games.drawing.svg import circle, square, tag
from spielbaum.games.drawing.text import CELL, BoardFace, Choice, Layout, Marks, Paint, Theme
from spielbaum.games.game import Game
from spielbaum.games.python_game import PythonGame, value_of
from spielbaum.games.state import State

STONES = (
    ("#f7f7f4", "#a9adb3"),
    ("#2b2e33", "#0d0f11"),
    ("#cf4431", "#8f2418"),
    ("#2f6fb2", "#1c4876"),
    ("#d9a521", "#94700f"),
    ("#3d8f5f", "#235c3b"),
    ("#7b57a8", "#4d3270"),
    ("#5f6b76", "#3a434b"),
)
"""Face and rim of every player's stones."""


class StoneFace(BoardFace):
    """Draws a game in Python by its `PythonGame.layout`; its diagrams are its own.

    >>> StoneFace("mygame", hexagonal=False).content_name(2)
    'player 2'
    """

    symbols = ".xoz"
    theme = Theme(
        frame="#46525e", label="#dfe6ec", cell="#dce3e8", last="#e5533d", target="#8796a3"
    )

    def __init__(self, title: str, hexagonal: bool, previews: bool = False) -> None:
        self.title = title  # type: ignore[misc]  # every game has its own
        self.previews = previews  # type: ignore[misc]
        self._hexagonal = hexagonal
        self.text_sides = self.drawn_sides = tuple(  # type: ignore[misc]
            f"player {number + 1}" for number in range(len(STONES))
        )

    def layout(self, game: Game) -> Layout:
        """Where the game says that its cells are."""
        layout = layout_of(game)
        assert layout is not None
        return layout

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """A point of the net, or a hexagon or a square between which the frame shows as lines."""
        if layout.lines:
            return circle(48, "transparent") + circle(9, self.theme.frame)
        if self._hexagonal:
            return tag("polygon", points=outline(CELL / sqrt(3) - 2), fill=self.theme.cell)
        return square(CELL - 3, self.theme.cell)

    def frame(self, layout: Layout, margin: float) -> str:
        """A rectangle, with the lines of a net, or what is around hexagons."""
        if layout.lines:
            ends = (layout.centres[one] + layout.centres[other] for one, other in layout.lines)
            return (
                super().frame(layout, margin)
                + tag("rect", width=layout.width, height=layout.height, fill=self.theme.cell)
                + tag(
                    "path",
                    d="".join("M{:.5g} {:.5g}L{:.5g} {:.5g}".format(*line) for line in ends),
                    stroke=self.theme.frame,
                    stroke_width=5,
                )
            )
        if self._hexagonal:
            return rounded_frame(layout, margin, self.theme.frame)
        return super().frame(layout, margin)

    def stone(self, content: int) -> str:
        """A flat disc with a rim."""
        face, rim = STONES[(content - 1) % len(STONES)]
        return circle(40, rim) + circle(36.5, face)

    def content_name(self, content: int) -> str:
        """Whose stone it is."""
        return f"player {content}"

    def counts(self, state: State) -> Mapping[str, Sequence[int]]:
        """What the game counts for each player."""
        return _rules(state).counts(value_of(state))

    def notes(self, state: State) -> Sequence[str]:
        """What the game says about the position."""
        return _rules(state).notes(value_of(state))

    def out(self, state: State) -> Sequence[int]:
        """Who is out of the game, as it says."""
        return _rules(state).out(value_of(state))

    def choice(self, state: State, move: int) -> Choice | None:
        """What the game asks where several moves have the same cells."""
        return _rules(state).choice(value_of(state), move)

    def diagram(
        self,
        state: State,
        *,
        marks: Marks | None = None,
        last_move: bool = True,
        paint: Paint | None = None,
    ) -> str:
        """The game's own diagram."""
        return PlainFace().diagram(state, marks=marks, last_move=last_move)


def _rules(state: State) -> PythonGame:
    rules = state.game._python
    assert rules is not None
    return rules


def layout_of(game: Game) -> Layout | None:
    """Where the cells of a game in Python are, if it says so.

    >>> import spielbaum as sb
    >>> layout_of(sb.game("chess")) is None
    True
    """
    return None if game._python is None else game._python.layout()


def stone_face(game: Game) -> StoneFace | None:
    """The face of a game in Python that has a layout."""
    rules, layout = game._python, layout_of(game)
    if rules is None or layout is None:
        return None
    return StoneFace(game.name, layout.row_distance != 1.0, rules.previews)
