"""Moves as single words, which is how protocols of lines write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spielbaum.base.errors import IllegalMove

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spielbaum.games.state import State

PASSES = ("pa", "pass")
_SIDE = re.compile(r"[bwxo] (?=.)")


def move_word(state: State, move: int) -> str:
    """The text of a move as one word: blanks become underscores.

    >>> import spielbaum as sb
    >>> move_word(sb.game("reversi").initial(), 19)
    'd3'
    """
    return "_".join(state.text(move).split(" "))


def vertex(state: State, move: int) -> str:
    """A move as GTP writes it: a vertex in capitals without the name of a side, or pass.

    Games name their own columns: those of Go skip the letter I, those of Hex do not.

    >>> import spielbaum as sb
    >>> vertex(sb.game("reversi").initial(), 19)
    'D3'
    """
    plain = _plain(state.text(move))
    return plain if plain == "pass" else plain.upper()


def find_move(state: State, word: str) -> int:
    """The legal move that a word of a protocol names, in whichever of the ways above.

    >>> import spielbaum as sb
    >>> find_move(sb.game("reversi").initial(), "D3")
    19
    """
    try:
        return state.parse(word)
    except IllegalMove:
        wanted = _plain(word)
        for move in state.legal_moves:
            if _plain(state.text(move)) == wanted:
                return move
        raise


def read_line(
    state: State, words: Iterable[str], read: Callable[[State, str], int] = find_move
) -> tuple[int, ...]:
    """The moves of a line as far as they can be played; ``read`` knows what a word means.

    >>> import spielbaum as sb
    >>> start = sb.game("chess").initial()
    >>> [len(read_line(start, line.split())) for line in ("e2e4 e7e5", "e2e4 e2e4", "xyz")]
    [2, 1, 0]
    """
    moves = []
    for word in words:
        try:
            move = read(state, word)
        except IllegalMove:
            break
        moves.append(move)
        state = state.play(move)
    return tuple(moves)


def the_pass(state: State) -> int | None:
    """The move by which a player passes, where it is legal.

    >>> import spielbaum as sb
    >>> the_pass(sb.game("reversi").initial()) is None
    True
    """
    return next((move for move in state.legal_moves if _plain(state.text(move)) == "pass"), None)


def _plain(text: str) -> str:
    """A move without capitals, underscores and the name of a side."""
    plain = _SIDE.sub("", text.lower().replace("_", " "), count=1)
    return "pass" if plain in PASSES else plain.replace(" ", "_")
