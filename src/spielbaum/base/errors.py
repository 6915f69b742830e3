"""What Spielbaum raises at a user's mistake: each message is one sentence that names the value.

All of them are `ValueError`, so that one ``except`` clause is enough; only `EngineError` is not,
for it tells of a program that failed.
"""

from __future__ import annotations

from spielbaum._core import IllegalMove, NotationError

# They are defined in the core, whichever core that is; people know them by their public names.
IllegalMove.__module__ = NotationError.__module__ = __name__
IllegalMove.__doc__ = """A move that cannot be played in the position at hand.

>>> import spielbaum as sb
>>> try:
...     sb.game("tictactoe").state("b2").play("b2")
... except sb.IllegalMove as error:
...     print(error)
move 'b2' is not legal here; legal moves: a1 b1 c1 a2 c2 a3 b3 c3
"""
NotationError.__doc__ = """A position or game text that cannot be read.

>>> import spielbaum as sb
>>> try:
...     sb.game("chess").state("no FEN")
... except sb.NotationError as error:
...     print(error)
FEN 'no FEN' has 2 fields; expected six (or the first four of them)
"""

__all__ = [
    "MISTAKES",
    "BookError",
    "EngineError",
    "IllegalMove",
    "ModelError",
    "NotationError",
    "SpecError",
    "StoreError",
    "WorkerError",
]


class SpecError(ValueError):
    """A game or agent spec that does not exist, cannot be read, or has a bad option.

    >>> import spielbaum as sb
    >>> try:
    ...     sb.game("connect4:rows=99")
    ... except sb.SpecError as error:
    ...     print(error)
    game connect4: option rows=99: expected a whole number from 2 to 16
    """


class BookError(ValueError):
    """A book that cannot be read or made, is damaged, or belongs to another game.

    >>> import spielbaum as sb
    >>> try:
    ...     sb.agent("perfect:book=/nowhere/a.book")
    ... except BookError as error:
    ...     print(error)
    book /nowhere/a.book: No such file or directory
    """


class ModelError(ValueError):
    """A trained agent that cannot be read, is damaged, or belongs to another game.

    >>> import spielbaum as sb
    >>> try:
    ...     sb.agent("ntuple:/nowhere/a.npz")
    ... except ModelError as error:
    ...     print(error)
    model /nowhere/a.npz: No such file or directory
    """


class EngineError(RuntimeError):
    """An outside engine that cannot be started, ended, hung, or answered what makes no sense.

    >>> import spielbaum as sb
    >>> try:
    ...     sb.agent("uci:path=/bin/true").choose(sb.game("chess").initial())
    ... except sb.EngineError as error:
    ...     print(error)
    engine /bin/true ended before it said uciok; is it a UCI engine?
    """


class StoreError(RuntimeError):
    """A file of games or the folder of a training that cannot be read, or is damaged.

    >>> from pathlib import Path
    >>> from spielbaum.arena.store import Store
    >>> try:
    ...     Store(Path("/nowhere/games.db"))
    ... except StoreError as error:
    ...     print(error)
    store /nowhere/games.db: unable to open database file
    """

    errno: int | None = None
    """The system's error number if the disk is full or cannot be written, such as ENOSPC."""


class WorkerError(RuntimeError):
    """Processes that play games cannot be started."""


MISTAKES = (
    BookError,
    EngineError,
    IllegalMove,
    ModelError,
    NotationError,
    SpecError,
    StoreError,
    WorkerError,
)
"""What a person is told in one line, without a traceback."""


def check_encodable(text: str, what: str, error: type[ValueError]) -> None:
    r"""Refuse half a surrogate pair: a ``str`` may hold one, but it is no character.

    >>> check_encodable("\ud800", "move", IllegalMove)
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.IllegalMove: move '\ud800' has a character that cannot be encoded
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} {text!r} must be a text, not {type(text).__name__}")
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise error(f"{what} {text[:40]!a} has a character that cannot be encoded") from None
