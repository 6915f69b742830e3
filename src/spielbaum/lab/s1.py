"""What the experiments of S1 have in common."""

from __future__ import annotations

GAME = "connect4"
BASE = "s1-base"
IMPROVED = "s1-improved"

METHOD = (
    "Success is measured as in section 4.1.4, with 200 games instead of 50, every 500,000 training "
    "games instead of 100,000.",
    "Most curves are lost; published figures are those of the prose.",
)
