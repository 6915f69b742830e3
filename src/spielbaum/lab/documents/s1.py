"""The experiments of S1: n-tuple networks that learn tic-tac-toe and Connect Four by self-play."""

from __future__ import annotations

from functools import partial
from typing import Any

from spielbaum.lab.experiment import Experiment
from spielbaum.lab.kinds.counts import Count, Counts
from spielbaum.lab.kinds.trainings import Course, Trainings

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

_main = partial(Trainings, game=GAME, small_runs=2, small_games=MAIN)
_side = partial(Trainings, game=GAME, small_runs=2, small_games=SMALL)
_base = partial(Course, config=BASE)

_THREE = ("network.contents", 3)
_ONE_TABLE = ("network.table_per_player", False)
_NO_SYMMETRY = ("network.symmetries", False)
_ONE_TABLE_OF_THREE = _base(row="one table, m = 3", published=25, changes=(_ONE_TABLE, _THREE))

_SECONDS = {
    0: (50, 48, 41),
    2: (46, 44, 42),
    4: (41, 44, 39),
    6: (42, 37, 38),
    8: (44, 38, 39),
}
"""Table 4.2: seconds of 50 games by depth, for tuples of 7, 8 and 9 cells."""

_VISITS = (
    (8, 15, 19, 21, 19, 15, 8),
    (14, 25, 32, 35, 32, 25, 15),
    (17, 30, 39, 43, 39, 30, 17),
    (17, 30, 39, 43, 39, 30, 17),
    (15, 25, 32, 36, 32, 25, 15),
    (8, 15, 19, 21, 19, 15, 8),
)
"""Figure 4.21: visits of cells by row from the bottom, in per mille."""

_LONGEST_SLIDE = 12
"""Longer walks that never meet themselves are drawn too rarely."""


def _walks(number: int, length: int, *, row: str, k: float = 1.0, **other: Any) -> Course:
    """Make a cell about random walks in the base configuration, drawn anew in every run.

    >>> _walks(120, 8, k=0.58, row="120 tuples").tuples
    ('walk', 120, 8)
    """
    changes = (("network.fresh", True), ("network.k", k))
    return _base(row=row, changes=changes, tuples=("walk", number, length), **other)


def _numbers_of_walks(*numbers: tuple[int, float]) -> tuple[Course, ...]:
    """Make the cells of numbers of tuples, each with its factor k."""
    return tuple(_walks(number, 8, k=k, row=f"{number} tuples, k = {k}") for number, k in numbers)


