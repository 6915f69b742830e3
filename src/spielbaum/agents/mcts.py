"""The agent ``mcts``: Monte-Carlo tree search with rules as options, and presets by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spielbaum import _core
from spielbaum.agents.agent import Agent, Turn, choices
from spielbaum.agents.budget import Budget, or_default
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.random import SEED
from spielbaum.agents.registry import register_agent
from spielbaum.errors import SpecError
from spielbaum.memory import MEGABYTE, memory_option
from spielbaum.specs import Option, OptionValue

if TYPE_CHECKING:
    from spielbaum.games import Game, State

OPTIONS = (
    Option(
        "select",
        "rave",
        "rule that picks the next move to try: uct is mean + c sqrt(ln N / n); amaf and rave mix "
        "in the mean of all playouts with the move, amaf with weight alpha, rave with weight beta; "
        "uct1 and uct2 share nodes between equal positions, uct2 also their means; pn adds "
        "cpn (1 - rank / worst rank) by proof numbers",
        choices=("uct", "uct1", "uct2", "ucb1-tuned", "amaf", "rave", "pn"),
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
        "sqrt(k / (3 n + k)); silver is m / (n + m + n m / k), with m playouts that have the move",
        choices=("gelly", "silver"),
    ),
    Option("cpn", 1.0, "pn: weight of the rank by proof numbers", low=0.0, high=1e6),
    Option(
        "k",
        0,
        "when a playout ends within k plies of the root, alpha-beta looks so far for a win, and "
        "for moves that lose; 0: never",
        low=0,
        high=64,
    ),
    Option("symmetry", False, "uct1, uct2: symmetric positions are one, and no tree is kept"),
    Option("tree_moves", True, "AMAF values also count moves in the tree, not only in playouts"),
    Option("forget", False, "lgr forgets replies that lost"),
    Option("keep", True, "lgr and mast keep what they learnt for the next move"),
    Option("first_reply", False, "lgr: a playout's first move is a reply to the tree's last move"),
    Option("context", 1, "lgr: replies answer the last move, or the last two", choices=(1, 2)),
    Option(
        "mast_t", 1.0, "mast: temperature; moves are drawn by exp(mean / temperature)", low=0.01
    ),
    Option("final", "visits", "what decides at the end", choices=("visits", "value")),
    Option("solver", True, "proven wins, draws and losses are kept and used"),
    Option("reuse", True, "the tree is kept for the next move"),
    memory_option(512, "megabytes of the tree"),
    SEED,
)


class MctsAgent(Agent):
    """Monte-Carlo tree search for every game and any number of players.

    Without a budget it thinks for one second. It keeps its tree from move to move until `reset`.
    ``Decision.stats`` has iterations, seconds, nodes of the tree and its bytes, how many iterations
    were kept from earlier moves, and whether the memory is full.

    >>> import spielbaum as sb
    >>> agent = sb.agent("mcts:seed=3")
    >>> state = sb.game("connect4").state("121212")
    >>> decision = agent.choose(state, sb.Budget(iterations=500))
    >>> state.text(decision.move), decision.value
    ('a4', 1.0)
    """

    def __init__(self, seed: int = 0, memory: int = 512, **rules: OptionValue) -> None:
        _check_together(rules)
        self._seed = seed
        options = _core.MctsOptions()
        options.memory = memory * MEGABYTE
        for name, value in rules.items():
            if isinstance(value, str):
                getattr(options, f"set_{name}")(value)
            else:
                setattr(options, name, value)
        self._options = options
        self._searches: WeakKeyDictionary[Game, _core.Mcts] = WeakKeyDictionary()
        self._stop = _core.StopFlag()
        self._turn = Turn()

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Search until the budget ends, or until the result is proven."""
        legal = choices(state)
        limits = or_default(budget, "iterations", "nodes")
        report = limits.report
        with self._turn:
            self._stop = _core.StopFlag()
            found = self._search_of(state.game).search(
                state._core,
                min(limits.iterations or 2**64 - 1, limits.nodes or 2**64 - 1),
                math.inf if limits.seconds is None else limits.seconds,
                self._stop,
                self._stop if limits.stop is None else limits.stop.flag,
                None if report is None else lambda found: report(_decision(legal, found)),
            )
        return _decision(legal, found)

    def stop(self) -> None:
        """End a running `choose`; it decides by what it has seen."""
        self._stop.stop()

    def reset(self, seed: int | None = None) -> None:
        """Forget trees and replies, and start the sequence of random numbers again."""
        if seed is not None:
            self._seed = int(SEED.check(seed))
        for search in self._searches.values():
            search.reset(self._seed)

    def _search_of(self, game: Game) -> _core.Mcts:
        search = self._searches.get(game)
        if search is None:
            if self._options.k > 0 and game.num_players != 2:
                raise SpecError(
                    f"mcts:k={self._options.k}: alpha-beta looks ahead in games of two players; "
                    f"{game} has {game.num_players}"
                )
            search = _core.make_mcts(game._core, self._options, self._seed)
            self._searches[game] = search
        return search


