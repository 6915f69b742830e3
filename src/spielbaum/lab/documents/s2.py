"""What the experiments of S2 have in common.

Games are scored by wins alone: a draw counts for nobody (section 3.3.4). Either side begins half of
the games of a pairing (section 3.2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from spielbaum.lab.experiment import Pairing, Scale
from spielbaum.lab.table import entries
from spielbaum.play.limits import Limits

GAME = "yavalath"

TUNING_GAMES = 60
"""Games of each pairing in section 3.2."""

FINAL_GAMES = 50
"""Games of each pairing in section 3.3; see `FINAL_NOTE`."""

HUNDREDTH = 0.01
"""Our alpha-beta needs about a hundredth of the times of table 3.1, so a hundredth of the thinking
time is the document's effort, or more."""

_AB = "alphabeta:iterative={},tt={},cutoffs=off,ordering=off,windows=off,eval=patterns"

ALPHA_BETA: Mapping[str, str] = {
    "AB": _AB.format("off", "off"),
    "AB-TT": _AB.format("off", "on"),
    "AB-Iter": _AB.format("on", "off"),
    "AB*": _AB.format("on", "on"),
}
"""The four variants of section 3.1."""

FINAL: Mapping[str, str] = {
    "AB*": ALPHA_BETA["AB*"],
    "MCTS": "mcts-gdk:c=0.7",
    "MCTS-AB": "mcts-ab:c=0.7,k=4",
    "MCTS-PNS": "mcts-pn:c=0.7,cpn=1",
}
"""The agents of section 3.3, by the names in its tables."""

TREE_SEARCHES = ("MCTS", "MCTS-AB", "MCTS-PNS")

TEN_SECONDS = Limits(seconds=10)
FIVE_SECONDS = Limits(seconds=5)
ONE_SECOND = Limits(seconds=1)

METHOD = (
    "Thinking times are those of a program in Python on a Ryzen 5 5600X, in which our searches "
    "look much further; scale 'small' has a hundredth of them.",
    "Trees are not kept between moves and the best mean is played, as algorithm 6 has it.",
    "By algorithms 1, 4 and 5 a drawn playout is worth 0.5 to one side and -0.5 to the other; here "
    "it is worth 0. Algorithm 1 also looks at one direction after the other, so that a move that "
    "makes three in one and four in a later one loses; here, and by the rules, it wins.",
)

BOTH_SIDES = (
    "The cells (a, b) and (b, a) are the same games, and what they lack to 100 % are draws."
)

FINAL_NOTE = (
    "Section 3.3 gives no number of games. All rates are even, so that a pairing has 50 games, and "
    "the draws that follow are exactly those of table 3.6. That either side begins half of them is "
    "taken from section 3.2."
)

AGENTS_NOTE = (
    "The k of MCTS-AB is not given: 4 is ours. The pictures of the patterns of table 2.1 are lost, "
    "and eval=patterns is our reading of the text. MCTS-PN and MCTS-PNS are one agent, which plays "
    "the most visited move: by the best mean it would lose nearly all games. Whether "
    "AB* keeps its table between moves is not said; here it does."
)


def small(games: int) -> Scale:
    """The small scale: all the games, in a hundredth of the time.

    >>> small(60)
    Scale(games=60, time=0.01)
    """
    return Scale(games, time=HUNDREDTH)


def c_sweep(published: str, preset: str, limits: Limits) -> tuple[Pairing, ...]:
    """A table of one agent against itself with different constants of exploration.

    >>> cells = c_sweep('''
    ...          0.5   √2
    ...     0.5   -    50
    ...     √2    ?     -
    ... ''', "uct", Limits(seconds=1))
    >>> [(cell.row, cell.agent, cell.published) for cell in cells]
    [('c = 0.5', 'uct:c=0.5', 50.0), ('c = √2', 'uct:c=1.4142135623730951', None)]
    """
    return tuple(
        Pairing(
            row=f"c = {row}",
            column=f"c = {column}",
            published=percent,
            agent=c_agent(preset, row),
            opponent=c_agent(preset, column),
            limits=limits,
        )
        for row, column, percent in entries(published)
    )


def c_agent(preset: str, c: str) -> str:
    """An agent with a constant of exploration as the tables write it.

    >>> c_agent("mcts-gdk", "0.3")
    'mcts-gdk:c=0.3'
    """
    return f"{preset}:c={math.sqrt(2) if c == '√2' else c}"


def round_robin(published: str, limits: Limits) -> tuple[Pairing, ...]:
    """A table of the agents of section 3.3 against each other.

    >>> cells = round_robin('''
    ...            AB*  MCTS
    ...     AB*     -    76
    ...     MCTS   24     -
    ... ''', Limits(seconds=10))
    >>> cells[1].agent, cells[1].published
    ('mcts-gdk:c=0.7', 24.0)
    """
    return tuple(
        Pairing(
            row=row,
            column=column,
            published=percent,
            agent=FINAL[row],
            opponent=FINAL[column],
            limits=limits,
        )
        for row, column, percent in entries(published)
    )
