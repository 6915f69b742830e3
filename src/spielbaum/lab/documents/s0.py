"""The experiments of S0: Monte-Carlo tree search in Connect Four, its improvements and networks.

Its method is in section 6.1: 1,000 iterations for each move, unless something else is said, colours
that alternate, at least 500 games, trees that are not kept between moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Literal

from spielbaum.base.options import OptionValue
from spielbaum.lab.experiment import Experiment
from spielbaum.lab.kinds.deviations import Deviation, Deviations
from spielbaum.lab.kinds.matches import Matches, Pairing, Scale, pairings
from spielbaum.lab.kinds.speeds import Speed, Speeds
from spielbaum.lab.networks import Network
from spielbaum.lab.table import entries
from spielbaum.play.limits import Limits

GAME = "connect4"
GAMES = 500

PLAIN = "uct:c=0.8"
"""The agent without improvements that all others meet, from section 6.2 on."""

THOUSAND = Limits(iterations=1000)

# With their parameters, though they are the defaults of the presets: what the document played does
# not change with our defaults. Those of RAVE-LGR are not.
BEST: Mapping[str, str] = {
    "UCT1": "uct1:c=0.8,symmetry=on",
    "UCT2": "uct2:c=1,symmetry=on",
    "UCT3": "uct3:c=1.2,symmetry=off",
    "alpha-AMAF": "amaf:alpha=0.5,c=0.4",
    "RAVE": "rave:rave_k=100,c=0.2",
    "LGR": "lgr:c=1,forget=off,keep=on",
    "AMAF-LGR": "amaf-lgr:alpha=0.5,c=0.4,forget=off,keep=on",
    "RAVE-LGR": "rave-lgr:rave_k=50,c=0.2,forget=off,keep=on",
}
"""Each kind of agent with the parameters that scored most in its table."""

# Iterations per second, in sections 6.2 to 6.6 and, with networks, in table 11.
PLAIN_SPEED = 7000
SPEED: Mapping[str, int] = {
    "UCT1": 5952,
    "UCT2": 5952,
    "UCT3": 4866,
    "alpha-AMAF": 5665,
    "RAVE": 5665,
    "LGR": 4579,
    "AMAF-LGR": 3947,
    "RAVE-LGR": 3947,
}
NET_SPEED: Mapping[str, int] = {
    "DenseNet": 909,
    "ConvNet": 386,
    "LGR-DenseNet": 833,
    "LGR-ConvNet": 377,
    "RAVE-LGR-DenseNet": 772,
    "RAVE-LGR-ConvNet": 364,
}

METHOD = (
    "A draw counts half: section 6.1 writes that 'a loss' counts 50 %, but its example is about "
    "draws.",
    "No start position is named; it is taken to be the empty board.",
)
BEST_NOTE = (
    "The parameters are those with the highest figures of tables 4 to 9; the document says "
    "'optimised' without listing them. It has two candidates for UCT2 (Cp = 1.0 and 1.1, both "
    "52.1) and nearly so for UCT3 (50.9 with Cp = 1.2 without symmetry, 50.8 with Cp = 0.9 with "
    "it); the first of each is taken."
)
AMAF_METHOD = (
    "The final move is that of the selection rule without exploration, the best blended mean, as "
    "in the document's public program. The presets with AMAF values count moves of the tree, too; "
    "listings 16 to 18 count only moves of playouts. The variants show what each choice is worth."
)
AT_LEAST_500 = "The number of games is that of section 6.1, 'at least 500'."
BEST_LGR = "LGR is the best one of table 7: replies are kept, and not forgotten."
TRAINING_NOTES = (
    "The document prints neither the sizes of the networks that its search (AutoKeras, ten trials "
    "each) found nor the iterations of the agents whose games are learnt. Both are those of its "
    "public program: dense layers 42-32-128-32-1 (raw) and 42-512-1024-16-1 with dropout "
    "(normalised), four convolutions of 32 filters with two max-poolings, and 1,000 iterations "
    "with Cp = 1. What that leaves open is listed in the configurations.",
    "Results are seen by the side to move. Positions in which the game is over are learnt, too: "
    "with blend_ends=on, as in the document's program, a search asks for them. All images of a "
    "position are either learnt or kept for validation; in the document a mirror image may be in "
    "the other part.",
    "The small scale has 3,000 games, 60,000 positions and 20 epochs in place of 16,000, 400,000 "
    "and 100.",
)
BATCH_NOTE = (
    "Networks are asked for one position and its mirror image at a time (batch=1), as in the "
    "document."
)
LOST_CURVES = "The curves are lost; where they end is in table 1."

# ---- networks (sections 5.2 to 5.4) ----
_DENSE, _CONV = "s0-densenet", "s0-convnet"
_TRIAL: Mapping[str, OptionValue] = {"positions.most": 20_000}
_SMALL: Mapping[str, OptionValue] = {
    "games.number": 3000,
    "positions.most": 60_000,
    "training.epochs": 20,
}

# The last three are the short run of figure 18.
NETWORKS = tuple(
    Network(name, config, changes, _SMALL)
    for name, config, changes in (
        ("DenseNet-Norm", f"{_DENSE}-norm", {}),
        ("ConvNet-Norm", f"{_CONV}-norm", {}),
        ("DenseNet", _DENSE, {}),
        ("ConvNet", _CONV, {}),
        ("naive", _DENSE, {**_TRIAL, "network.encoding": "naive"}),
        ("regular", _DENSE, _TRIAL),
        ("planes", _CONV, _TRIAL),
    )
)


def _with_net(search: str, net: str, blend: str, batch: int = 1) -> str:
    """Return a search with a network at its leaves, averaged over the mirror (section 5.5).

    Leaves that are finished games are blended with the network, too, as in the public program.
    """
    return f"{search},eval=net:@{net},blend={blend},blend_ends=on,average=on,batch={batch}"


def _net_agent(kind: str, batch: int = 1) -> str:
    """Return an agent of tables 11 to 13; its search has the best parameters of tables 3 to 9.

    >>> _net_agent("LGR-ConvNet")
    'lgr:c=1,forget=off,keep=on,eval=net:@ConvNet-Norm,blend=0.5,blend_ends=on,average=on,batch=1'
    """
    search, _, net = kind.rpartition("-")
    return _with_net(BEST[search] if search else PLAIN, f"{net}-Norm", "0.5", batch)


# Table 12, and the lower half of table 13.
_WITH_NETS = """
                        1000  2000  3000  4000
    DenseNet            40.2  49.0  60.5  62.7
    ConvNet             17.0  39.0  44.3  53.8
    LGR-DenseNet        45.2  63.5  70.8  77.5
    LGR-ConvNet         23.5  53.5  62.2  63.7
    RAVE-LGR-DenseNet   65.5  76.4  77.9  84.9
    RAVE-LGR-ConvNet    38.8  63.6  76.5  78.2
