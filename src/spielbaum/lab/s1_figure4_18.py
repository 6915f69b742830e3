"""S1's figures 4.18 and 4.19: states of tuples that can occur."""

from __future__ import annotations

from spielbaum.lab import s1
from spielbaum.lab.experiment import Count, Counts

EXPERIMENT = Counts(
    id="S1.figure4.18",
    title="States that can occur",
    source="S1, section 4.4.2 and A.2, figures 4.18 and 4.19",
    game=s1.GAME,
    question="What share of a table can ever be used?",
    unit="states that can occur in percent",
    cells=tuple(
        Count(
            row=f"{kind}, m = {contents}",
            column=str(length),
            kind=kind,
            length=length,
            contents=contents,
            published=8 if (kind, contents, length) == ("walk", 4, 8) else None,
        )
        for kind in ("walk", "points")
        for contents in (3, 4)
        for length in (2, 4, 6, 8, 10, 12, 16, 20)
    ),
    notes=(
        "The curves are lost; the text says less than 8 % for random walks of length 8 with m = 4, "
        "and for length 7 about 30 points more with m = 3 than with m = 4.",
    ),
)
