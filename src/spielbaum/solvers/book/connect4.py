"""A book of Connect Four: win, draw or loss of every position with up to so many stones.

Of the first few plies it may hold exact scores instead, with lines of best play.

The file is one line of JSON (format, game, plies, number of positions, SHA-256 of the rest) and a
compressed block: the codes of all positions, ascending, as differences of 64-bit numbers, and one
signed byte of value for each. Mirror images share an entry. In format 2 the JSON also says up to
how many stones values are scores, and how many bytes of text follow: a line of best play for each
position with that many stones, after its code.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spielbaum.base.bounded import DAMAGE, decompress, read_bytes
from spielbaum.base.errors import BookError
from spielbaum.games import Game, State, game

FORMAT = "spielbaum connect4 book 1"
FORMAT_WITH_SCORES = "spielbaum connect4 book 2"
LARGEST_FILE = 64 << 20
LARGEST_HEADER = 10_000
MOST_POSITIONS = 1 << 23
"""Positions of a book: 72 MB, about twice what all positions with up to 12 stones take."""
LONGEST_LINES = 1 << 24
"""Bytes of all lines of a book; like the number of positions, a bound on the memory it takes."""
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""Columns in lines, as in the notation of positions: the first is 1, the tenth a."""


def position_code(state: State) -> int:
    """A number for a position and its mirror image; different positions have different numbers.

    It is the solver's key (own stones + all stones + bottom row, as bitboards with one spare bit
    on top of each column), the smaller of the two images.

    >>> import spielbaum as sb
    >>> g = sb.game("connect4")
    >>> position_code(g.state("1")) == position_code(g.state("7")) != position_code(g.state("2"))
    True
    """
    return min(_codes(state))


def _codes(state: State) -> tuple[int, int]:
    """The number of a position as it is, and that of its mirror image."""
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
    return code, mirrored