"""

# The upper half of table 13.
_WITHOUT_NETS = """
                1000  2000  3000  4000
    UCT1        47.9  47.7  50.5  46.8
    UCT2        47.5  44.9  44.9  45.0
    UCT3        43.7  39.8  42.4  40.9
    alpha-AMAF  59.2  60.3  60.8  55.1
    RAVE        61.7  57.6  59.9  60.2
    LGR         68.9  73.9  76.9  79.6
    AMAF-LGR    76.2  77.7  78.2  82.8
    RAVE-LGR    76.0  82.7  83.4  81.4
"""

# ---- cells ----
_ERRORS: tuple[Literal["mse", "mae"], ...] = ("mse", "mae")


def _errors(
    row: str, network: str, mse: float | None = None, mae: float | None = None
) -> Iterator[Deviation]:
    """Yield the cells of both errors of a network."""
    for name, published in zip(_ERRORS, (mse, mae), strict=True):
        column = name.upper()
        yield Deviation(row=row, column=column, published=published, network=network, measure=name)


def _all_errors(row: str, network: str, mse: float, mae: float) -> Iterator[Deviation]:
    """Yield the cells of table 1: errors as printed, and those of values in [-1, 1]."""
    yield from _errors(row, network, mse, mae)
    target = 0.5 if network.endswith("-Norm") else 1.0  # its range, in units of a raw one
    for cell in _errors(row, network, round(mse / target**2, 3), round(mae / target, 3)):
        yield replace(cell, column=f"{cell.column} in [-1, 1]", one_scale=True)


def _at_document_speed(kind: str, iterations: str, percent: float | None) -> Pairing:
    """Make a cell of table 12, with the iterations that the agent had on the document's machine."""
    share = NET_SPEED[kind] / PLAIN_SPEED
    return Pairing(
        row=kind,
        column=iterations,
        published=percent,
        agent=_net_agent(kind),
        opponent=PLAIN,
        limits=Limits(iterations=round(int(iterations) * share)),
        opponent_limits=Limits(iterations=int(iterations)),
    )


