"""The options of Monte-Carlo tree search, the presets by name, and what does not go together."""

from __future__ import annotations

from collections.abc import Mapping

from spielbaum.agents.random import SEED
from spielbaum.base.errors import SpecError
from spielbaum.base.memory import memory_option
from spielbaum.base.options import Option, OptionValue

OPTIONS = (
    Option(
        "select",
        "rave",
        "rule that picks the next move to try: uct is mean + c sqrt(ln N / n); amaf and rave mix "
        "in the mean of all playouts with the move, amaf with weight alpha, rave with weight beta; "
        "uct1 shares nodes between equal positions, uct2 also their means, uct3 the means of all "
        "that lies below, ucd means and visits to depths d1, d2, d3; pn adds "
        "cpn (1 - rank / worst rank) by proof numbers; puct is mean + c P sqrt(N) / (1 + n) with "
        "a prior P",
        choices=(
            *("uct", "uct1", "uct2", "uct3", "ucd"),
            *("ucb1-tuned", "amaf", "rave", "pn", "puct"),
        ),
    ),
    Option(
        "playout",
        "lgr",
        "rule of playouts: random; lgr, the last good reply; gdk, win, else block, else do not "
        "lose; mast, moves that did well on average",
        choices=("random", "lgr", "gdk", "mast"),
    ),
    Option("c", 0.4, "weight of exploration", low=0.0, high=1e6),
    Option("alpha", 0.5, "weight of AMAF values with select=amaf", low=0.0, high=1.0),
    Option(
        "rave_k", 50.0, "visits at which AMAF values and others weigh alike", low=1e-3, high=1e9
    ),
    Option(
        "beta",
        "gelly",
        "weight of AMAF values with select=rave, by the visits n of the move: gelly is "
        "sqrt(k / (3 n + k)); silver is m / (n + m + n m / k), with m playouts that have the move; "
        "helmbold is max(0, (k - n) / k) (Helmbold and Parker-Wood 2009; printed in section 5.3.5 "
        "of Browne et al. 2012)",
        choices=("gelly", "silver", "helmbold"),
    ),
    Option("cpn", 1.0, "pn: weight of the rank by proof numbers", low=0.0, high=1e6),
    Option("d1", 1, "ucd: depth of means; -1: all that lies below", low=-1, high=8),
    Option("d2", 0, "ucd: depth of the visits of all moves together", low=0, high=8),
    Option("d3", 0, "ucd: depth of the visits of a move", low=0, high=8),
    Option(
        "k",
        0,
        "when a playout ends within k plies of the root, alpha-beta looks so far for a win, and "
        "for moves that lose; 0: never",
        low=0,
        high=64,
    ),
    Option(
        "cut",
        -1,
        "plies after which a playout ends by the game's evaluation; 0: no playouts; -1: never",
        low=-1,
        high=1_000_000,
    ),
    Option(
        "eval",
        "auto",
        "the game's evaluation, or ntuple:FILE, as in alphabeta, for cut, minimax and prior; or "
        "net:FILE, a neural network whose values take the place of playouts, or part of it (blend)",
    ),
    Option(
        "minimax",
        0.0,
        "weight of evaluations that are backed up by minimax beside the means",
        low=0.0,
        high=1.0,
    ),
    Option(
        "prior",
        "uniform",
        "puct without a network: all moves alike, or by exp(evaluation after the move / prior_t)",
        choices=("uniform", "eval"),
    ),
    Option("prior_t", 0.25, "puct: temperature of prior=eval", low=0.001, high=1e6),
    Option(
        "formula",
        "alphazero",
        "puct: how exploration falls with the visits n of a move: alphazero is P sqrt(N) / "
        "(1 + n); s3 is P sqrt(N / (1 + n))",
        choices=("alphazero", "s3"),
    ),
    Option(
        "fpu",
        "zero",
        "puct: worth of a move that was not tried: 0, a loss, or the mean of those that were, "
        "less fpu_drop sqrt(sum of their priors)",
        choices=("zero", "loss", "parent"),
    ),
    Option("fpu_drop", 0.25, "puct: see fpu=parent", low=0.0, high=2.0),
    Option("noise", 0.0, "puct: share of noise in the priors of the root", low=0.0, high=1.0),
    Option("dirichlet", 0.3, "puct: parameter of the Dirichlet noise", low=0.001, high=1e6),
    Option(
        "root",
        "same",
        "puct: how moves of the root are picked: as elsewhere, or gumbel, by sequential halving "
        "of moves that were sampled with Gumbel noise",
        choices=("same", "gumbel"),
    ),
    Option("considered", 16, "gumbel: moves that are tried at first", low=1, high=65535),
    Option(
        "temperature",
        0.0,
        "the move is drawn by visits^(1 / temperature); 0: the best is taken",
        low=0.0,
        high=1e3,
    ),
    Option(
        "blend",
        1.0,
        "weight of a network's value at a leaf; the rest is the playout's",
        low=0.0,
        high=1.0,
    ),
    Option(
        "blend_ends",
        False,
        "blend finished games with a network's value like all other leaves, instead of counting "
        "their exact result",
    ),
    Option("average", False, "a network's answers are averaged over all symmetries"),
    Option(
        "batch",
        0,
        "leaves of a search that a network sees at a time; 0: one for every 64 iterations of the "
        "budget, from 1 to 8",
        low=0,
        high=4096,
    ),
    Option("cache", 20_000, "answers of a network that are kept", low=0, high=10_000_000),
    Option("symmetry", False, "uct1 to uct3, ucd: symmetric positions are one; no tree is kept"),
    Option("tree_moves", True, "AMAF values also count moves in the tree, not only in playouts"),
    Option("forget", False, "lgr forgets replies that lost"),
    Option("keep", True, "lgr and mast keep what they learnt for the next move"),
    Option("first_reply", False, "lgr: a playout's first move is a reply to the tree's last move"),
    Option("context", 1, "lgr: replies answer the last move, or the last two", choices=(1, 2)),
    Option(
        "mast_t", 1.0, "mast: temperature; moves are drawn by exp(mean / temperature)", low=0.01
    ),
    Option(
        "final",
        "visits",
        "what decides at the end: the visits of a move, its mean value, or select, the selection "
        "rule without its exploration term (rave and amaf: the blended mean; pn: mean + cpn "
        "(1 - rank / worst rank))",
        choices=("visits", "value", "select"),
    ),
    Option("solver", True, "proven wins, draws and losses are kept and used"),
    Option("reuse", True, "the tree is kept for the next move"),
    Option("threads", 1, "threads that search together", low=1, high=256),
    Option(
        "parallel",
        "root",
        "several threads grow a tree each and add up the visits of the root's moves, or one tree",
        choices=("root", "tree"),
    ),
    memory_option(512, "megabytes of the tree"),
    SEED,
)