def score_at_end(state: State) -> int:
    """The exact score of a finished game for the side that would be to move.

    >>> import spielbaum as sb
    >>> score_at_end(sb.game("connect4").state("1212121"))
    -18
    """
    if state.outcome is None or state.outcome.winner is None:
        return 0
    return -((len(state.cells) + 2 - _stones(state)) // 2)


def line_text(state: State, line: Iterable[int]) -> str:
    """A line of play from a position as a book keeps it: a character for each column.

    Like the code of the position it is that of the smaller image.

    >>> import spielbaum as sb
    >>> g = sb.game("connect4")
    >>> line_text(g.state("1"), [0, 1]) == line_text(g.state("7"), [6, 5])
    True
    """
    columns = _columns(state)
    return "".join(DIGITS[columns[column] + 1] for column in line)


def read_line(state: State, text: str) -> list[int] | None:
    """The moves of `line_text`, if they are legal and lead to the end of the game, else None.

    >>> import spielbaum as sb
    >>> g = sb.game("connect4:rows=2,columns=2")
    >>> read_line(g.state("1"), line_text(g.state("1"), [1, 1, 0])), read_line(g.state("1"), "1")
    ([1, 1, 0], None)
    """
    line, column_of = [], dict(zip(DIGITS[1:], _columns(state), strict=False))
    for digit in text:
        column = column_of.get(digit)
        if column not in state.legal_moves:
            return None
        line.append(column)
        state = state.play(column)
    return None if state.outcome is None else line


def _columns(state: State) -> list[int]:
    """For each column the one that takes its place in the smaller image; the same way back."""
    code, mirrored = _codes(state)
    columns = list(range(int(state.game.options["columns"])))
    return columns if code <= mirrored else columns[::-1]


def _stones(state: State) -> int:
    return len(state.cells) - state.cells.count(0)


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

    Of positions with up to ``scores`` stones it has exact scores, if ``scores`` is not None, and
    a line of best play.

    >>> import spielbaum as sb
    >>> g = sb.game("connect4:rows=4,columns=4")
    >>> book = Connect4Book(g, 0, {position_code(g.initial()): 0})
    >>> book.value(g.initial()), book.value(g.state("1"))
    (0, None)
    """

    def __init__(
        self,
        rules: Game,
        plies: int,
        values: Mapping[int, int],
        scores: int | None = None,
        lines: Mapping[int, str] | None = None,
    ) -> None:
        """``values``: scores of positions with up to ``scores`` stones, else win, draw or loss.

        ``lines``: the `line_text` of every position with ``scores`` stones. Both are by the
        `position_code`.
        """
        self.game = rules
        self.plies = plies
        self.scores = scores
        self.lines = dict(lines or {})
        self._codes: npt.NDArray[np.uint64] = np.array(sorted(values), dtype=np.uint64)
        self._values = np.array([values[int(code)] for code in self._codes], dtype=np.int8)

    def __len__(self) -> int:
        return len(self._codes)

    def value(self, state: State) -> int | None:
        """Win, draw or loss for the side to move; None if the position is not in the book."""
        number = self._number(state)
        return None if number is None else _sign(number)

    def score(self, state: State) -> int | None:
        """The exact score for the side to move; None if the book does not have it.

        >>> import spielbaum as sb
        >>> start = sb.game("connect4").initial()
        >>> code = position_code(start)
        >>> Connect4Book(start.game, 0, {code: 1}, scores=0).score(start)
        1
        >>> Connect4Book(start.game, 0, {code: 1}).score(start) is None
        True
        """
        if self.scores is None or _stones(state) > self.scores:
            return None
        return self._number(state)

    def _number(self, state: State) -> int | None:
        if state.game != self.game:
            raise BookError(f"a book of {self.game} knows no positions of {state.game}")
        code = np.uint64(position_code(state))
        index = int(np.searchsorted(self._codes, code))
        if index == len(self._codes) or self._codes[index] != code:
            return None
        return int(self._values[index])

    def values(self) -> dict[int, int]:
        """The value or score of every position, by its `position_code`.

        >>> import spielbaum as sb
        >>> Connect4Book(sb.game("connect4:rows=4,columns=4"), 0, {0x8421: 0}).values()
        {33825: 0}
        """
        return dict(zip(self._codes.tolist(), self._values.tolist(), strict=True))

    def moves(self, state: State, exact: bool = False) -> list[tuple[int, int]] | None:
        """The value of every legal move for the side to move; None if the book ends here.

        With ``exact`` their scores.

        >>> import spielbaum as sb
        >>> g = sb.game("connect4:rows=4,columns=4")
        >>> Connect4Book(g, 0, {position_code(g.initial()): 0}).moves(g.initial()) is None
        True
        """
        values = []
        for move in state.legal_moves:
            after = state.play(move)
            score = score_at_end(after) if after.outcome is not None else self._of(after, exact)
            if score is None:
                return None
            values.append((move, -score if exact else -_sign(score)))
        return values

    def _of(self, state: State, exact: bool) -> int | None:
        return self.score(state) if exact else self.value(state)

    def line(self, state: State) -> list[int] | None:
        """A line of best play to the end of the game; None if the book does not have it.

        Moves in the middle come first among those that are equally good.
        """
        score, line = self.score(state), []
        if score is None or self.scores is None:
            return None
        middle = int(self.game.options["columns"]) // 2
        while state.outcome is None and _stones(state) < self.scores:
            moves = self.moves(state, exact=True) or []
            best = [move for move, each in moves if each == score]
            if not best:
                return None
            line.append(min(best, key=lambda move: (abs(move - middle), move)))
            state, score = state.play(line[-1]), -score
        rest = read_line(state, self.lines.get(position_code(state), ""))
        return None if rest is None else line + rest

    def save(self, path: Path) -> None:
        """Write the book, at once or not at all."""
        differences = np.diff(self._codes, prepend=np.uint64(0)).astype("<u8")
        text = "".join(f"{code:x} {line}\n" for code, line in sorted(self.lines.items())).encode()
        data = differences.tobytes() + self._values.tobytes() + text
        payload = zlib.compress(data, level=9)
        header: dict[str, str | int] = {
            "format": FORMAT,
            "game": str(self.game),
            "plies": self.plies,
            "positions": len(self),
            "sha256": hashlib.sha256(payload).hexdigest(),
        }
        if self.scores is not None:
            header |= {"format": FORMAT_WITH_SCORES, "scores": self.scores, "lines": len(text)}
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
            known = header["format"] in (FORMAT, FORMAT_WITH_SCORES) and header["sha256"]
            has_scores = header["format"] == FORMAT_WITH_SCORES
            more = (header["scores"], header["lines"]) if has_scores else ()
            scores, length = more or (None, 0)
            if rules.name != "connect4" or {type(each) for each in (plies, positions, *more)} != {
                int
            }:
                raise ValueError(header)
            if scores is not None and not (0 <= scores <= plies and 0 <= length <= LONGEST_LINES):
                raise ValueError(header)
            check_size(rules)
            if not 0 <= plies <= len(rules.initial().cells) or not 0 <= positions <= MOST_POSITIONS:
                raise ValueError(header)
        except DAMAGE:
            raise BookError(f"book {path}: it does not begin as a book of Connect Four") from None
        if not known or hashlib.sha256(payload).hexdigest() != known:
            raise BookError(f"book {path}: it is damaged or of another format (checksum differs)")
        try:
            data = decompress(payload, 9 * positions + length)
            words = (line.split() for line in data[9 * positions :].decode("ascii").splitlines())
            lines = {int(code, 16): line for code, line in words}
        except ValueError:
            raise BookError(
                f"book {path}: it does not hold the {positions} positions it promises"
            ) from None
        book = cls(rules, plies, {}, scores, lines)
        book._codes = np.cumsum(np.frombuffer(data, dtype="<u8", count=positions), dtype=np.uint64)
        book._values = np.frombuffer(data, np.int8, count=positions, offset=8 * positions)
        return book


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