def _at_equal_time(published: str, agents: Mapping[str, str], row: str = "{}") -> Iterator[Pairing]:
    """Yield cells of table 13, for the given agents of a half of it."""
    speed = {**SPEED, **NET_SPEED, "LGR": 4578}
    for kind, iterations, percent in entries(published):
        if kind in agents:
            yield Pairing(
                row=row.format(kind),
                column=iterations,
                published=percent,
                agent=f"{agents[kind]},reuse=on",
                opponent=f"{PLAIN},reuse=on",
                relative=int(iterations),
                published_share=speed[kind] / PLAIN_SPEED,
            )


_LARGE_BATCH = 8
"""Positions that networks are asked for at a time: at equal time, more than one pays."""

# What listings 16 to 18 do, and what else a final move could be.
_AS_LISTED = {
    "only moves of playouts": "tree_moves=off",
    "most visits": "final=visits",
    "best mean": "final=value",
    "only moves of playouts, best mean": "tree_moves=off,final=value",
}


def _speed(row: str, published: int | None, agent: str) -> Speed:
    return Speed(row=row, column="iterations per second", published=published, agent=agent)


_against_plain = partial(pairings, opponent=PLAIN, limits=THOUSAND)
_matches = partial(Matches, game=GAME, scoring="half", games=GAMES)
_speeds = partial(Speeds, game=GAME, baseline="MCTS")

# How the rows of tables 5, 6, 8 and 9 are named, and their agents.
_AMAF_AGENTS = {
    "alpha-AMAF": ("alpha = {}", "amaf:alpha={row},c={column}"),
    "RAVE": ("k = {}", "rave:rave_k={row},c={column}"),
    "AMAF-LGR": ("alpha = {}", "amaf-lgr:alpha={row},c={column},forget=off,keep=on"),
    "RAVE-LGR": ("k = {}", "rave-lgr:rave_k={row},c={column},forget=off,keep=on"),
}


def _amaf_matches(
    kind: str, published: str, *, notes: tuple[str, ...] = (), **words: Any
) -> Matches:
    """Make a table of agents with AMAF values, and variants of its best cell.

    The variants follow the document's listings; ``words`` are id, source and question.
    """
    row, agent = _AMAF_AGENTS[kind]
    cells = _against_plain(published, agent, row=row, column="Cp = {}")
    cell = next(each for each in cells if each.agent == BEST[kind])
    return _matches(
        title=kind,
        cells=cells,
        variants=tuple(
            replace(cell, row=f"{cell.row}, {name}", agent=f"{cell.agent},{options}")
            for name, options in _AS_LISTED.items()
        ),
        notes=(*METHOD, AMAF_METHOD, AT_LEAST_500, *notes),
        **words,
    )


def _many(row: str, agent: str, iterations: int) -> Pairing:
    limits = Limits(iterations=iterations)
    return Pairing(row=row, column=f"{iterations:,}", agent=agent, opponent=PLAIN, limits=limits)


