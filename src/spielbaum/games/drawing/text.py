"""Boards as text and as SVG: what the faces of all games share.

A game's face says where its cells are (a `Layout`) and how one cell and one stone look; `BoardFace`
does the rest.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from math import cos, radians, sin
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias

from spielbaum.games.drawing.svg import (
    INK,
    circle,
    label_of,
    picture,
    placed,
    plate,
    ring,
    square,
    tag,
    text,
)

if TYPE_CHECKING:
    from spielbaum.games.game import Game
    from spielbaum.games.state import State

Marks: TypeAlias = Mapping[int, str | float]
Paint: TypeAlias = Callable[[int | None, str], str]
"""Colours what is written for a cell: the player whose stone is there, if any, and the text."""

FILL = re.compile(r'fill="(#[0-9a-f]{6})"')

CELL = 100.0  # width of a cell in SVG units
GAP = -1  # in a `Row`: a place without a cell
MOST_MARGIN, MOST_LABEL = 110.0, 54.0  # of the frame and its letters, so that neither is crowded
TEXT_SIZE = 20.0  # of letters in `text_picture`, in SVG units
LINK_COLOURS = (
    "#e5382b",
    "#2168d8",
    "#129447",
    "#a031c4",
    "#d97a00",
    "#008b9e",
    "#d6258f",
    "#6b7d00",
)


class Face(Protocol):
    """How a game shows itself to people: its board as text and as a picture, and its cells' names.

    >>> import spielbaum as sb
    >>> from spielbaum.games.drawing.faces import face
    >>> print(face("tictactoe").diagram(sb.game("tictactoe").state("a1 b2")))
    3  . . .
    2  .[o].
    1  x . .
       a b c
    x to move
    """

    def diagram(
        self,
        state: State,
        *,
        marks: Marks | None = None,
        last_move: bool = True,
        paint: Paint | None = None,
    ) -> str:
        """The board as text with coordinates; the last line says who is to move, or the result.

        `marks` are labels of cells: a text, or a value in [-1, 1]. Brackets show the last move.
        `paint` colours the cells, for terminals.
        """

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
        """The board as a picture whose longer side is `size` pixels.

        `marks` are labels of cells: a text, or a value in [-1, 1] that is tinted from red to green.
        `highlights` are cells shown as the targets of moves.
        """

    def cell_name(self, game: Game, cell: int) -> str:
        """The name of a cell in the coordinates that the board shows."""


@dataclass(frozen=True)
class Row:
    """A horizontal row of cells between two labels, moved to the right by `shift` cells.

    `GAP` stands for a place where there is no cell.
    """

    cells: tuple[int, ...]
    label: str
    shift: float = 0.0
    end_label: str = ""


@dataclass(frozen=True)
class Link:
    """Two cells that are joined though they need not be neighbours, such as the ends of a tunnel.

    `sides` says where it leaves each of them, in degrees clockwise from the top; without it, the
    link is marked in the middle of its cells.

    >>> Link((0, 5), (270, 90)).sides
    (270, 90)
    """

    cells: tuple[int, int]
    sides: tuple[float, float] | None = None

    def ends(
        self, centres: Mapping[int, tuple[float, float]]
    ) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """The point of each end, near the edge of its cell, and the direction of leaving it."""
        found = []
        for cell, side in zip(self.cells, self.sides or (None, None), strict=True):
            x, y = centres[cell]
            across, down = (0.0, 0.0) if side is None else (sin(radians(side)), -cos(radians(side)))
            reach = 0.4 * CELL / max(abs(across), abs(down), 0.5)
            found.append(((x + reach * across, y + reach * down), (across, down)))
        return found


@dataclass(frozen=True)
class Choice:
    """What tells one move from others on the same cells: a question, and the answer that it gives.

    `content` is drawn beside the answer: what `State.cells` has for it, or 0 for nothing.

    >>> Choice("Which piece does the pawn become?", "queen", content=5).answer
    'queen'
    """

    question: str
    answer: str
    content: int = 0


@dataclass(frozen=True)
class Layout:
    """Where the cells of a board are: rows from the top, every cell one unit wide.

    `names` holds the name of every cell, `above` and `below` the labels of the columns.
    `row_distance` and `cell_height` differ from 1 where cells are hexagons. With `lines`, each
    between two cells, cells are the points of a net and not fields. `links` join cells that need
    not be neighbours: both ends get marks of one colour, and the studio draws a line to the other
    end of one under the pointer.

    >>> Layout((Row((0, GAP, 1), "1"),), ("a1", "c1"), lines=((0, 1),)).centres
    {0: (50.0, 50.0), 1: (250.0, 50.0)}
    """

    rows: tuple[Row, ...]
    names: tuple[str, ...]
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    row_distance: float = 1.0
    cell_height: float = 1.0
    lines: tuple[tuple[int, int], ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def width(self) -> float:
        """Width of the board in SVG units."""
        return CELL * max(row.shift + len(row.cells) for row in self.rows)

    @property
    def height(self) -> float:
        """Height of the board in SVG units."""
        return CELL * (self.row_distance * (len(self.rows) - 1) + self.cell_height)

    def row_centre(self, index: int) -> float:
        """The vertical middle of a row in SVG units."""
        return CELL * (self.row_distance * index + self.cell_height / 2)

    @cached_property
    def centres(self) -> Mapping[int, tuple[float, float]]:
        """The middle of every cell in SVG units, from the upper left corner of the board."""
        return {
            cell: (CELL * (row.shift + column + 0.5), self.row_centre(index))
            for index, row in enumerate(self.rows)
            for column, cell in enumerate(row.cells)
            if cell != GAP
        }

    def check(self, cells: Iterable[int]) -> None:
        """Raise ValueError if one of the cells is not on the board."""
        for cell in cells:
            if cell not in self.centres:
                last = len(self.names) - 1
                raise ValueError(f"cell {cell} is not on the board: expected 0 to {last}")


@lru_cache
def grid(rows: int, columns: int, *, from_top: bool = False, numbered: bool = False) -> Layout:
    """The layout of a rectangle: columns a, b, ... and rows 1, 2, ... from the bottom or the top.

    Cells are counted along the rows, from row 1. `numbered` adds column numbers above the board.

    >>> grid(2, 3).names
    ('a1', 'b1', 'c1', 'a2', 'b2', 'c2')
    >>> [row.cells for row in grid(2, 3).rows]
    [(3, 4, 5), (0, 1, 2)]
    """
    letters = tuple(chr(ord("a") + column) for column in range(columns))
    ascending = tuple(
        Row(tuple(range(row * columns, (row + 1) * columns)), str(row + 1)) for row in range(rows)
    )
    return Layout(
        rows=ascending if from_top else ascending[::-1],
        names=tuple(letter + row.label for row in ascending for letter in letters),
        above=tuple(str(column + 1) for column in range(columns)) if numbered else (),
        below=letters,
    )


def status(state: State, sides: tuple[str, ...]) -> str:
    """Who is to move, or how the game ended."""
    outcome = state.outcome
    if outcome is None:
        return f"{sides[state.to_move]} to move"
    result = "draw" if outcome.winner is None else f"{sides[outcome.winner]} wins"
    return f"{result}: {outcome.reason}"


def stones_of(state: State) -> tuple[int, ...]:
    """How many stones each player has on the board.

    >>> import spielbaum as sb
    >>> stones_of(sb.game("reversi").initial().play("d3"))
    (4, 1)
    """
    cells = state.cells
    return tuple(cells.count(player + 1) for player in range(state.num_players))


def text_board(
    layout: Layout,
    shown: Mapping[int, str],
    bracketed: Collection[int],
    paint: Callable[[int, str], str] = lambda cell, text: text,
) -> str:
    """The rows of a board and their labels, with brackets around some of the cells.

    `paint` is given every cell and its text, and returns what is printed instead.

    >>> print(text_board(grid(2, 3), dict(enumerate("xo.x..")), bracketed=(1, 2)))
    2  x . .
    1  x[o|.]
       a b c
    """
    width = max(map(len, (*shown.values(), *layout.above, *layout.below)))
    if any(row.shift % 1 for row in layout.rows):
        width |= 1  # with its separator, half a cell is then a whole number of characters
    label_width = max(len(row.label) for row in layout.rows)
    separators = {(False, False): " ", (False, True): "[", (True, False): "]", (True, True): "|"}

    def row_line(row: Row) -> str:
        inside = [False, *(cell in bracketed for cell in row.cells), False]
        edges = [separators[pair] for pair in pairwise(inside)]
        cells = [
            edge + (" " * width if cell == GAP else paint(cell, shown[cell].center(width)))
            for edge, cell in zip(edges, row.cells, strict=False)
        ]
        indent = " " * round(row.shift * (width + 1))
        return f"{row.label:>{label_width}} {indent}{''.join(cells)}{edges[-1]} {row.end_label}"

    def column_line(labels: tuple[str, ...]) -> str:
        return " " * (label_width + 2) + " ".join(label.center(width) for label in labels)

    lines = [column_line(layout.above), *map(row_line, layout.rows), column_line(layout.below)]
    return "\n".join(line.rstrip() for line in lines if line.strip())


@dataclass(frozen=True)
class Theme:
    """The colours of a board: its frame, the labels on it, cells, the last move, move targets."""

    frame: str
    label: str
    cell: str
    last: str
    target: str


@dataclass(frozen=True)
class Label:
    """A text on a board, centred on a point."""

    content: str
    point: tuple[float, float]
    size: float
    fill: str


class BoardFace(ABC):
    """A face made from a layout, a theme, and the pictures of a cell and of a stone.

    `symbols` are the characters for the contents 0, 1, ... of a cell. `text_sides` and
    `drawn_sides` are what the players are called below a diagram and in the title of a picture.
    `last_below` puts the mark of the last move under the stone instead of on it.
    `by_column` says that a move is made by its column, wherever in it one points.
    `previews` says that moves change more than the cells that they name, so that the studio shows
    what changes while the pointer rests on one.
    `explained` are the contents of cells that a legend beside the board names.
    `icons` are pictures of what `counts` counts, about the origin and 100 wide, by name.
    `words` are translations of what only this game says (colours, reasons of outcomes): by
    language, then by word.
    """

    title: ClassVar[str]
    symbols: ClassVar[str]
    text_sides: ClassVar[tuple[str, ...]]
    drawn_sides: ClassVar[tuple[str, ...]]
    theme: ClassVar[Theme]
    last_below: ClassVar[bool] = False
    by_column: ClassVar[bool] = False
    previews: ClassVar[bool] = False
    explained: ClassVar[tuple[int, ...]] = ()
    icons: ClassVar[Mapping[str, str]] = {}
    words: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    @abstractmethod
    def layout(self, game: Game) -> Layout:
        """Where the cells of this game are."""

    @abstractmethod
    def stone(self, content: int) -> str:
        """The picture of a stone about the origin."""

    def cell_shape(self, layout: Layout, cell: int) -> str:
        """The picture of an empty cell about the origin."""
        return square(CELL, self.theme.cell)

    def last_shape(self) -> str:
        """What marks a cell of the last move, about the origin."""
        return ring(20, self.theme.last, 6)

    def frame(self, layout: Layout, margin: float) -> str:
        """What is behind the cells: the board from 0 to its width and height, and its margin."""
        return tag(
            "rect",
            x=-margin,
            y=-margin,
            width=layout.width + 2 * margin,
            height=layout.height + 2 * margin,
            rx=0.02 * max(layout.width, layout.height),
            fill=self.theme.frame,
        )

    def target_shape(self, occupied: bool) -> str:
        """What marks the target of a move, about the origin."""
        return ring(45, self.theme.target, 6) if occupied else circle(13, self.theme.target)

    def num_contents(self, game: Game) -> int:
        """How many different things can lie on a cell: one for each player, unless overridden."""
        return game.num_players

    def owner(self, content: int) -> int | None:
        """Return the player whose stone this is; None if the cell is empty or nobody's."""
        return content - 1 if 0 < content <= len(self.text_sides) else None

    def content_name(self, content: int) -> str:
        """What lies on a cell, in words: whose stone it is, unless there are kinds of pieces."""
        return self.drawn_sides[content - 1]

    def chip(self, player: int) -> int:
        """What shows who a player is, as a content of a cell: his stone, unless overridden."""
        return player + 1

    def counts(self, state: State) -> Mapping[str, Sequence[int]]:
        """Numbers that stand beside each player, by name: stones on the board or in hand."""
        return {}

    def notes(self, state: State) -> Sequence[str]:
        """What else people should know about a position, such as its phase, in a few words each."""
        return ()

    def out(self, state: State) -> Sequence[int]:
        """The players who are out of the game, which goes on without them."""
        return state.disqualified

    def choice(self, state: State, move: int) -> Choice | None:
        """What tells a move from others on the same cells; None: only its text does."""
        return None

    def margin(self, layout: Layout, coordinates: bool = True) -> float:
        """Width of the frame around the cells."""
        share = 0.058 if coordinates else 0.02
        return min(share * max(layout.width, layout.height), MOST_MARGIN)

    def labels(self, layout: Layout, margin: float) -> list[Label]:
        """The labels of the rows and columns, in the margin."""
        middle, size, fill = margin / 2, min(0.6 * margin, MOST_LABEL), self.theme.label
        places: list[tuple[str, float, float]] = []
        for index, row in enumerate(layout.rows):
            left, right = CELL * row.shift, CELL * (row.shift + len(row.cells))
            y = layout.row_centre(index)
            places += [(row.label, left - middle, y), (row.end_label, right + middle, y)]
        for columns, y in ((layout.above, -middle), (layout.below, layout.height + middle)):
            places += [(label, CELL * (i + 0.5), y) for i, label in enumerate(columns)]
        return [Label(label, (x, y), size, fill) for label, x, y in places if label]

    def coordinates(self, layout: Layout, margin: float) -> str:
        """All labels as markup."""
        return "".join(
            text(label.content, label.point, label.size, label.fill)
            for label in self.labels(layout, margin)
        )

    def link_marks(self, layout: Layout) -> str:
        """Both ends of all links as markup: arrowheads, or dots where no side is given."""
        paths: dict[str, list[str]] = {}
        size = 1.5 if max(layout.width, layout.height) > 30 * CELL else 1.0
        for number, link in enumerate(layout.links):
            marks = paths.setdefault(LINK_COLOURS[number % len(LINK_COLOURS)], [])
            for (x, y), (across, down) in link.ends(layout.centres):
                if link.sides is None:
                    marks.append(f"M{x - 12:.4g} {y:.4g}a12 12 0 1 1 24 0a12 12 0 1 1-24 0z")
                    continue
                corners = [
                    (x + ahead * across - aside * down, y + ahead * down + aside * across)
                    for ahead, aside in (
                        (11, 0),
                        (11 - 19 * size, 14 * size),
                        (11 - 19 * size, -14 * size),
                    )
                ]
                marks.append("M" + "L".join("{:.5g} {:.5g}".format(*place) for place in corners))
        return "".join(
            tag("path", d="".join(marks), fill=colour, stroke="#ffffff", stroke_width=4)
            for colour, marks in paths.items()
        )

    def sketch(self, state: State, *, size: int = 160) -> str:
        """The position as a small picture in which each cell has one colour."""
        layout, cells = self.layout(state.game), state.cells
        colours = [self.theme.cell] + [
            FILL.findall(self.stone(content) + square(1, self.theme.cell))[0]
            for content in range(1, self.num_contents(state.game) + 1)
        ]
        paths: dict[str, list[str]] = {}
        for index, row in enumerate(layout.rows):
            top = layout.row_centre(index) - CELL / 2
            left = CELL * row.shift
            for colour, same in groupby(
                "" if cell == GAP else colours[cells[cell]] for cell in row.cells
            ):
                width = CELL * len(list(same))
                paths.setdefault(colour, []).append(
                    f"M{left:g} {top:g}h{width:g}v{CELL:g}h{-width:g}"
                )
                left += width
        paths.pop("", None)
        return picture(
            f"{self.title}: {state.game}",
            (0, 0, layout.width, layout.height),
            size,
            *(tag("path", d="".join(runs), fill=colour) for colour, runs in paths.items()),
        )

    def cell_name(self, game: Game, cell: int) -> str:
        """The name of a cell in the coordinates that the board shows."""
        layout = self.layout(game)
        layout.check([cell])
        return layout.names[cell]

    def diagram(
        self,
        state: State,
        *,
        marks: Marks | None = None,
        last_move: bool = True,
        paint: Paint | None = None,
    ) -> str:
        """The board as text; see `Face.diagram`."""
        layout = self.layout(state.game)
        labels = {cell: label_of(mark) for cell, mark in (marks or {}).items()}
        layout.check(labels)
        # A label stands in place of an empty cell, but behind the symbol of a stone.
        shown = {
            cell: (self.symbols[content] if content else "") + labels.get(cell, "")
            or self.symbols[0]
            for cell, content in enumerate(state.cells)
        }
        last, cells = state.last_cells if last_move else (), state.cells
        if paint is None:
            board = text_board(layout, shown, last)
        else:
            board = text_board(
                layout, shown, last, lambda cell, text: paint(self.owner(cells[cell]), text)
            )
        return f"{board}\n{status(state, self.text_sides)}"

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
        """The board as a picture; see `Face.svg`."""
        layout = self.layout(state.game)
        marks = {cell: mark for cell, mark in (marks or {}).items() if label_of(mark)}
        layout.check([*marks, *highlights])

        def layer(kind: str, shapes: Mapping[int, str]) -> str:
            return "".join(
                placed(layout.centres[cell], shape, class_=kind, data_cell=cell)
                for cell, shape in shapes.items()
            )

        stones = {cell: self.stone(content) for cell, content in enumerate(state.cells) if content}
        stone_layer = layer("stone", stones)
        last_layer = layer(
            "last", {cell: self.last_shape() for cell in state.last_cells if last_move}
        )
        margin = self.margin(layout, coordinates)
        return picture(
            f"{self.title}: {status(state, self.drawn_sides)}",
            (-margin, -margin, layout.width + 2 * margin, layout.height + 2 * margin),
            size,
            self.frame(layout, margin),
            layer("cell", {cell: self.cell_shape(layout, cell) for cell in layout.centres}),
            self.coordinates(layout, margin) if coordinates else "",
            last_layer + stone_layer if self.last_below else stone_layer + last_layer,
            self.link_marks(layout),
            layer(
                "target", {cell: self.target_shape(cell in stones) for cell in sorted(highlights)}
            ),
            layer("mark", {cell: _mark(mark, cell in stones) for cell, mark in marks.items()}),
        )


