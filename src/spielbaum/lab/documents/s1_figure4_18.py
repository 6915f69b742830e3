"""S1's figures 4.18 and 4.19: states of tuples that can occur."""

from __future__ import annotations

from spielbaum.lab.documents import s1
from spielbaum.lab.experiment import Count, Counts

_LONGEST_SLIDE = 12
"""Longer walks that never meet themselves are drawn too rarely."""

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
            published=8 if kind != "points" and (contents, length) == (4, 8) else None,
        )
        for kind in ("walk", "slide", "points")
        for contents in (3, 4)
        for length in (2, 4, 6, 8, 10, 12, 16, 20)
        if kind != "slide" or length <= _LONGEST_SLIDE
    ),
    notes=(
        "The curves are lost; the text says less than 8 % for random walks of length 8 with m = 4, "
        "and for length 7 about 30 points more with m = 3 than with m = 4.",
        "Walks of the kind slide (along the border, discarded when they meet themselves), which "
        "fit figure 4.21, do not fit this figure: more than 8 % of their states can occur.",
    ),
)