GRAPHS = ("uct1", "uct2", "uct3", "ucd")
OWN_MEANS = ("uct2", "uct3", "ucd", "rave")
"""Rules whose means are not those of the edges alone, to which minimax= would be added."""


def check_together(rules: Mapping[str, OptionValue]) -> None:
    """Refuse options that contradict each other.

    >>> check_together({"symmetry": True, "select": "rave"})
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: mcts:symmetry=on,select=rave: expected select=uct1, uct2, \
uct3, ucd
    """
    select, threads = rules.get("select"), int(rules.get("threads", 1))
    if rules.get("symmetry"):
        if select not in GRAPHS:
            raise SpecError(
                f"mcts:symmetry=on,select={select}: expected select={', '.join(GRAPHS)}"
            )
        if rules.get("playout") in ("lgr", "mast"):
            raise SpecError(
                f"mcts:symmetry=on,playout={rules['playout']}: names of moves mean nothing where "
                "symmetric positions are merged; expected playout=random or gdk"
            )
    if rules.get("minimax") and select in OWN_MEANS:
        raise SpecError(
            f"mcts:minimax={rules['minimax']},select={select}: expected select=uct, uct1, "
            "ucb1-tuned, amaf, pn or puct"
        )
    gumbel = rules.get("root") == "gumbel"
    if select != "puct" and (gumbel or rules.get("noise")):
        written = "root=gumbel" if gumbel else f"noise={rules['noise']}"
        raise SpecError(f"mcts:{written},select={select}: expected select=puct, which has priors")
    if gumbel:
        for other in ("noise", "temperature"):
            if rules.get(other):
                raise SpecError(
                    f"mcts:root=gumbel,{other}={rules[other]}: expected {other}=0, for the root "
                    "has noise of its own"
                )
    if rules.get("blend_ends") and rules.get("solver"):
        raise SpecError(
            "mcts:blend_ends=on,solver=on: expected solver=off, for a proven result is not blended"
        )
    if str(rules.get("eval")).startswith("net:"):
        _check_net(rules)
    if threads > 1:
        _check_threads(rules, threads)