def _mark(mark: str | float, occupied: bool) -> str:
    # On a stone, the plate leaves the upper half to be seen.
    return placed((0, 30), plate(mark)) if occupied else plate(mark)


def text_picture(content: str, size: int = 360) -> str:
    """A text as a picture in letters of equal width, for games that have only a diagram.

    The title of the picture is the last line, which tells the side to move or the result.

    >>> "<title>o to move</title>" in text_picture("x . o" + chr(10) + "o to move")
    True
    """
    lines = content.split("\n")
    advance, leading, margin = 0.62 * TEXT_SIZE, 1.3 * TEXT_SIZE, TEXT_SIZE
    width = max(map(len, lines)) * advance + 2 * margin
    height = len(lines) * leading + 2 * margin
    written = (
        # SVG joins spaces that follow each other unless they are non-breaking ones.
        text(line.replace(" ", "\u00a0"), (margin, margin + (i + 0.5) * leading), TEXT_SIZE, INK)
        for i, line in enumerate(lines)
    )
    return picture(
        lines[-1],
        (0, 0, width, height),
        size,
        tag("rect", width=width, height=height, rx=0.5 * margin, fill="#f6f4ee"),
        tag(
            "g",
            *written,
            font_family="monospace",
            font_weight="400",
            text_anchor="start",
        ),
    )
