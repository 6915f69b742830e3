"""Opening books: values of early positions that would take long to solve."""

from spielbaum.books.build import build_book
from spielbaum.books.connect4 import BookError, Connect4Book

__all__ = ["BookError", "Connect4Book", "build_book"]
