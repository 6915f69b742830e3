"""A book of Connect Four: win, draw or loss of every position with up to so many stones.

The file is one line of JSON (format, game, plies, number of positions, SHA-256 of the rest) and a
compressed block: the codes of all positions, ascending, as differences of 64-bit numbers, and one
signed byte of value for each. Mirror images share an entry.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spielbaum.bounded import DAMAGE, decompress, read_bytes
from spielbaum.errors import BookError
from spielbaum.games import Game, State, game

FORMAT = "spielbaum connect4 book 1"
LARGEST_FILE = 64 << 20
LARGEST_HEADER = 10_000
MOST_POSITIONS = 1 << 23
"""Positions of a book: 72 MB, about twice what all positions with up to 12 stones take."""


def position_code(state: State) -> int:
    """A number for a position and its mirror image; different positions have different numbers.

    It is the solver's key (own stones + all stones + bottom row, as bitboards with one spare bit
    on top of each column), the smaller of the two images.

    >>> import spielbaum as sb
    >>> g = sb.game("connect4")
    >>> position_code(g.state("1")) == position_code(g.state("7")) != position_code(g.state("2"))
    True
    """
    options = state.game.options
    columns, stride = int(options["columns"]), int(options["rows"]) + 1
    own, cells = state.to_move + 1, state.cells
    code = mirrored = 0
    for column in range(columns):
        bottom, bottom_mirrored = column * stride, (columns - 1 - column) * stride
        code += 1 << bottom
        mirrored += 1 << bottom_mirrored
        for row, stone in enumerate(cells[column::columns]):
            if stone:
                weight = 2 if stone == own else 1
                code += weight << (bottom + row)
                mirrored += weight << (bottom_mirrored + row)
    return min(code, mirrored)


def check_size(rules: Game) -> None:
    """Raise `BookError` if positions of a board do not fit into 64 bits.

    >>> import spielbaum as sb
    >>> try:
    ...     check_size(sb.game("connect4:rows=8,columns=9"))
    ... except BookError as error:
    ...     print(error)
    a book of connect4:rows=8,columns=9 needs 81 bits for a position: expected at most 64
    """
    bits = int(rules.options["columns"]) * (int(rules.options["rows"]) + 1)
    if bits > 64:
        raise BookError(f"a book of {rules} needs {bits} bits for a position: expected at most 64")


class Connect4Book:
    """Win (1), draw (0) or loss (-1) for the side to move, of every position up to ``plies``.

    >>> import spielbaum as sb
    >>> g = sb.game("connect4:rows=4,columns=4")
    >>> book = Connect4Book(g, 0, {position_code(g.initial()): 0})
    >>> book.value(g.initial()), book.value(g.state("1"))
    (0, None)
    """

    def __init__(self, rules: Game, plies: int, values: Mapping[int, int]) -> None:
        self.game = rules
        self.plies = plies
        self._codes: npt.NDArray[np.uint64] = np.array(sorted(values), dtype=np.uint64)
        self._values = np.array([values[int(code)] for code in self._codes], dtype=np.int8)

    def __len__(self) -> int:
        return len(self._codes)

    def value(self, state: State) -> int | None:
        """The value for the side to move; None if the position is not in the book."""
        if state.game != self.game:
            raise BookError(f"a book of {self.game} knows no positions of {state.game}")
        code = np.uint64(position_code(state))
        index = int(np.searchsorted(self._codes, code))
        if index == len(self._codes) or self._codes[index] != code:
            return None
        return int(self._values[index])

    def values(self) -> dict[int, int]:
        """The value of every position, by its `position_code`.

        >>> import spielbaum as sb
        >>> Connect4Book(sb.game("connect4:rows=4,columns=4"), 0, {0x8421: 0}).values()
        {33825: 0}
        """
        return dict(zip(self._codes.tolist(), self._values.tolist(), strict=True))

    def moves(self, state: State) -> list[tuple[int, int]] | None:
        """The value of every legal move for the side to move; None if the book ends here.

        >>> import spielbaum as sb
        >>> g = sb.game("connect4:rows=4,columns=4")
        >>> Connect4Book(g, 0, {position_code(g.initial()): 0}).moves(g.initial()) is None
        True
        """
        values = []
        for move in state.legal_moves:
            after = state.play(move)
            outcome = after.outcome
            value = self.value(after) if outcome is None else 0 if outcome.winner is None else -1
            if value is None:
                return None
            values.append((move, -value))
        return values

    def save(self, path: Path) -> None:
        """Write the book, at once or not at all."""
        differences = np.diff(self._codes, prepend=np.uint64(0)).astype("<u8")
        payload = zlib.compress(differences.tobytes() + self._values.tobytes(), level=9)
        header = {
            "format": FORMAT,
            "game": str(self.game),
            "plies": self.plies,
            "positions": len(self),
            "sha256": hashlib.sha256(payload).hexdigest(),
        }
        unfinished = path.with_name(path.name + ".new")
        with unfinished.open("wb") as file:
            file.write(json.dumps(header).encode() + b"\n" + payload)
            file.flush()
            os.fsync(file.fileno())  # else a crash could leave the new name with nothing behind it
        unfinished.replace(path)

    @classmethod
    def load(cls, path: Path) -> Connect4Book:
        """Read a book and check that it is whole."""
        content = read_bytes(path, LARGEST_FILE, "book", BookError)
        line, payload = content[:LARGEST_HEADER].partition(b"\n")[0], memoryview(content)
        payload = payload[len(line) + 1 :]
        try:
            header = json.loads(line)
            rules, plies, positions = game(header["game"]), header["plies"], header["positions"]
            known = header["format"] == FORMAT and header["sha256"]
            if rules.name != "connect4" or type(plies) is not int or type(positions) is not int:
                raise ValueError(header)
            check_size(rules)
            if not 0 <= plies <= len(rules.initial().cells) or not 0 <= positions <= MOST_POSITIONS:
                raise ValueError(header)
        except DAMAGE:
            raise BookError(f"book {path}: it does not begin as a book of Connect Four") from None
        if not known or hashlib.sha256(payload).hexdigest() != known:
            raise BookError(f"book {path}: it is damaged or of another format (checksum differs)")
        try:
            data = decompress(payload, 9 * positions)
        except ValueError:
            raise BookError(
                f"book {path}: it does not hold the {positions} positions it promises"
            ) from None
        book = cls(rules, plies, {})
        book._codes = np.cumsum(np.frombuffer(data, dtype="<u8", count=positions), dtype=np.uint64)
        book._values = np.frombuffer(data, dtype=np.int8, offset=8 * positions)
        return book
