"""Positions of Yavalath that stand in for those of S2's figure 3.11, which are lost.

The document has ten, the first of which is the empty board, with ever more stones; the pictures of
the others did not survive.
"""

from __future__ import annotations

TEN = (
    "",
    "e4 e1",
    "c6 h2 c3 a3",
    "g7 i4 d6 e4 g6 d2",
    "h6 a5 a3 f6 g7 c6 c1 c4",
    "e8 d2 c3 a1 d6 d8 b2 h1 a2 i3",
    "i2 b4 g5 a4 c4 h6 c5 a3 h4 d5 e1 c1",
    "d8 f3 i2 a4 c3 d4 g1 c6 e5 f6 g6 e7 c1 e3",
    "f8 c6 h2 b6 a1 e9 e6 a5 d7 e2 c4 f7 b2 i2 h3 a2",
    "a4 c4 f8 b5 e9 g6 b6 c7 d7 g1 f2 e2 a1 e1 h1 g7 i5 a3",
)
"""For table 3.1: the empty board, and random positions of 2, 4, ..., 18 stones that are not decided
within six plies and without a threat to the side to move; made by ``python
benchmarks/compare_alphabeta.py --draw``."""

BALANCED = "a2 i1 d8 e5 e1 d3"
"""For table 3.5, which begins in the fourth position, where a player of Browne's finds a move with
a chance of about 50 %. This random one of six stones was chosen for being as even: the first player
won 49 of 100 games of ``mcts-gdk:c=0.7`` with 3,000 iterations against itself, and alpha-beta with
``eval=threats`` sees no advantage at depth 8."""
