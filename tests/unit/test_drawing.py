"""Diagrams and pictures of positions: what they show, and that the markup is sound."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

import spielbaum as sb
from spielbaum.games.drawing.faces import face
from spielbaum.games.drawing.reversixt import STONES, ReversiXTFace
from spielbaum.games.drawing.svg import label_of, tint
from spielbaum.games.drawing.text import Face, Marks, grid, text_picture
from spielbaum.games.drawing.yavalath import hexagon
from spielbaum.games.game import native_games

SVG = "{http://www.w3.org/2000/svg}"

POSITIONS = [
    ("tictactoe", "b2 a1 c3"),
    ("connect4", "4453"),
    ("yavalath", "e5 d4"),
    ("yavalath:players=3", "e5 d4 a1 i5"),
    ("hex", "c4 d5 k11"),
    ("hex:size=4,swap=on", "c1 swap b2"),
    ("reversixt", "4,2 3,2"),
    ("reversixt:map=map52", "5,7"),
    ("reversi", "-" * 27 + "OX------XO" + "-" * 27 + " X"),
    ("chess", "r3k2r/pppq1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1"),
]

SIZES = [
    *(f"connect4:rows={rows},columns={columns},inarow=2" for rows, columns in [(2, 2), (7, 2)]),
    *(f"connect4:rows={rows},columns={columns}" for rows, columns in [(4, 9), (7, 16), (6, 10)]),
    *(f"reversi:size={size}" for size in (4, 6, 8, 10)),
]


def face_of(state: sb.State) -> Face:
    found = face(state.game.name)
    assert found is not None
    return found


def parsed(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    return root


def cells_with(root: ElementTree.Element, kind: str) -> list[int]:
    return [int(e.attrib["data-cell"]) for e in root.iter(f"{SVG}g") if e.get("class") == kind]


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def diagram(spec: str, notation: str, *moves: str) -> list[str]:
    state = sb.game(spec).state(notation) if notation else sb.game(spec).initial()
    for move in moves:
        state = state.play(move)
    return face_of(state).diagram(state).split("\n")


# ---- Diagrams ------------------------------------------------------------------------------------


def test_diagram_of_tictactoe() -> None:
    assert diagram("tictactoe", "a1 b2") == [
        "3  . . .",
        "2  .[o].",
        "1  x . .",
        "   a b c",
        "x to move",
    ]


def test_diagram_of_connect4() -> None:
    assert diagram("connect4", "4453") == [
        "   1 2 3 4 5 6 7",
        "6  . . . . . . .",
        "5  . . . . . . .",
        "4  . . . . . . .",
        "3  . . . . . . .",
        "2  . . . o . . .",
        "1  . .[o]x x . .",
        "   a b c d e f g",
        "x to move",
    ]


def test_diagram_of_a_wide_connect4_board_keeps_its_columns() -> None:
    lines = diagram("connect4:rows=4,columns=11", "", "k1")
    assert lines[0] == "   1  2  3  4  5  6  7  8  9  10 11"
    assert lines[4] == "1  .  .  .  .  .  .  .  .  .  . [x ]"
    assert lines[5] == "   a  b  c  d  e  f  g  h  i  j  k"


def test_diagram_of_reversi() -> None:
    assert diagram("reversi:size=4", "", "b1") == [
        "1  .[X]. .",
        "2  . X X .",
        "3  . X O .",
        "4  . . . .",
        "   a b c d",
        "O to move",
    ]


def test_diagram_of_yavalath() -> None:
    assert diagram("yavalath:players=3", "a1 e9 i5 e5") == [
        "a      x . . . .  5",
        "b     . . . . . .  6",
        "c    . . . . . . .  7",
        "d   . . . . . . . .  8",
        "e  . . . .[x]. . . o  9",
        "f   . . . . . . . .  8",
        "g    . . . . . . .  7",
        "h     . . . . . .  6",
        "i      . . . . z  5",
        "o to move",
    ]


def test_diagram_of_hex_leans_to_the_right() -> None:
    assert diagram("hex:size=4,swap=on", "c1 swap b2 d4") == [
        "   a b c d",
        "1  . . . .",
        "2   . x . .",
        "3    o . . .",
        "4     . . .[o]",
        "x to move",
    ]


def test_diagram_of_chess_brackets_both_squares_of_the_last_move() -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert diagram("chess", start, "e2e4") == [
        "8  r n b q k b n r",
        "7  p p p p p p p p",
        "6  . . . . . . . .",
        "5  . . . . . . . .",
        "4  . . . .[P]. . .",
        "3  . . . . . . . .",
        "2  P P P P[.]P P P",
        "1  R N B Q K B N R",
        "   a b c d e f g h",
        "black to move",
    ]
    assert diagram("chess", "k7/8/8/8/8/8/8/K6R w - - 0 1", "a1b1")[7] == "1 [.|K]. . . . . R"


def test_diagram_without_the_last_move_has_no_brackets() -> None:
    state = sb.game("tictactoe").state("a1 b2")
    assert "[" not in face_of(state).diagram(state, last_move=False)


def test_diagram_with_marks_widens_every_cell() -> None:
    state = sb.game("tictactoe").state("a1 b2")
    marks: Marks = {0: "!", 1: 0.25, 8: "best\nmove"}
    assert face_of(state).diagram(state, marks=marks).split("\n") == [
        "3      .         .     best move",
        "2      .    [    o    ]    .",
        "1      x!      +0.25       .",
        "       a         b         c",
        "x to move",
    ]


def test_marks_keep_the_rows_of_hexagons_aligned() -> None:
    state = sb.game("yavalath").initial()
    lines = face_of(state).diagram(state, marks={30: "ab"}).split("\n")
    assert lines[3] == "d     .   .   .   .   .   .   .   .   8"
    assert lines[4] == "e   .   .   .   .   ab  .   .   .   .   9"


@pytest.mark.parametrize(
    ("spec", "notation", "winner"),
    [
        ("tictactoe", "a1 a2 b1 b2 c1", "x wins"),
        ("tictactoe", "a1 b1 c1 b2 a2 c2 b3 a3 c3", "draw"),
        ("connect4", "121213", None),
        ("connect4", "1212121", "x wins"),
        ("chess", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "black wins"),
    ],
)
def test_the_last_line_tells_the_result(spec: str, notation: str, winner: str | None) -> None:
    state = sb.game(spec).state(notation)
    last_line = face_of(state).diagram(state).rsplit("\n", 1)[1]
    if winner is None:
        assert state.outcome is None
        assert last_line == "x to move"
    else:
        assert state.outcome is not None
        assert last_line == f"{winner}: {state.outcome.reason}"


@pytest.mark.parametrize("spec", SIZES)
def test_diagrams_of_every_size_show_all_cells(spec: str) -> None:
    state = sb.game(spec).initial()
    shown = Counter(face_of(state).diagram(state).rsplit("\n", 1)[0])
    assert shown["."] == state.cells.count(0)


# ---- Pictures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spec", "notation"), POSITIONS)
def test_picture_shows_the_position(spec: str, notation: str) -> None:
    state = sb.game(spec).state(notation)
    root = parsed(face_of(state).svg(state))
    assert len(cells_with(root, "cell")) == len(state.cells)
    assert cells_with(root, "stone") == [
        cell for cell, content in enumerate(state.cells) if content
    ]
    assert sorted(cells_with(root, "last")) == sorted(state.last_cells)
    assert not cells_with(root, "mark")
    assert not cells_with(root, "target")


@pytest.mark.parametrize(("spec", "notation"), POSITIONS)
def test_pictures_are_self_contained_and_can_share_a_page(spec: str, notation: str) -> None:
    state = sb.game(spec).state(notation)
    root = parsed(face_of(state).svg(state, highlights=[0], marks={1: 0.5}))
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {
            *("svg", "title", "g", "rect", "circle", "ellipse", "polygon", "path", "text")
        }
        assert not {"id", "href", "style"} & element.attrib.keys()


@pytest.mark.parametrize(
    ("spec", "title"),
    [
        ("tictactoe", "Tic-tac-toe: x to move"),
        ("connect4", "Connect Four: red to move"),
        ("yavalath", "Yavalath: white to move"),
        ("reversi", "Reversi: black to move"),
        ("chess", "Chess: white to move"),
    ],
)
def test_picture_has_a_title_for_screen_readers(spec: str, title: str) -> None:
    state = sb.game(spec).initial()
    root = parsed(face_of(state).svg(state))
    assert root.findtext(f"{SVG}title") == title
    assert (root.get("role"), root.get("aria-label")) == ("img", title)


@pytest.mark.parametrize(
    ("spec", "labels"),
    [
        ("tictactoe", "123abc"),
        ("connect4", "1234567654321abcdefg"),
        ("reversi:size=4", "1234abcd"),
        ("chess", "12345678abcdefgh"),
    ],
)
def test_coordinates_can_be_left_out(spec: str, labels: str) -> None:
    state = sb.game(spec).initial()
    assert sorted(texts(parsed(face_of(state).svg(state)))) == sorted(labels)
    assert texts(parsed(face_of(state).svg(state, coordinates=False))) == []


def test_hexagons_show_their_names() -> None:
    state = sb.game("yavalath").initial()
    assert set(hexagon(5).names) < set(texts(parsed(face_of(state).svg(state))))


@pytest.mark.parametrize(("spec", "notation"), POSITIONS)
def test_marks_and_highlights(spec: str, notation: str) -> None:
    state = sb.game(spec).state(notation)
    marks: Marks = {0: "<b>&\"'\x00", 1: -1.0, 2: 0.333, 3: 1, 4: ""}
    svg = face_of(state).svg(state, marks=marks, highlights=(8, 5), last_move=False)
    root = parsed(svg)
    assert cells_with(root, "mark") == [0, 1, 2, 3]
    assert cells_with(root, "target") == [5, 8]
    assert cells_with(root, "last") == []
    assert {"<b>&\"'\ufffd", "-1.00", "+0.33", "+1.00"} < set(texts(root))
    assert tint(-1) in svg
    assert tint(1) in svg


@pytest.mark.parametrize("spec", SIZES)
@pytest.mark.parametrize("size", [1, 100, 360])
def test_the_longer_side_has_the_size_asked_for(spec: str, size: int) -> None:
    state = sb.game(spec).initial()
    root = parsed(face_of(state).svg(state, size=size))
    shown = [float(root.attrib[side]) for side in ("width", "height")]
    drawn = [float(number) for number in root.attrib["viewBox"].split()[2:]]
    assert max(shown) == size
    assert shown[0] / shown[1] == pytest.approx(drawn[0] / drawn[1], abs=0.02 if size > 1 else 0.2)
    assert len(cells_with(root, "cell")) == len(state.cells)


def test_chess_has_twelve_different_pieces() -> None:
    chess = face("chess")
    assert chess is not None
    state = sb.game("chess").initial()
    root = parsed(chess.svg(state))
    pictures = {
        ElementTree.tostring(element[0])
        for element in root.iter(f"{SVG}g")
        if element.get("class") == "stone"
    }
    assert len(pictures) == 12


def test_text_as_a_picture_keeps_its_spaces() -> None:
    root = parsed(text_picture("a < b\n   &  c\nx to move", size=200))
    assert texts(root) == [
        "a\u00a0<\u00a0b",
        "\u00a0\u00a0\u00a0&\u00a0\u00a0c",
        "x\u00a0to\u00a0move",
    ]
    assert root.findtext(f"{SVG}title") == root.get("aria-label") == "x to move"
    assert max(float(root.attrib["width"]), float(root.attrib["height"])) == 200


# ---- Names and errors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "cell", "name"),
    [
        ("tictactoe", 8, "c3"),
        ("connect4", 7, "a2"),
        ("connect4:columns=16", 15, "p1"),
        ("yavalath", 30, "e5"),
        ("yavalath", 60, "i5"),
        ("reversi", 19, "d3"),
        ("reversi:size=10", 99, "j10"),
        ("chess", 63, "h8"),
    ],
)
def test_cell_names(spec: str, cell: int, name: str) -> None:
    game = sb.game(spec)
    found = face(game.name)
    assert found is not None
    assert found.cell_name(game, cell) == name


def test_cell_names_are_the_names_of_moves() -> None:
    for spec in ("tictactoe", "yavalath", "reversi", "reversi:size=6"):
        state = sb.game(spec).initial()
        for move in state.legal_moves:
            assert face_of(state).cell_name(state.game, *state.cells_of(move)) == state.text(move)


@pytest.mark.parametrize("cell", [-1, 9])
def test_cells_off_the_board_are_refused(cell: int) -> None:
    state = sb.game("tictactoe").initial()
    shown = face_of(state)
    expected = f"cell {cell} is not on the board: expected 0 to 8"
    with pytest.raises(ValueError, match=expected):
        shown.cell_name(state.game, cell)
    with pytest.raises(ValueError, match=expected):
        shown.diagram(state, marks={cell: "x"})
    with pytest.raises(ValueError, match=expected):
        shown.svg(state, marks={cell: "x"})
    with pytest.raises(ValueError, match=expected):
        shown.svg(state, highlights=[cell])


def test_a_picture_needs_a_size() -> None:
    state = sb.game("tictactoe").initial()
    with pytest.raises(ValueError, match="size 0 is too small: expected at least 1 pixel"):
        face_of(state).svg(state, size=0)


def test_every_game_of_the_core_has_a_face() -> None:
    assert all(face(name) for name in native_games())
    assert face("no such game") is None
    assert face("drawing") is None  # a module of the package, but no game


def test_layouts() -> None:
    assert [row.cells for row in grid(2, 2, from_top=True).rows] == [(0, 1), (2, 3)]
    assert [row.cells for row in grid(2, 2).rows] == [(2, 3), (0, 1)]
    assert sorted(hexagon(5).centres) == list(range(61))
    assert hexagon(5).centres[30] == pytest.approx((hexagon(5).width / 2, hexagon(5).height / 2))


def test_labels_of_numbers() -> None:
    assert [label_of(value) for value in (0, -0.004, 0.125, -1)] == [
        *("+0.00", "+0.00", "+0.12", "-1.00")
    ]


SIGHTS = {  # Machado, Oliveira and Fernandes (2009), full severity, for linear RGB
    "all colours": np.eye(3),
    "no red": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "no green": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "no blue": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}


def lab(colours: list[str], sight: object) -> np.ndarray:
    """Colours as CIE L*a*b* sees them, as somebody sees them."""
    codes = np.array([[int(each[at : at + 2], 16) / 255 for at in (1, 3, 5)] for each in colours])
    linear = np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(sight).T, 0, 1)
    xyz = seen @ np.array(
        [[0.4125, 0.2127, 0.0193], [0.3576, 0.7152, 0.1192], [0.1804, 0.0722, 0.9503]]
    )
    x, y, z = (np.cbrt(np.maximum(xyz / [0.9505, 1.0, 1.0889], 0.008856))).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


@pytest.mark.parametrize("sight", SIGHTS)
def test_eight_players_can_be_told_apart(sight):
    colours = [*(fill for fill, _ in STONES.values()), ReversiXTFace.theme.cell]
    places = lab(colours, SIGHTS[sight])
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert distances[:8, :8][~np.eye(8, dtype=bool)].min() > 20
    assert distances[8, :8].min() > 15  # from the cell: stones have a rim as well


def test_transitions_are_marked_in_pairs():
    state = sb.game("reversixt:map=map34").initial()
    layout = state.game.face.layout(state.game)
    assert [link.cells for link in layout.links] == [(0, 99), (90, 9)]
    marks = ElementTree.fromstring(f"<g>{state.game.face.link_marks(layout)}</g>")
    assert [path.get("d").count("M") for path in marks] == [2, 2]
    assert len({path.get("fill") for path in marks}) == 2


@pytest.mark.parametrize("spec", ["reversixt:map=map22", "yavalath", "chess", "hex"])
def test_sketches_show_every_cell_in_a_colour(spec):
    state = sb.game(spec).initial()
    sketch = ElementTree.fromstring(state.game.face.sketch(state))
    paths = sketch.findall(f"{SVG}path")
    widths = [float(width) for path in paths for width in re.findall(r"h(\d+)v", path.get("d"))]
    assert sum(widths) == 100 * len(state.cells)
    assert (
        len({path.get("fill") for path in paths}) == len(paths) > (0 if not any(state.cells) else 1)
    )
