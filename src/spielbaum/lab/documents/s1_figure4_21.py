"""S1's figure 4.21: how often random walks visit the cells."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Count, Counts

_PUBLISHED = (
    (8, 15, 19, 21, 19, 15, 8),
    (14, 25, 32, 35, 32, 25, 15),
    (17, 30, 39, 43, 39, 30, 17),
    (17, 30, 39, 43, 39, 30, 17),
    (15, 25, 32, 36, 32, 25, 15),
    (8, 15, 19, 21, 19, 15, 8),
)
"""By row from the bottom, in per mille."""

EXPERIMENT = Counts(
    id="S1.figure4.21",
    title="Cells that random walks visit",
    source="S1, section 4.5.1, figure 4.21",
    game=s1.GAME,
    question="Do random walks visit central cells more often?",
    unit="visits in per mille",
    draws=2_000,
    cells=tuple(
        Count(
            row=f"row {row + 1}",
            column="abcdefg"[column],
            kind="slide",
            length=8,
            cell=7 * row + column,
            published=published,
        )
        for row, numbers in enumerate(_PUBLISHED)
        for column, published in enumerate(numbers)
    ),
    notes=(
        "The walks of this table take steps in any of the eight directions, slide along the border "
        "where a step would leave the board, and are discarded as a whole when they meet "
        "themselves (`kind = 'slide'`). The text says nothing of this, but the figure fits it.",
        "Walks as the text describes them (`kind = 'walk'`: any neighbour of the last cell, cells "
        "count once) visit the middle less often than the figure says, and corners more often: "
        "they differ by 4 per mille on average and by 13 at most. Figure 4.18 fits them, and not "
        "those of this table.",
    ),
)