# In the order of the document.
EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Trainings(
        id="S1.figure4.5",
        title="Tic-tac-toe",
        source="S1, section 4.2.1, figures 4.5 and 4.7",
        game="tictactoe",
        question="After how many games is tic-tac-toe played perfectly?",
        small_runs=10,
        cells=tuple(
            Course(row=row, config=config, opponent="perfect", published=50, at=games)
            for row, config, games in (
                ("one 9-tuple after 2,500 games", "tictactoe-9", 2_500),
                ("four 3-tuples after 4,000 games", "tictactoe-3", 4_000),
            )
        ),
        notes=(
            "A draw, 50 %, is the best result; the document counts it as 0 and a loss as -1.",
            "Step sizes and rates of the figures are lost, and the cells of figure 4.6: those of "
            "our configurations are used.",
        ),
    ),
    Trainings(
        id="S1.figure4.9",
        title="Openings",
        source="S1, section 4.2.2, figures 4.8 and 4.9",
        game=GAME,
        question="Can openings be learnt, if games end early with the solver's value?",
        small_runs=1,
        cells=tuple(
            Course(row=f"{stones} stones", config=f"s1-opening-{stones}", paper_only=stones >= 10)
            for stones in (6, 8, 10, 12)
        ),
        notes=(
            "Curves and parameters are lost; figure 4.8 needed 400,000 games, figure 4.9 fewer.",
            "Values of positions with more than eight stones are solved when they come up, which "
            "takes hours for 10 and 12 stones: these are for the scale `paper`.",
        ),
    ),
    _main(
        id="S1.figure4.10",
        title="One table for each tuple",
        source="S1, section 4.3, figure 4.10",
        question="How far does a network get that does not know whose turn it is?",
        cells=(_ONE_TABLE_OF_THREE,),
        notes=(
            *METHOD,
            "The text says 20 to 30 % after 6 million games; the middle is taken.",
        ),
    ),
    _main(
        id="S1.figure4.12",
        title="A table for each player",
        source="S1, section 4.3.2, figure 4.12",
        question="What do two tables for each tuple gain?",
        cells=(
            _ONE_TABLE_OF_THREE,
            _base(row="two tables, m = 3", published=80, changes=(_THREE,)),
        ),
        notes=(*METHOD, "The text says more than 80 %."),
    ),
    _main(
        id="S1.figure4.14",
        title="Empty cells that can be reached",
        source="S1, section 4.4.1, figure 4.14",
        question="What does a content for cells gain that a stone can reach?",
        cells=(
            _base(row="m = 3", published=81, changes=(_THREE,)),
            _base(row="m = 4", published=91),
        ),
        notes=METHOD,
    ),
    _side(
        id="S1.figure4.15",
        title="Four contents and one table",
        source="S1, section 4.4.1, figure 4.15",
        question="Do four contents help a network with one table?",
        cells=(_ONE_TABLE_OF_THREE, _base(row="one table, m = 4", changes=(_ONE_TABLE,))),
        notes=(*METHOD, "The text: no remarkable improvement."),
    ),
    Counts(
        id="S1.figure4.18",
        title="States that can occur",
        source="S1, section 4.4.2 and A.2, figures 4.18 and 4.19",
        game=GAME,
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
            "The curves are lost; the text says less than 8 % for random walks of length 8 with "
            "m = 4, and for length 7 about 30 points more with m = 3 than with m = 4.",
            "Walks of the kind slide (along the border, discarded when they meet themselves), "
            "which fit figure 4.21, do not fit this figure: more than 8 % of their states can "
            "occur.",
        ),
    ),
    _side(
        id="S1.figure4.20",
        title="Random walks and random points",
        source="S1, section 4.5.1, figure 4.20",
        question="Do scattered cells do as well as connected ones?",
        cells=(
            _walks(70, 8, row="70 random walks"),
            _base(
                row="100 times random points",
                changes=(("network.fresh", True),),
                tuples=("points", 100, 8),
            ),
        ),
        notes=(
            *METHOD,
            "The text: random points gave no satisfying results. Other tuples in every run.",
        ),
    ),
    Counts(
        id="S1.figure4.21",
        title="Cells that random walks visit",
        source="S1, section 4.5.1, figure 4.21",
        game=GAME,
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
            for row, numbers in enumerate(_VISITS)
            for column, published in enumerate(numbers)
        ),
        notes=(
            "The walks of this table take steps in any of the eight directions, slide along the "
            "border where a step would leave the board, and are discarded as a whole when they "
            "meet themselves (`kind = 'slide'`). The text says nothing of this, but the figure "
            "fits it.",
            "Walks as the text describes them (`kind = 'walk'`: any neighbour of the last cell, "
            "cells count once) visit the middle less often than the figure says, and corners more "
            "often: they differ by 4 per mille on average and by 13 at most. Figure 4.18 fits "
            "them, and not those of this table.",
        ),
    ),
    _side(
        id="S1.figure4.22",
        title="Too many tuples",
        source="S1, section 4.5.2, figures 4.22 and 4.23",
        question="Why do 120 tuples do worse than 70, and does a factor k help?",
        cells=_numbers_of_walks((70, 1.0), (120, 1.0), (120, 0.58)),
        notes=(*METHOD, "The text: 120 do worse than 70 without k, and better with it."),
    ),
    _side(
        id="S1.figure4.24",
        title="The number of tuples",
        source="S1, section 4.5.2, figure 4.24",
        question="How does success grow with the number of tuples?",
        since=0.7,
        cells=_numbers_of_walks(
            (10, 7.0), (30, 2.33), (50, 1.4), (70, 1.0), (90, 0.78), (120, 0.58)
        ),
        notes=(
            *METHOD,
            "The values of the curve and the numbers on its axis are lost; these are ours.",
        ),
    ),
    _side(
        id="S1.figure4.25",
        title="Single runs",
        source="S1, section 4.5.3, figures 4.25 and 4.26",
        question="How different are the runs of one configuration?",
        cells=(_base(row="same tuples", published=91), _walks(70, 8, row="other tuples")),
        notes=(
            *METHOD,
            "The intervals show the spread; S1 saw one set of tuples that often failed.",
        ),
    ),
    Trainings(
        id="S1.figure4.27",
        title="Better parameters",
        source="S1, section 4.6.1, figure 4.27",
        game=GAME,
        question="How fast does the improved configuration learn?",
        cells=tuple(
            Course(
                row=row,
                column=f"{millions} million games",
                config=config,
                published=published,
                at=millions * 1_000_000,
            )
            for row, config, millions, published in (
                ("base", BASE, 2, None),
                ("base", BASE, 4, 80),
                ("improved", IMPROVED, 2, 80),
                ("improved", IMPROVED, 4, None),
            )
        ),
        notes=METHOD,
    ),
    _main(
        id="S1.figure4.28",
        title="Without symmetry",
        source="S1, section 4.6.2, figure 4.28",
        question="What is lost without the symmetry of the board?",
        cells=(
            _base(row="with symmetry", published=91),
            _base(row="without", published=70, changes=(_NO_SYMMETRY,)),
            _base(row="without, k = 2", changes=(_NO_SYMMETRY, ("network.k", 2.0))),
        ),
        notes=(*METHOD, "The text: k = 2 does not help."),
    ),
    _side(
        id="S1.figure4.29",
        title="Looking ahead in training",
        source="S1, section 4.6.3, figure 4.29",
        question="Does it help to look a ply further during training?",
        cells=(
            Course(row="depth 0", config=IMPROVED),
            Course(row="depth 1", config=IMPROVED, changes=(("learning.look_ahead", 1),)),
        ),
        notes=(*METHOD, "The text: about one percent more."),
    ),
    _side(
        id="S1.figure4.30",
        title="A network in alpha-beta",
        source="S1, section 4.6.3, figure 4.30",
        question="What does alpha-beta gain with a network at its leaves?",
        cells=tuple(
            _walks(
                70,
                length,
                row=f"70x {length}-tuples",
                column=f"depth {depth}",
                depth=depth,
                published={(7, 0): 72, (7, 6): 92, (9, 8): 99}.get((length, depth)),
            )
            for length in (7, 8, 9)
            for depth in (0, 2, 4, 6, 8)
        ),
        notes=(
            *METHOD,
            "Depths go up to 18 in the document, where a game takes minutes (table 4.2). Its books "
            "are off; here the network's player has none.",
        ),
    ),
    _side(
        id="S1.table4.2",
        title="Time of games with a network in alpha-beta",
        source="S1, section 4.6.3, table 4.2",
        question="How does the time of 50 games against the perfect player grow with the depth?",
        measure="seconds",
        cells=tuple(
            _walks(
                70,
                length,
                row=f"depth {depth}",
                column=f"70x {length}-tuples",
                depth=depth,
                published=seconds,
            )
            for depth, row in _SECONDS.items()
            for length, seconds in zip((7, 8, 9), row, strict=True)
        ),
        notes=(
            "Most of the document's time is that of its perfect player without books. Here solved "
            "positions come from a cache, so that the times are hardly comparable.",
            "Depths go up to 18 in the document: 895 to 1,267 seconds.",
        ),
    ),
    _main(
        id="S1.second",
        title="Play as the second player",
        source="S1, section 4.6.5",
        question="How well does a network play against another program, and as the second player?",
        cells=(
            _base(row="perfect", column="first", published=92),
            _base(row="perfect", column="second", seat=1),
            _base(row="uct", column="first", opponent="uct"),
            _base(row="uct", column="second", opponent="uct", seat=1, published=40),
        ),
        notes=(
            "The document played 20 games by hand on either side against the program Mustrum, "
            "which is perfect but made mistakes as the first player, probably by its book. Against "
            "a perfect first player the second has no chance; `uct` with 10,000 iterations for "
            "each move, which makes mistakes, too, takes Mustrum's place there.",
        ),
    ),
)
