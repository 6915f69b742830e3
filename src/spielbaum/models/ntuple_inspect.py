"""Looking into a network: its tuples on the board, their entries, and what a position uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase, digits

import numpy as np

from spielbaum import _core
from spielbaum.base.errors import SpecError
from spielbaum.games import State
from spielbaum.games.drawing.text import BoardFace, text_board
from spielbaum.models.ntuple import NTupleNetwork

REACHABLE = "_"
"""How an empty cell is written that a stone can reach, where that is a content of its own."""
NUMERALS = digits + ascii_lowercase
"""How contents are written that have no symbols."""


@dataclass(frozen=True)
class Usage:
    """How much of a tuple's table has been trained.

    >>> Usage(0, 6561, 3150, 2000).never
    4561
    """

    index: int
    """The number of the tuple."""
    entries: int
    """Weights of its table."""
    realisable: int | None
    """How many of them belong to states that can occur, at most; None where nobody counts them."""
    trained: int

    @property
    def never(self) -> int:
        """Weights that were never touched."""
        return self.entries - self.trained


@dataclass(frozen=True)
class Entry:
    """One entry of a tuple's table: its index, contents of the cells as text, and its weights."""

    index: int
    contents: str
    weights: tuple[float, ...]
    """By output and player to move."""


def check_tuple(network: NTupleNetwork, index: int) -> int:
    """Return ``index`` if the network has such a tuple."""
    if not 0 <= index < len(network.tuples):
        raise SpecError(
            f"tuple {index}: the network has {len(network.tuples)}, from 0 to "
            f"{len(network.tuples) - 1}"
        )
    return index


def draw_tuple(network: NTupleNetwork, index: int) -> str:
    """A tuple on the board: its cells in the order of their digits, from the lowest.

    A list of cells if the game does not say where they are.

    >>> import spielbaum as sb
    >>> print(draw_tuple(NTupleNetwork(sb.game("connect4:rows=4,columns=4"), [[0, 5, 6]]), 0))
       1 2 3 4
    4  . . . .
    3  . . . .
    2  . 1 2 .
    1  0 . . .
       a b c d
    """
    cells = network.tuples[check_tuple(network, index)]
    face = network.game.face
    if not isinstance(face, BoardFace):
        return " ".join(face.cell_name(network.game, cell) for cell in cells)
    layout = face.layout(network.game)
    shown = dict.fromkeys(layout.centres, ".")
    shown.update({cell: f"{digit:x}" for digit, cell in enumerate(cells)})
    return text_board(layout, shown, ())


def contents_text(network: NTupleNetwork, contents: Sequence[int]) -> str:
    """Contents of cells as the board writes them.

    >>> import spielbaum as sb
    >>> contents_text(NTupleNetwork(sb.game("connect4"), [[0]]), [0, 1, 2, 3])
    '. x o _'
    """
    return " ".join(symbols(network)[content] for content in contents)


def parse_contents(network: NTupleNetwork, text: str) -> list[int]:
    """Contents of cells from numbers, or from what `contents_text` writes.

    >>> import spielbaum as sb
    >>> network = NTupleNetwork(sb.game("connect4"), [[0]])
    >>> parse_contents(network, "x _ .o"), parse_contents(network, "1302")
    ([1, 3, 0, 2], [1, 3, 0, 2])
    """
    written = symbols(network)
    known = {symbol: content for content, symbol in enumerate(written)}
    known |= {str(content): content for content in range(len(written))}
    found = []
    for letter in "".join(text.split()):
        if letter not in known:
            raise SpecError(
                f"content {letter!r}: expected one of {' '.join(written)} for each cell"
            )
        found.append(known[letter])
    return found


