"""The books at hand: the one that comes with the package, and files of the user."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from spielbaum.base.errors import BookError
from spielbaum.solvers.book.connect4 import Connect4Book

if TYPE_CHECKING:
    from spielbaum.games import Game

SHIPPED = Path(__file__).parent / "data" / "connect4-7x6.book"


def read_book(path: Path) -> Connect4Book:
    """A book from a file, read once in a process; `BookError` if it is no whole book.

    >>> read_book(Path("/nowhere/a.book"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.BookError: book /nowhere/a.book: No such file or directory
    """
    try:
        path = path.expanduser()
        facts = path.stat()
    except (OSError, RuntimeError, ValueError) as error:
        raise BookError(f"book {path}: {getattr(error, 'strerror', None) or error}") from None
    return _read(path, facts.st_mtime_ns, facts.st_size)


def shipped_book(game: Game) -> Connect4Book | None:
    """The book of a game that the package brings along; None if there is none.

    >>> import spielbaum as sb
    >>> shipped_book(sb.game("chess")) is None
    True
    """
    if str(game) != "connect4" or not SHIPPED.exists():
        return None
    return read_book(SHIPPED)


@lru_cache(maxsize=8)
def _read(path: Path, changed: int, size: int) -> Connect4Book:
    """Time and size are only there to notice that a file has changed."""
    return Connect4Book.load(path)
