"""The options of Monte-Carlo tree search, the presets by name, and what does not go together."""

from __future__ import annotations

from collections.abc import Mapping

from spielbaum import _core
from spielbaum.agents.core_options import core_options
from spielbaum.agents.random import SEED
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option, OptionValue

CACHE = Option("cache", 20_000, "answers of a network that are kept", low=0, high=10_000_000)
OPTIONS = (*core_options(_core.mcts_options(), batch=CACHE), SEED)
DEFAULTS: Mapping[str, OptionValue] = {option.name: option.default for option in OPTIONS}

GRAPHS = tuple(_core.rules_with_graphs())
OWN_MEANS = tuple(_core.rules_with_own_means())
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
        if rules.get("playout") in _core.playouts_by_name():
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
