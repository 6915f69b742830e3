"""Opening books: values of early positions that would take long to solve."""

from spielbaum.base.errors import BookError
from spielbaum.solvers.book.build import build_book
from spielbaum.solvers.book.connect4 import Connect4Book
from spielbaum.solvers.book.library import read_book, shipped_book

__all__ = ["BookError", "Connect4Book", "build_book", "read_book", "shipped_book"]
