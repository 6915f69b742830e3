"""Which positions of Connect Four have an immediate win, found by plain counting on all lines."""

import numpy as np

ROWS, COLUMNS = 6, 7


def lines():
    """The cells of the 69 lines of four; cell = row * 7 + column, row 0 at the bottom."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + up * i, column + right * i) for i in range(4)]
                if all(0 <= r < ROWS and 0 <= c < COLUMNS for r, c in cells):
                    yield [r * COLUMNS + c for r, c in cells]


def have_immediate_win(cells):
    """For each row of ``cells``: could either player, on his turn, complete four?"""
    cells = np.asarray(cells)
    empty = cells == 0
    landing = empty.copy()
    landing[:, COLUMNS:] &= ~empty[:, :-COLUMNS]  # a stone falls on what lies below
    result = np.zeros(len(cells), dtype=bool)
    for line in lines():
        for player in (1, 2):
            three = (cells[:, line] == player).sum(axis=1) == 3
            result |= three & landing[:, line].any(axis=1)
    return result
