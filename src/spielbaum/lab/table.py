"""Tables of documents as text, so that they can be compared with the print by eye."""

from __future__ import annotations

from collections.abc import Iterator

MISSING = "?"
NO_CELL = "-"


def entries(text: str) -> Iterator[tuple[str, str, float | None]]:
    """Row, column and figure of every cell of a table, row by row.

    The first line names the columns; ``?`` is a figure that is missing, ``-`` a place without one.

    >>> list(entries('''
    ...          0.3   0.5
    ...     0.3   -   61.7
    ...     0.5   ?     -
    ... '''))
    [('0.3', '0.5', 61.7), ('0.5', '0.3', None)]
    """
    header, *lines = (line.split() for line in text.splitlines() if line.strip())
    for row, *figures in lines:
        for column, figure in zip(header, figures, strict=True):
            if figure != NO_CELL:
                yield row, column, None if figure == MISSING else float(figure)