def usages(network: NTupleNetwork) -> list[Usage]:
    """How much of each table has been trained: the weights that are not 0.

    >>> import spielbaum as sb
    >>> usages(NTupleNetwork(sb.game("connect4"), [[0, 1]]))
    [Usage(index=0, entries=32, realisable=18, trained=0)]
    """
    found = []
    tables = network.weights.shape[1]
    for index, trained in enumerate(network.usage()):
        cells = network.tuples[index]
        states = _core.realisable_states(network.game._core, list(cells), network.contents)
        realisable = None if states is None else tables * int(states)
        size = tables * network.contents ** len(cells)
        found.append(Usage(index, size, realisable, trained))
    return found


def strongest_entries(network: NTupleNetwork, index: int, number: int) -> list[Entry]:
    """The entries of a tuple with the largest weights.

    >>> import spielbaum as sb
    >>> network = NTupleNetwork(sb.game("tictactoe"), [[0, 4]])
    >>> network.table(0)[1 + 3 * 2, 0] = 0.25
    >>> strongest_entries(network, 0, 1)
    [Entry(index=7, contents='x o', weights=(0.25, 0.0))]
    """
    table = network.table(check_tuple(network, index))
    sizes = np.abs(table).max(axis=1)
    order = np.argsort(-sizes, kind="stable")[:number]
    return [entry_at(network, index, int(entry)) for entry in order if sizes[entry] > 0]


def entry_at(network: NTupleNetwork, index: int, entry: int) -> Entry:
    """One entry of a tuple by its number in the table.

    >>> import spielbaum as sb
    >>> entry_at(NTupleNetwork(sb.game("tictactoe"), [[0, 4]]), 0, 7)
    Entry(index=7, contents='x o', weights=(0.0, 0.0))
    """
    weights = network.table(check_tuple(network, index))[entry]
    text = contents_text(network, network.contents_of(index, entry))
    return Entry(entry, text, tuple(float(weight) for weight in weights))


@dataclass(frozen=True)
class MoveSum:
    """A legal move, what the network thinks of it, and how its tuples come to think so."""

    move: int
    value: float
    """To the player who makes the move."""
    weights: tuple[float, ...]
    """What every tuple adds to the sum of the position after the move; none if the game is over."""


def move_sums(network: NTupleNetwork, state: State) -> list[MoveSum]:
    """What each tuple adds after every legal move, seen by the player who makes it.

    >>> import spielbaum as sb
    >>> game = sb.game("tictactoe")
    >>> network = NTupleNetwork(game, [[4]], symmetries=False)
    >>> network.table(0)[1, 1] = 0.5  # x has the centre, o is to move
    >>> [sums.weights for sums in move_sums(network, game.initial())][3:6]
    [(0.0,), (0.5,), (0.0,)]
    """
    found = []
    for move, value in network.move_values(state).items():
        child = state.play(move)
        weights: tuple[float, ...] = ()
        if child.outcome is None:
            added = network.contributions(child, player=state.to_move)
            weights = tuple(each.weight for each in added)
        found.append(MoveSum(move, value, weights))
    return found


@dataclass(frozen=True)
class Column:
    """What a weight of an entry is for: whose value, and who is to move; None: all the same."""

    viewer: int | None
    to_move: int | None


def columns(network: NTupleNetwork) -> list[Column]:
    """What the weights of an entry are for, in their order.

    >>> import spielbaum as sb
    >>> columns(NTupleNetwork(sb.game("tictactoe"), [[0]]))
    [Column(viewer=None, to_move=0), Column(viewer=None, to_move=1)]
    """
    players = network.game.num_players if network.table_per_player else 1
    outputs = network.weights.shape[1] // players
    return [
        Column(output if outputs > 1 else None, player if players > 1 else None)
        for output in range(outputs)
        for player in range(players)
    ]


def symbols(network: NTupleNetwork) -> str:
    """How the contents of a cell are written, from 0 on.

    >>> import spielbaum as sb
    >>> symbols(NTupleNetwork(sb.game("connect4"), [[0]]))
    '.xo_'
    """
    face = network.game.face
    drawn = face.symbols + REACHABLE if isinstance(face, BoardFace) else ""
    return (drawn if network.contents <= len(drawn) else NUMERALS)[: network.contents]