# In the order of the document; what it only wished for comes last.
EXPERIMENTS: tuple[Experiment[Any], ...] = (
    Deviations(
        id="S0.figure18",
        title="Three encodings",
        source="S0, section 5.4, figure 18",
        game=GAME,
        question="From which encodings of the board can networks learn?",
        over_epochs=True,
        cells=(
            Deviation(
                row="guess", column="MSE", published=0.896, network="naive", measure="guess_mse"
            ),
            Deviation(
                row="guess", column="MAE", published=0.9, network="naive", measure="guess_mae"
            ),
            *_errors("naive", "naive", 0.887, 0.886),
            *_errors("regular", "regular"),
            *_errors("planes", "planes"),
        ),
        notes=(
            "20,000 positions, raw targets. The curves are lost; the text has the figures of the "
            "naive encoding after 100 epochs, and those of guessing.",
            "Guessing is here: always answering the mean of what is learnt.",
            "The sign of a result depends on whose turn it is. With the regular encoding "
            "(0, 1, -1) the sum of all cells says so, with planes the third of them; with the "
            "naive one (0, 1, 2) no weighted sum of cells does.",
            *TRAINING_NOTES,
        ),
    ),
    *(
        Deviations(
            id=f"S0.figure{number}",
            title=f"Training with a {target} target",
            source=f"S0, section 5.4, figure {number}",
            game=GAME,
            question=f"How do errors fall with a {target} target?",
            over_epochs=True,
            cells=(
                *_errors("DenseNet", f"DenseNet{suffix}"),
                *_errors("ConvNet", f"ConvNet{suffix}"),
            ),
            notes=(LOST_CURVES, *TRAINING_NOTES),
        )
        for number, target, suffix in ((19, "normalised", "-Norm"), (20, "raw", ""))
    ),
    Deviations(
        id="S0.table1",
        title="Errors of value networks",
        source="S0, section 5.4, table 1",
        game=GAME,
        question="How well do networks predict the results of games?",
        cells=(
            *_all_errors("DenseNet, normalised", "DenseNet-Norm", 0.022, 0.107),
            *_all_errors("ConvNet, normalised", "ConvNet-Norm", 0.039, 0.076),
            *_all_errors("DenseNet, raw", "DenseNet", 0.351, 0.398),
            *_all_errors("ConvNet, raw", "ConvNet", 0.130, 0.116),
        ),
        notes=(
            "A normalised target halves the range of values. On one scale, its mean squared errors "
            "are multiplied by 4 and absolute ones by 2: the document's DenseNet is then better "
            "with it, but its ConvNet is better without, though it plays worse (table 2).",
            *TRAINING_NOTES,
        ),
    ),
    _matches(
        id="S0.table2",
        title="Networks at the leaves",
        source="S0, section 5.5, table 2",
        question="Do 100 iterations with a network make up for 400 without?",
        games=400,
        most_games=400,
        cells=_against_plain(
            """
                               0.5   0.85
                DenseNet       30.0  16.9
                DenseNet-Norm  46.8  22.2
                ConvNet        46.7  20.1
                ConvNet-Norm   54.1  34.2
            """,
            _with_net(PLAIN, "{row}", "{column}"),
            column="weight {}",
            limits=Limits(iterations=100),
            opponent_limits=Limits(iterations=400),
        ),
        notes=(
            *METHOD,
            "Cp is not named here; it is taken to be 0.8, which section 6.2 finds.",
            "The document's 800 games with each network took 317, 433, 662 and 919 s.",
            BATCH_NOTE,
            *TRAINING_NOTES,
        ),
    ),
    _matches(
        id="S0.table3",
        title="The constant of exploration",
        source="S0, section 6.2, table 3",
        question="Which Cp is best for MCTS, against Cp = 1.0?",
        games=900,
        most_games=1700,
        cells=tuple(
            replace(cell, note="the agent meets itself") if cell.agent == "uct:c=1.0" else cell
            for cell in _against_plain(
                """
                       0.6   0.7   0.8   0.9   1.0   1.1   1.2   1.3   1.4
                MCTS  42.5  43.5  50.6  50.0  49.4  49.5  48.7  48.0  46.6
                """,
                "uct:c={column}",
                opponent="uct:c=1",
                column="Cp = {}",
            )
        ),
        notes=(
            *METHOD,
            "900 to 1,700 games, without saying how many for which Cp.",
            "The document calls 0.8 to 0.9 best and goes on with 0.8.",
        ),
    ),
    _matches(
        id="S0.table4",
        title="Transpositions",
        source="S0, section 6.3, table 4",
        question="Do UCT1, UCT2 and UCT3 beat MCTS, and does it help to merge mirrored positions?",
        most_games=800,
        cells=tuple(
            cell
            for words, symmetry, published in (
                (
                    "with",
                    "on",
                    """
                           0.7   0.8   0.9   1.0   1.1   1.2
                    UCT1  45.3  53.0  46.2  49.6  50.0  50.0
                    UCT2  46.2  51.4  51.5  52.1  52.1  49.3
                    UCT3  47.0  49.5  50.8  47.0  49.0  48.2
                    """,
                ),
                (
                    "without",
                    "off",
                    """
                           0.7   0.8   0.9   1.0   1.1   1.2
                    UCT1  47.4  51.0  49.4  49.6  48.4  47.2
                    UCT2  44.6  49.5  46.8  47.4  49.8  45.3
                    UCT3  49.3  48.2  45.5  50.0  48.4  50.9
                    """,
                ),
            )
            for cell in _against_plain(
                published,
                f"{{row}}:c={{column}},symmetry={symmetry}",
                row=f"{{}} {words} symmetry",
                column="Cp = {}",
                names={"UCT1": "uct1", "UCT2": "uct2", "UCT3": "uct3"},
            )
        ),
        notes=(
            *METHOD,
            "500 to 800 games, without saying how many for which cell.",
            "The opponent has Cp = 0.8, as section 6.2 settles for all that follows.",
            "The document does not exclude that its treatment of transpositions has an error "
            "(section 7).",
        ),
    ),
    _amaf_matches(
        "alpha-AMAF",
        """
              0.2   0.3   0.4   0.5   0.6
        0.3  28.2  35.5  52.5  53.3  60.0
        0.5  43.9  58.5  62.4  62.1  57.6
        0.8  61.5  55.8  51.8  53.0  51.6
        """,
        id="S0.table5",
        source="S0, section 6.4, table 5",
        question="How much does alpha-AMAF gain, and with which alpha and Cp?",
        notes=(
            "The text gives 62.4 % to alpha = 0.5 with Cp = 0.5; the table, where it is printed "
            "bold, to Cp = 0.4, and 62.1 % to Cp = 0.5. The table is followed.",
        ),
    ),
    _amaf_matches(
        "RAVE",
        """
              0.2   0.3   0.4   0.5   0.6
        10   52.1  57.3  55.7  57.6  57.0
        20   56.8  60.9  57.7  57.0  56.0
        50   61.0  60.6  59.4  56.2  55.5
        100  61.6  59.1  57.6  51.7  52.9
        200  59.6  59.1  53.7  50.3  45.6
        """,
        id="S0.table6",
        source="S0, section 6.4, table 6",
        question="How much does RAVE gain, and with which k and Cp?",
    ),
    _matches(
        id="S0.table7",
        title="Last good reply",
        source="S0, section 6.5, table 7",
        question="How much does LGR gain if replies are kept between moves (K), or forgotten (F)?",
        most_games=GAMES,
        # The document writes K and F with a bar for what is switched off.
        cells=_against_plain(
            """
                       0.8   0.9   1.0   1.1   1.2
            noK/noF   72.9  74.0  75.1  70.3  74.3
            K/noF     73.2  75.6  77.8  73.9  74.6
            noK/F     52.6  52.7  55.0  53.6  52.5
            K/F       51.1  52.4  55.4  56.9  51.4
            """,
            "lgr:c={column},{row}",
            column="Cp = {}",
            names={
                "noK/noF": "forget=off,keep=off",
                "K/noF": "forget=off,keep=on",
                "noK/F": "forget=on,keep=off",
                "K/F": "forget=on,keep=on",
            },
        ),
        notes=(
            *METHOD,
            "Replies are learnt in playouts alone, and the first move of a playout is no reply "
            "(listing 19).",
        ),
    ),
    _amaf_matches(
        "AMAF-LGR",
        """
              0.2   0.3   0.4   0.5   0.6
        0.3  56.8  70.6  77.9  78.9  80.3
        0.5  77.3  80.2  83.4  81.9  78.6
        0.8  81.3  82.4  78.6  76.6  73.4
        """,
        id="S0.table8",
        source="S0, section 6.6, table 8",
        question="What do alpha-AMAF and LGR gain together?",
        notes=(BEST_LGR,),
    ),
    _amaf_matches(
        "RAVE-LGR",
        """
              0.2   0.3   0.4   0.5   0.6
        10   80.7  81.8  85.1  81.7  80.3
        20   81.5  82.1  80.4  81.8  81.2
        50   87.4  81.8  83.2  81.0  77.3
        100  83.1  81.3  78.3  80.1  79.4
        200  81.3  79.5  77.9  71.7  78.0
        """,
        id="S0.table9",
        source="S0, section 6.6, table 9",
        question="What do RAVE and LGR gain together?",
        notes=(
            BEST_LGR,
            "The best cell, 87.4 %, stands four to six points above its neighbours; the standard "
            "error of 500 games is 1.5.",
        ),
    ),
    _matches(
        id="S0.table10",
        title="Combinations against LGR",
        source="S0, section 6.6, table 10",
        question="Do AMAF-LGR and RAVE-LGR beat LGR?",
        games=1000,
        most_games=1000,
        cells=_against_plain(
            """
                       LGR
            AMAF-LGR  55.6
            RAVE-LGR  60.3
            """,
            "{row}",
            opponent="{column}",
            column="against {}",
            names=BEST,
        ),
        notes=(*METHOD, BEST_NOTE),
    ),
    _speeds(
        id="S0.table11",
        title="Iterations per second with networks",
        source="S0, section 6.7, table 11",
        question="How much time do networks cost?",
        iterations=2000,
        cells=(
            _speed("MCTS", PLAIN_SPEED, PLAIN),
            *(
                _speed(kind, speed, f"{_net_agent(kind)},cache=0")
                for kind, speed in NET_SPEED.items()
            ),
            *(
                _speed(
                    f"{kind}, batch={_LARGE_BATCH}",
                    None,
                    f"{_net_agent(kind, _LARGE_BATCH)},cache=0",
                )
                for kind in NET_SPEED
            ),
        ),
        notes=(
            "One core of a Ryzen 5 3600; 7,000 iterations of MCTS per second are from section 6.2. "
            "RAVE-LGR-ConvNet has 365 in table 13.",
            "Networks cost the document's search, in Python, a factor of 8 to 18. Here the search "
            "is more than a hundred times as fast, the networks some ten to twenty times: they "
            "cost far more of it.",
            f"{BATCH_NOTE} The lower half asks for {_LARGE_BATCH} positions at a time, which the "
            "document did not. Answers are not kept (cache=0).",
            *TRAINING_NOTES,
        ),
    ),
    _matches(
        id="S0.table12",
        title="Networks with LGR and RAVE",
        source="S0, section 6.7, table 12",
        question="Do networks pay in the time in which MCTS has so many iterations?",
        games=300,
        most_games=300,
        cells=tuple(_at_document_speed(*entry) for entry in entries(_WITH_NETS)),
        notes=(
            *METHOD,
            "The agents have as many iterations as their time allowed on the document's machine, "
            "by the speeds of table 11: 52 to 130 against 1,000. Equal time on this machine is in "
            "table 13.",
            BATCH_NOTE,
            *TRAINING_NOTES,
        ),
    ),
    _matches(
        id="S0.table13",
        title="Everything at equal thinking time",
        source="S0, section 6.8, table 13",
        question="Which improvements pay if everybody has the time that MCTS needs for so many "
        "iterations?",
        most_games=GAMES,
        cells=(
            *_at_equal_time(_WITHOUT_NETS, BEST),
            *_at_equal_time(
                _WITH_NETS, {kind: _net_agent(kind, _LARGE_BATCH) for kind in NET_SPEED}
            ),
        ),
        variants=tuple(
            _at_equal_time(
                _WITHOUT_NETS,
                # The best ones of the lower half of table 4.
                {"UCT1": "uct1:c=0.8,symmetry=off", "UCT2": "uct2:c=1.1,symmetry=off"},
                row="{} without symmetry",
            )
        ),
        notes=(
            *METHOD,
            "Trees are kept between moves (section 6.8), of the opponent, too: 'the agents keep "
            "their tree'.",
            BEST_NOTE,
            "Where mirrored positions are merged, Spielbaum keeps no tree, whatever reuse= says; "
            "the variants of UCT1 and UCT2 merge none and keep it.",
            "Table 12 has the same figures for the six agents with networks, counts 300 games "
            "where table 13 says 500, and its section keeps no trees. They have our time here; "
            "with the iterations that they had in the document they are in table 12.",
            f"Networks are asked for {_LARGE_BATCH} positions at a time, and average over the "
            "mirror.",
            "RAVE-LGR-ConvNet has 365 iterations per second here and 364 in table 11.",
            "LGR has 4,578 iterations per second here and 4,579 in section 6.5.",
        ),
    ),
    _speeds(
        id="S0.speed",
        title="Iterations per second",
        source="S0, sections 6.2 to 6.6, and table 13",
        question="How much time do the improvements cost?",
        iterations=20_000,
        cells=(
            _speed("MCTS", PLAIN_SPEED, PLAIN),
            *(_speed(kind, speed, BEST[kind]) for kind, speed in SPEED.items()),
        ),
        notes=(
            "One core of a Ryzen 5 3600, in Python. 20,000 iterations took MCTS 2.857 s, "
            "alpha-AMAF and RAVE 3.53 s, LGR 4.37 s.",
            "The position that was searched is not named; it is taken to be the empty board. Nor "
            "is it said whether UCT1 to UCT3 merged mirrored positions: the best parameters are "
            "taken.",
            "3,947 is given for 'the combined agent' in section 6.6, and for both in table 13. LGR "
            "has 4,578 there.",
            "The agents with networks are in table 11.",
        ),
    ),
    _matches(
        id="S0.ucd",
        title="UCD",
        source="S0, section 7",
        question="Do transpositions pay if means and visits come from deeper below (UCD)?",
        cells=tuple(
            Pairing(
                row=f"d1 = {'all' if d1 < 0 else d1}",
                column=f"d2 = {d2}, d3 = {d3}",
                agent=f"uct:select=ucd,d1={d1},d2={d2},d3={d3},c=0.8,symmetry=on",
                opponent=PLAIN,
                limits=THOUSAND,
            )
            for d1, d2, d3 in product((0, 1, 2, -1), (0, 1, 2), (0, 1, 2))
        ),
        notes=(
            "A wish: the document has no figures of its own. It quotes more than 60 % for many "
            "parameters and 70.9 % for the best ones from the paper, without naming the game.",
            "Depths 0, 1, 2 and, for means, everything below; (0, 0, 0) is UCT1, (1, 0, 0) UCT2, "
            "(all, 0, 0) UCT3. Cp is that of the opponent, so that nothing else differs, and "
            "mirrored positions are merged, which helped in table 4.",
            *METHOD,
        ),
    ),
    _matches(
        id="S0.many",
        title="Many iterations",
        source="S0, section 7",
        question="What are the improvements worth at 10,000 and 50,000 iterations for each move?",
        small=Scale(40),
        cells=tuple(
            _many(kind, agent, iterations)
            for (kind, agent), iterations in product(BEST.items(), (10_000, 50_000))
        ),
        # k in proportion to tables 6 and 9, which had 1,000 iterations.
        variants=tuple(
            _many(f"{kind}, larger k", agent.format(k * iterations // 1000), iterations)
            for (kind, k, agent), iterations in product(
                (
                    ("RAVE", 100, "rave:rave_k={},c=0.2"),
                    ("RAVE-LGR", 50, "rave-lgr:rave_k={},c=0.2,forget=off,keep=on"),
                ),
                (10_000, 50_000),
            )
        ),
        notes=(
            "A wish ('more than 10,000 iterations'): the document has no figures.",
            BEST_NOTE,
            "The best k of RAVE 'depends strongly on the number of iterations' (section 6.4); the "
            "variants have a k that grows with it.",
            "The document supposes that transpositions may pay only with very many iterations.",
            *METHOD,
        ),
    ),
    _matches(
        id="S0.beta",
        title="Another weight for RAVE",
        source="S0, section 7",
        question="Is RAVE better with another formula for beta?",
        cells=_against_plain(
            """
                 0.2  0.3  0.4  0.5  0.6
            10     ?    ?    ?    ?    ?
            20     ?    ?    ?    ?    ?
            50     ?    ?    ?    ?    ?
            100    ?    ?    ?    ?    ?
            200    ?    ?    ?    ?    ?
            """,
            "rave:beta=silver,rave_k={row},c={column}",
            row="k = {}",
            column="Cp = {}",
        ),
        notes=(
            "A wish: the document has no figures. The grid is that of table 6.",
            "It names the formula of Helmbold and Parker-Wood; this is Silver's, by visits and "
            "AMAF visits of the move.",
            *METHOD,
        ),
    ),
    _matches(
        id="S0.decisive",
        title="Playouts that win and block",
        source="S0, section 7",
        question="Do playouts that win, block and do not lose at once beat random ones, and LGR?",
        cells=tuple(
            Pairing(
                row="1,000 iterations" if limits else "the time of the opponent's 1,000",
                column=f"against {name}",
                agent="uct:playout=gdk,c=0.8",
                opponent=opponent,
                limits=limits,
                relative=None if limits else 1000,
            )
            for limits in (THOUSAND, None)
            for name, opponent in (("MCTS", PLAIN), ("LGR", BEST["LGR"]))
        ),
        notes=(
            "The document has no figures: it says that such playouts cost a lot of time, and that "
            "LGR has a similar effect without knowledge of the game.",
            *METHOD,
        ),
    ),
)
