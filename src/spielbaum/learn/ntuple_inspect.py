"""Looking into a network: its tuples on the board, their entries, and what a position uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spielbaum.errors import SpecError
from spielbaum.games.drawing import BoardFace, text_board
from spielbaum.learn.ntuple import NTupleNetwork, realisable_states

REACHABLE = "_"
"""How an empty cell is written that a stone can reach, where that is a content of its own."""


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
    """One entry of a tuple's table: contents of the cells, as text, and its weights."""

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
    assert isinstance(face, BoardFace)  # as all games with cells of tuples have
    layout = face.layout(network.game)
    shown = {cell: "." for row in layout.rows for cell in row.cells}
    shown.update({cell: f"{digit:x}" for digit, cell in enumerate(cells)})
    return text_board(layout, shown, ())


def contents_text(network: NTupleNetwork, contents: Sequence[int]) -> str:
    """Contents of cells as the board writes them.

    >>> import spielbaum as sb
    >>> contents_text(NTupleNetwork(sb.game("connect4"), [[0]]), [0, 1, 2, 3])
    '. x o _'
    """
    return " ".join(_symbols(network)[content] for content in contents)


def parse_contents(network: NTupleNetwork, text: str) -> list[int]:
    """Contents of cells from numbers, or from what `contents_text` writes.

    >>> import spielbaum as sb
    >>> network = NTupleNetwork(sb.game("connect4"), [[0]])
    >>> parse_contents(network, "x _ .o"), parse_contents(network, "1302")
    ([1, 3, 0, 2], [1, 3, 0, 2])
    """
    symbols = _symbols(network)
    known = {symbol: content for content, symbol in enumerate(symbols)}
    known |= {str(content): content for content in range(len(symbols))}
    found = []
    for letter in "".join(text.split()):
        if letter not in known:
            raise SpecError(
                f"content {letter!r}: expected one of {' '.join(symbols)} for each cell"
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
        realisable = None
        if network.game.name == "connect4":
            realisable = tables * realisable_states(network.game, cells, network.contents)
        size = tables * network.contents ** len(cells)
        found.append(Usage(index, size, realisable, trained))
    return found


def strongest_entries(network: NTupleNetwork, index: int, number: int) -> list[Entry]:
    """The entries of a tuple with the largest weights.

    >>> import spielbaum as sb
    >>> network = NTupleNetwork(sb.game("tictactoe"), [[0, 4]])
    >>> network.table(0)[1 + 3 * 2, 0] = 0.25
    >>> strongest_entries(network, 0, 1)
    [Entry(contents='x o', weights=(0.25, 0.0))]
    """
    table = network.table(check_tuple(network, index))
    sizes = np.abs(table).max(axis=1)
    order = np.argsort(-sizes, kind="stable")[:number]
    return [
        Entry(
            contents_text(network, network.contents_of(index, int(entry))),
            tuple(float(weight) for weight in table[entry]),
        )
        for entry in order
        if sizes[entry] > 0
    ]


def _symbols(network: NTupleNetwork) -> str:
    face = network.game.face
    assert isinstance(face, BoardFace)
    return (face.symbols + REACHABLE)[: network.contents]
