"""WTHOR: the database of Othello games of the French federation, ``.wtb``.

A header of 16 bytes: century, year, month and day of the file, the number of games (4 bytes), of
names (2), the year of the games (2), the board's size (0 or 8: eight), the kind of games, the depth
of the theoretical score, and a byte that is free. Then 68 bytes for each game: the numbers of
tournament, black and white (2 bytes each), the discs of black at the end, his theoretical score,
and 60 moves, 10 * row + column from 11 (a1) to 88 (h8), or 0 after the last. Passes are left out,
and empty cells count for the winner. All numbers have their lowest byte first.

Names are in files of their own. A game read from here has the numbers instead, as ``#12``; when a
game is written, such names give the numbers, and other names are numbered as they come.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterable, Iterator
from typing import IO

from spielbaum.base.errors import IllegalMove, NotationError, SpecError
from spielbaum.games.discs import Scribe, disc_rewards, discs
from spielbaum.games.game import Game, game
from spielbaum.games.records import Format, GameTree, whole
from spielbaum.games.state import State

HEADER = struct.Struct("<4BIHH4B")
RECORD = struct.Struct("<3H2B60s")
MOVES = 60
SIZE = 8
CELLS = SIZE * SIZE
MOST_NUMBER = 0xFFFF


def read(file: IO[bytes], rules: Game | None) -> Iterator[GameTree]:
    """Read games; `NotationError` if the sizes in the header do not fit the file."""
    data = whole(file)
    if len(data) < HEADER.size:
        raise NotationError(f"it has {len(data)} bytes; a WTHOR file has a header of {HEADER.size}")
    *_, count, _, year, size, _, _, _ = HEADER.unpack_from(data)
    if size not in (0, SIZE):
        raise NotationError(f"its header has the board size {size}; expected 8")
    expected = HEADER.size + count * RECORD.size
    if len(data) != expected:
        raise NotationError(
            f"its header has {count:,} games, which are {expected:,} bytes; it has {len(data):,}"
        )
    start = game("reversi").initial()
    for record in RECORD.iter_unpack(data[HEADER.size :]):
        yield _tree(start, year, *record)


def _tree(
    start: State, year: int, event: int, black: int, white: int, score: int, best: int, moves: bytes
) -> GameTree:
    tree = GameTree(start, [f"#{black}", f"#{white}"])
    tree.tags = {"Event": f"#{event}", "Date": f"{year}.??.??", "Theoretical": str(best)}
    scribe = Scribe(tree)
    try:
        for place in moves.rstrip(b"\0"):
            row, column = divmod(place, 10)
            if not (1 <= row <= SIZE and 1 <= column <= SIZE):
                raise IllegalMove(f"move {place}: expected a cell from 11 to 88")
            scribe.play(f"{'abcdefgh'[column - 1]}{row}")
    except IllegalMove as error:
        tree.errors.append(str(error))
    tree.rewards = disc_rewards(2 * score - CELLS) if score <= CELLS else None
    return tree


def write(trees: Iterable[GameTree]) -> Iterator[bytes]:
    """Write games of one file, whose year is that of the first."""
    players: dict[str, int] = {}
    events: dict[str, int] = {}
    records, year = [], 0
    for tree in trees:
        date = tree.tags.get("Date", "")[:4]
        year = year or (int(date) if date.isdecimal() and int(date) <= MOST_NUMBER else 0)
        records.append(_record(tree, events, players))
    now = time.gmtime()
    century, years = divmod(now.tm_year, 100)
    yield HEADER.pack(
        century, years, now.tm_mon, now.tm_mday, len(records), 0, year or now.tm_year, SIZE, 0, 0, 0
    )
    yield from records


def _record(tree: GameTree, events: dict[str, int], players: dict[str, int]) -> bytes:
    if str(tree.game) != "reversi" or tree.start != tree.game.initial():
        raise SpecError(
            f"format wthor holds games of reversi from its start position, not of {tree.game} from "
            f"{tree.start.notation!r:.80}"
        )
    moves = bytes(
        10 * (move // SIZE + 1) + move % SIZE + 1 for move in tree.moves() if move != CELLS
    )
    score = round(discs(tree) / 2) + CELLS // 2
    best = tree.tags.get("Theoretical", "")
    black, white = (tree.players or ["?", "?"])[:2]
    return RECORD.pack(
        _number(tree.tags.get("Event", "?"), events),
        _number(black, players),
        _number(white, players),
        score,
        int(best) if best.isdecimal() and int(best) <= CELLS else score,
        moves,
    )


def _number(name: str, known: dict[str, int]) -> int:
    """Number of a name: the one that it has, or the next."""
    if name[:1] == "#" and name[1:].isdecimal() and int(name[1:]) <= MOST_NUMBER:
        return int(name[1:])
    number = known.setdefault(name, len(known))
    if number > MOST_NUMBER:
        raise SpecError(f"format wthor has numbers for {MOST_NUMBER + 1:,} names, and no more")
    return number


FORMAT = Format("WTHOR: databases of Othello games", (".wtb",), read, write)