def _decision(legal: tuple[int, ...], report: _core.MctsReport) -> Decision:
    """What a search has found, as an agent says it."""
    found = {move.action: move for move in report.moves}
    moves = tuple(
        MoveEval(
            action,
            found[action].value,
            found[action].visits,
            proven=found[action].value if found[action].proven else None,
            pv=tuple(found[action].line),
        )
        for action in legal
    )
    best = report.moves[0]
    stats: dict[str, bool | int | float | str] = {
        "iterations": report.iterations,
        "seconds": report.seconds,
        "kept": report.kept,
        "nodes": report.nodes,
        "bytes": report.bytes,
        "full": report.full,
        "proven": report.proven,
    }
    return Decision(best.action, report.value, moves, tuple(best.line), stats)


def _check_together(rules: Mapping[str, OptionValue]) -> None:
    """Refuse options that contradict each other."""
    if not rules.get("symmetry"):
        return
    if rules.get("select") not in ("uct1", "uct2"):
        raise SpecError(
            f"mcts:symmetry=on,select={rules.get('select')}: symmetric positions are merged with "
            "select=uct1 or uct2"
        )
    if rules.get("playout") in ("lgr", "mast"):
        raise SpecError(
            f"mcts:symmetry=on,playout={rules['playout']}: names of moves mean nothing where "
            "symmetric positions are merged; expected playout=random or gdk"
        )


DOCUMENT: Mapping[str, OptionValue] = {"solver": False, "reuse": False, "final": "value"}
"""What the searches of the source documents have in common."""

BY_VISITS: Mapping[str, OptionValue] = {"final": "visits"}
"""With AMAF values, moves with few visits have means that decide nothing; see docs/agents.md."""

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
    "amaf": (
        "with the mean of all playouts that have the move (S0)",
        {"select": "amaf", "c": 0.4, **BY_VISITS},
    ),
    "rave": (
        "AMAF with a weight that falls (S0)",
        {"select": "rave", "c": 0.2, "rave_k": 100.0, **BY_VISITS},
    ),
    "lgr": ("playouts by last good reply (S0)", {"playout": "lgr", "c": 1.0}),
    "amaf-lgr": (
        "AMAF and last good reply (S0)",
        {"select": "amaf", "playout": "lgr", "c": 0.4, **BY_VISITS},
    ),
    "rave-lgr": (
        "RAVE and last good reply (S0)",
        {"select": "rave", "playout": "lgr", "c": 0.4, "rave_k": 20.0, **BY_VISITS},
    ),
    "mcts-pn": (
        "with ranks by proof numbers, and playouts that win and block (S2)",
        {"select": "pn", "playout": "gdk", "c": 0.8},
    ),
    "mcts-ab": (
        "with a look ahead by alpha-beta, and playouts that win and block (S2)",
        {"playout": "gdk", "c": 0.8, "k": 4},
    ),
    "mcts-gdk": ("playouts that win and block (S2)", {"playout": "gdk", "c": 0.8}),
}
"""What the documents call their searches, with the parameters that they found best."""


def _register() -> None:
    register_agent(
        "mcts", MctsAgent, options=OPTIONS, help="Monte-Carlo tree search for every game"
    )
    for name, (help_text, changed) in PRESETS.items():
        values = {"select": "uct", "playout": "random", **DOCUMENT, **changed}
        options = tuple(
            replace(option, default=values.get(option.name, option.default)) for option in OPTIONS
        )
        register_agent(name, MctsAgent, options=options, help=help_text)


_register()
