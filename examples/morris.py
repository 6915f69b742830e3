"""Nine Men's Morris in pure Python, with all that a game can declare: `--import examples.morris`.

Each side places nine men and then moves them along the lines. Whoever closes a mill, three men on a
line, removes a man of the opponent, from a mill only if all are in mills. A side with three men may
fly to any point. A side with two men, or without a move, loses. The third occurrence of a position
and `quiet` moves without a removal are draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import spielbaum as sb
from spielbaum.games.drawing.text import GAP, Layout, Row

MEN = 9
SIZE = 7  # rows and columns of the square around the board
POINTS = 24

# The board as people write it: columns a to g, row 7 at the top. Points are counted row by row.
#
#     7  o-----o-----o        0     1     2
#     6  | o---o---o |          3   4   5
#     5  | | o-o-o | |            6 7 8
#     4  o-o-o   o-o-o        9 10 11   12 13 14
#     3  | | o-o-o | |           15 16 17
#     2  | o---o---o |         18   19   20
#     1  o-----o-----o       21     22     23
#        a b c d e f g
PLACES = tuple(
    (row, column)
    for row, columns in enumerate(("036", "135", "234", "012456", "234", "135", "036"))
    for column in map(int, columns)
)
"""Row from the top and column from the left of each point."""
NAMES = tuple("abcdefg"[column] + str(SIZE - row) for row, column in PLACES)
POINT = {place: point for point, place in enumerate(PLACES)}
LINES = tuple(
    tuple(POINT[row, int(column)] for column in columns)
    for row, columns in ((0, "036"), (1, "135"), (2, "234"), (3, "012"), (3, "456"))
) + tuple(
    tuple(POINT[row, int(column)] for column in columns)
    for row, columns in ((4, "234"), (5, "135"), (6, "036"))
)
MILLS = tuple(sum(1 << point for point in line) for line in LINES) + tuple(
    sum(1 << POINT[PLACES[point][::-1]] for point in line) for line in LINES
)
"""The sixteen lines, as sets of points: the rows, and the same with rows and columns exchanged."""


def _neighbours() -> tuple[tuple[int, ...], ...]:
    found: list[set[int]] = [set() for _ in range(POINTS)]
    for mill in MILLS:
        for one, other in pairwise(point for point in range(POINTS) if mill >> point & 1):
            found[one].add(other)
            found[other].add(one)
    return tuple(tuple(sorted(points)) for points in found)


NEIGHBOURS = _neighbours()
NEXT_TO = tuple(sum(1 << other for other in points) for points in NEIGHBOURS)
"""The points next to each point, as a set."""
MILLS_AT = tuple(tuple(mill for mill in MILLS if mill >> point & 1) for point in range(POINTS))
ALL = (1 << POINTS) - 1


def _images() -> tuple[tuple[int, ...], ...]:
    """Where the sixteen symmetries move every point.

    The board may be turned and mirrored, and its inner square exchanged with the outer one.
    """
    images = []
    for swap in (False, True):
        for mirror in (False, True):
            for turns in range(4):
                image = []
                for row, column in PLACES:
                    y, x = row - 3, column - 3
                    if swap:  # from the ring at distance d to that at distance 4 - d
                        ring = max(abs(y), abs(x))
                        y, x = y // ring * (4 - ring), x // ring * (4 - ring)
                    if mirror:
                        x = -x
                    for _ in range(turns):
                        y, x = x, -y
                    image.append(POINT[y + 3, x + 3])
                images.append(tuple(image))
    return tuple(images)


IMAGES = _images()


def points_of(men: int) -> list[int]:
    """The points of a set, in ascending order.

    >>> points_of(0b1101)
    [0, 2, 3]
    """
    found = []
    while men:
        found.append((men & -men).bit_length() - 1)
        men &= men - 1
    return found


class Position(NamedTuple):
    """Who has men where, who has how many in hand, and whose turn it is.

    ``removing`` says that the side to move has closed a mill and now removes a man.
    """

    men: tuple[int, int]
    hand: tuple[int, int]
    player: int
    removing: bool


class Morris(sb.PythonGame):
    """Nine Men's Morris: close mills, remove men; two men or no move lose."""

    name = "morris"
    options = (
        sb.Option("flying", True, "a side with three men moves to any point"),
        sb.Option("quiet", 100, "plies without a new man or a removal: a draw", low=10, high=1000),
    )
    # Point p: place a man there, or remove one. 24 + 24 * a + b: move from a to b.
    num_actions = POINTS + POINTS * POINTS
    num_symmetries = len(IMAGES)
    num_cells = POINTS
    num_contents = 4  # empty, a man of each side, and a man that can be removed now
    repetition = True
    plane_shape = (8, SIZE, SIZE)

    def __init__(self, flying: bool, quiet: int) -> None:
        self.flying = flying
        self.clock_limit = quiet

    @property
    def max_moves(self) -> int:
        """Three men that fly to the points that six men leave; nine that walk have fewer."""
        return 3 * (POINTS - 6)

    def initial(self) -> Position:
        """Return an empty board, with all men in hand."""
        return Position((0, 0), (MEN, MEN), 0, False)

    def to_move(self, state: Position) -> int:
        """Return the side to move; after a mill it is the same side's turn again."""
        return state.player

    def legal_moves(self, state: Position) -> Sequence[int]:
        """Return points to place or remove a man, or moves from point to point."""
        men, hand, player, removing = state
        if removing:
            return points_of(self.removable(men[1 - player]))
        empty = ALL & ~(men[0] | men[1])
        if hand[player]:
            return points_of(empty)
        flies = self.flying and men[player].bit_count() == 3
        return [
            POINTS + POINTS * origin + target
            for origin in points_of(men[player])
            for target in points_of(empty if flies else empty & NEXT_TO[origin])
        ]

    def removable(self, men: int) -> int:
        """Return the men outside of mills, or all if there are none."""
        in_mills = 0
        for mill in MILLS:
            if men & mill == mill:
                in_mills |= mill
        return men & ~in_mills or men

    def play(self, state: Position, action: int) -> Position:
        """Return the position after a man was placed, moved or removed."""
        men, hand, player, removing = state
        own, other = men[player], men[1 - player]
        if removing:
            other &= ~(1 << action)
            target = -1
        elif action < POINTS:
            own |= 1 << action
            hand = (hand[0] - 1, hand[1]) if player == 0 else (hand[0], hand[1] - 1)
            target = action
        else:
            origin, target = divmod(action - POINTS, POINTS)
            own = own & ~(1 << origin) | 1 << target
        men = (own, other) if player == 0 else (other, own)
        closed = target >= 0 and any(own & mill == mill for mill in MILLS_AT[target])
        if closed and other:
            return Position(men, hand, player, True)
        return Position(men, hand, 1 - player, False)

    def outcome(self, state: Position) -> sb.Outcome | None:
        """Return a win for the other side if the side to move has two men or no move."""
        men, hand, player, removing = state
        if removing or hand[player]:
            return None
        count = men[player].bit_count()
        if count < 3:
            return sb.Outcome.win(1 - player, reason="two men left")
        if self.flying and count == 3:
            return None
        empty = ALL & ~(men[0] | men[1])
        if any(NEXT_TO[point] & empty for point in points_of(men[player])):
            return None
        return sb.Outcome.win(1 - player, reason="no move left")

    def key(self, state: Position) -> int:
        """Return all of the position in one number."""
        men, hand, player, removing = state
        number = men[0] | men[1] << POINTS
        return number << 10 | hand[0] << 6 | hand[1] << 2 | player << 1 | removing

    # Everything below is optional: it makes the game readable, drawn, searched better and learnt.
    def irreversible(self, state: Position, action: int) -> bool:
        """Return whether a man is placed or removed."""
        return action < POINTS

    def evaluate(self, state: Position) -> float:
        """Return the difference in men, closed mills and free neighbouring points, below 1."""
        men, hand, player, removing = state
        empty = ALL & ~(men[0] | men[1])
        score = 0
        for side in (0, 1):
            own = men[side]
            worth = 20 * (own.bit_count() + hand[side])
            for mill in MILLS:
                if own & mill == mill:
                    worth += 5
                elif (own & mill).bit_count() == 2 and mill & empty:
                    worth += 3
            for point in points_of(own):
                worth += (NEXT_TO[point] & empty).bit_count()
            score += worth if side == player else -worth
        if removing:
            score += 20
        return score / (100 + abs(score))

    def text(self, state: Position, action: int) -> str:
        """Return "d2", "d2-d3" or, for a removal, "xd3"."""
        if action < POINTS:
            return ("x" if state.removing else "") + NAMES[action]
        origin, target = divmod(action - POINTS, POINTS)
        return f"{NAMES[origin]}-{NAMES[target]}"

    def notation(self, state: Position) -> str:
        """Return the points as 24 characters, the men in hand, and whose turn it is."""
        board = "".join(".xo"[content] for content in self.cells(state))
        turn = "xo"[state.player] + ("!" if state.removing else "")
        return f"{board} {state.hand[0]} {state.hand[1]} {turn}"

    def split_moves(self, text: str) -> list[str] | None:
        """Return the moves of a game, or None for the text of a position."""
        parts = text.split()
        return None if parts and len(parts[0]) == POINTS else parts

    def parse_state(self, text: str) -> Position:
        """Return the position that `notation` wrote."""
        parts = text.split()
        expected = f"{POINTS} of '.', x and o, the men in hand, and x or o with ! to remove"
        wrong = sb.NotationError(f"position {text!r:.60}: expected {expected}")
        if len(parts) != 4 or len(parts[0]) != POINTS or set(parts[0]) - set(".xo"):
            raise wrong
        board, first, second, turn = parts
        if not {first, second} <= set("0123456789") or turn not in ("x", "o", "x!", "o!"):
            raise wrong
        men = tuple(
            sum(1 << point for point in range(POINTS) if board[point] == letter) for letter in "xo"
        )
        state = Position(
            (men[0], men[1]), (int(first), int(second)), "xo".index(turn[0]), turn[1:] == "!"
        )
        if any(state.men[side].bit_count() + state.hand[side] > MEN for side in (0, 1)):
            raise sb.NotationError(f"position {text!r:.60}: a side has more than {MEN} men")
        if state.removing and not state.men[1 - state.player]:
            raise sb.NotationError(f"position {text!r:.60}: there is no man to remove")
        return state

    def transform(self, state: Position, index: int) -> Position:
        """Return the position turned, mirrored, or with inner and outer square exchanged."""
        image = IMAGES[index]
        first, second = (sum(1 << image[point] for point in points_of(men)) for men in state.men)
        return state._replace(men=(first, second))

    def transform_action(self, action: int, index: int) -> int:
        """Return the same action on the turned board."""
        image = IMAGES[index]
        if action < POINTS:
            return image[action]
        origin, target = divmod(action - POINTS, POINTS)
        return POINTS + POINTS * image[origin] + image[target]

    def transform_cell(self, cell: int, index: int) -> int:
        """Return where a point lies on the turned board."""
        return IMAGES[index][cell]

    def neighbours(self, cell: int) -> Sequence[int]:
        """Return the points next to a point."""
        return NEIGHBOURS[cell]

    def cells(self, state: Position) -> list[int]:
        """Return 0, 1 or 2 for each point: empty, or whose man is there."""
        first, second = state.men
        return [(first >> i & 1) + 2 * (second >> i & 1) for i in range(POINTS)]

    def contents(self, state: Position) -> Sequence[int]:
        """Return the same, but 3 for the men that the side to move may remove."""
        cells = self.cells(state)
        if state.removing:
            for point in points_of(self.removable(state.men[1 - state.player])):
                cells[point] = 3
        return cells

    def cell(self, state: Position, cell: int) -> int:
        """Return whose man is on a point."""
        return (state.men[0] >> cell & 1) + 2 * (state.men[1] >> cell & 1)

    def move_cells(self, state: Position, action: int) -> Sequence[int]:
        """Return the point of an action, or the two of a move."""
        return (action,) if action < POINTS else divmod(action - POINTS, POINTS)

    def planes(self, state: Position) -> npt.NDArray[np.float32]:
        """Return own men, others, empty points, and on whole planes hands, numbers and the turn."""
        men, hand, player, removing = state
        own, other = men[player], men[1 - player]
        planes = np.zeros(self.plane_shape, dtype=np.float32)
        for plane, points in enumerate((own, other, ALL & ~(own | other))):
            for point in points_of(points):
                planes[(plane, *PLACES[point])] = 1
        planes[3] = hand[player] / MEN
        planes[4] = hand[1 - player] / MEN
        planes[5] = own.bit_count() / MEN
        planes[6] = other.bit_count() / MEN
        planes[7] = removing
        return planes

    def layout(self) -> Layout:
        """Return where the points are drawn."""
        rows = (
            Row(tuple(POINT.get((row, x), GAP) for x in range(SIZE)), str(SIZE - row))
            for row in range(SIZE)
        )
        ends = ((points[0], points[-1]) for points in map(points_of, MILLS))
        return Layout(tuple(rows), NAMES, below=tuple("abcdefg"), lines=tuple(ends))

    def diagram(self, state: Position) -> str:
        """Return the board with its lines, and the men in hand."""
        symbols = [".xo"[content] for content in self.cells(state)]
        lines = [list(line) for line in DRAWN]
        for symbol, (row, column) in zip(symbols, PLACES, strict=True):
            lines[row][2 * column] = symbol
        board = [f"{SIZE - row}  {''.join(line)}" for row, line in enumerate(lines)]
        hand = f"in hand: x {state.hand[0]}, o {state.hand[1]}"
        remove = "; remove a man" if state.removing else ""
        return "\n".join([*board, "   a b c d e f g", hand + remove])


DRAWN = (
    ".-----.-----.",
    "| .---.---. |",
    "| | .-.-. | |",
    ".-.-.   .-.-.",
    "| | .-.-. | |",
    "| .---.---. |",
    ".-----.-----.",
)

sb.register_game(Morris, replace=True)