def _check_net(rules: Mapping[str, OptionValue]) -> None:
    """With a network, the game's own evaluation has no part in a search."""
    expected: dict[str, OptionValue] = {"threads": 1, "cut": -1, "minimax": 0.0, "prior": "uniform"}
    for name, value in expected.items():
        if rules.get(name, value) != value:
            raise SpecError(
                f"mcts:eval={rules['eval']},{name}={rules[name]}: expected {name}={value} with a "
                "network"
            )


def _check_threads(rules: Mapping[str, OptionValue], threads: int) -> None:
    written = f"mcts:threads={threads}"
    if rules.get("root") == "gumbel":
        raise SpecError(f"{written},root=gumbel: sequential halving works with threads=1")
    if rules.get("parallel") != "tree":
        if rules.get("temperature"):
            raise SpecError(
                f"{written},parallel=root,temperature={rules['temperature']}: expected "
                "temperature=0 or parallel=tree"
            )
    elif rules.get("select") in ("uct3", "ucd"):
        raise SpecError(
            f"{written},select={rules['select']}: expected parallel=root, for this rule looks at "
            "the whole graph after every iteration"
        )


DOCUMENT: Mapping[str, OptionValue] = {"solver": False, "reuse": False, "final": "select"}
"""What the searches of the source documents have in common."""

PRESETS: Mapping[str, tuple[str, Mapping[str, OptionValue]]] = {
    "uct": ("plain Monte-Carlo tree search (S0)", {"c": 0.8}),
    "uct1": (
        "equal positions share a node (S0)",
        {"select": "uct1", "c": 0.8, "symmetry": True},
    ),
    "uct2": (
        "equal positions share a node and its mean (S0)",
        {"select": "uct2", "c": 1.0, "symmetry": True},
    ),
    "uct3": (
        "equal positions share a node and the mean of all that lies below (S0)",
        {"select": "uct3", "c": 1.2},
    ),
    "amaf": (
        "with the mean of all playouts that have the move (S0)",
        {"select": "amaf", "c": 0.4},
    ),
    "rave": (
        "AMAF with a weight that falls (S0)",
        {"select": "rave", "c": 0.3, "rave_k": 50.0},
    ),
    "lgr": ("playouts by last good reply (S0)", {"playout": "lgr", "c": 1.0}),
    "amaf-lgr": (
        "AMAF and last good reply (S0)",
        {"select": "amaf", "playout": "lgr", "c": 0.4},
    ),
    "rave-lgr": (
        "RAVE and last good reply (S0)",
        {"select": "rave", "playout": "lgr", "c": 0.2, "rave_k": 50.0},
    ),
    "mcts-pn": (
        "with ranks by proof numbers, and playouts that win and block (S2)",
        {"select": "pn", "playout": "gdk", "c": 0.7},
    ),
    "mcts-ab": (
        "with a look ahead by alpha-beta, and playouts that win and block (S2)",
        {"playout": "gdk", "c": 0.7, "k": 4},
    ),
    "mcts-gdk": ("playouts that win and block (S2)", {"playout": "gdk", "c": 0.7}),
}
"""What the documents call their searches, with the parameters that they found best."""
