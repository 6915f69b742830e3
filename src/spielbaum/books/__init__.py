"""Opening books: values of early positions that would take long to solve."""

from spielbaum.books.build import build_book
from spielbaum.books.connect4 import Connect4Book
from spielbaum.books.library import read_book, shipped_book
from spielbaum.errors import BookError

__all__ = ["BookError", "Connect4Book", "build_book", "read_book", "shipped_book"]
