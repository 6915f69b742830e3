"""What the experiments of S1 have in common."""

from __future__ import annotations

from spielbaum.lab.experiment import Course

GAME = "connect4"
BASE = "s1-base"
IMPROVED = "s1-improved"
MAIN = 0.3
"""Training games of the main questions at the small scale, as a share of S1's 10 million."""
SMALL = 0.1
"""The same of the others."""

METHOD = (
    "Success is measured as in section 4.1.4, with 200 games instead of 50, every 500,000 training "
    "games instead of 100,000. The document does not say how its perfect player loses; this one "
    "resists as long as it can see ahead (`perfect-resisting`).",
    "Most curves are lost; published figures are those of the prose.",
)


def walks(
    number: int,
    length: int,
    *,
    row: str,
    column: str = "success",
    k: float = 1.0,
    depth: int = 0,
    published: float | None = None,
) -> Course:
    """A cell about random walks in the base configuration, drawn anew in every run.

    >>> walks(120, 8, k=0.58, row="120 tuples").tuples
    ('walk', 120, 8)
    """
    return Course(
        row=row,
        column=column,
        config=BASE,
        changes=(("network.fresh", True), ("network.k", k)),
        tuples=("walk", number, length),
        depth=depth,
        published=published,
    )
