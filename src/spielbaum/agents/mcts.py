"""The agent ``mcts``: Monte-Carlo tree search with rules as options, and presets by name."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spielbaum import _core
from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.batches import BatchedSearch, Evaluator, history_of
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.mcts_options import DEFAULTS, DOCUMENT, OPTIONS, PRESETS, check_together
from spielbaum.agents.random import SEED
from spielbaum.agents.registry import register_agent
from spielbaum.agents.search_tree import SearchTree, TreeMove
from spielbaum.base.budget import Budget, or_default
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.base.options import OptionValue
from spielbaum.base.turn import Turn
from spielbaum.models.evaluator import NetEvaluator, named_evaluator
from spielbaum.models.ntuple_file import core_network, named_network

if TYPE_CHECKING:
    from spielbaum.games import Game, State

NO_LIMIT = 2**63 - 1
ITERATIONS_OF_A_LEAF = 64
"""``batch=0``: one leaf at a time for every so many iterations, up to the core's limit."""


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

    def __init__(self, seed: int = 0, **rules: OptionValue) -> None:
        check_together(rules)
        self._seed = seed
        options = _core.MctsOptions()
        named = str(rules.get("eval", ""))
        self._network = named_network(named)
        self._evaluator: Evaluator | None = named_evaluator(named, int(rules.pop("cache", 0)))
        if self._network is not None or self._evaluator is not None:
            del rules["eval"]  # which the core takes for the name of an evaluation of the game
        for name, value in rules.items():
            options.set(name, value)
        self._options = options
        self._rules = {**DEFAULTS, **rules}
        self._has_priors = rules.get("select") == "puct"
        self._gumbel = rules.get("root") == "gumbel"
        self._check_history()
        self._start()

    def _start(self) -> None:
        self._searches: WeakKeyDictionary[Game, _core.Mcts] = WeakKeyDictionary()
        self._root: State | None = None
        """What was searched last."""
        self._stop = _core.StopFlag()
        self._turn = Turn()

    def _mend(self) -> None:
        """Begin anew in a process that was forked in the middle of a search."""
        if self._turn.torn:
            self._start()

    @property
    def evaluator(self) -> Evaluator | None:
        """What evaluates leaves instead of playouts, if something does."""
        return self._evaluator

    def with_evaluator(self, evaluator: Evaluator) -> MctsAgent:
        """An agent with the same options that has its leaves evaluated by ``evaluator``.

        >>> import numpy as np
        >>> import spielbaum as sb
        >>> class Corners:
        ...     def evaluate(self, planes, legal):
        ...         corners = (planes[:, 0] - planes[:, 1])[:, ::2, ::2].sum(axis=(1, 2))
        ...         return corners / 4, np.zeros(legal.shape, np.float32)
        >>> agent = sb.agent("mcts:select=puct,c=1.5").with_evaluator(Corners())
        >>> state = sb.game("tictactoe").initial()
        >>> decision = agent.choose(state, sb.Budget(iterations=60))
        >>> state.text(decision.move) in ("a1", "a3", "c1", "c3")
        True
        """
        if int(self._rules["threads"]) > 1:
            raise SpecError(
                f"{self.spec}: expected threads=1 with an evaluator, whose batches keep it busy"
            )
        made = copy.copy(self)
        made._evaluator = evaluator
        made._check_history()
        return made

    def _check_history(self) -> None:
        if self._rules["symmetry"] and history_of(self._evaluator):
            raise SpecError(
                f"{self.spec}: expected symmetry=off with a network that sees earlier positions, "
                "which differ where images of a position are one"
            )

    def __copy__(self) -> MctsAgent:
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._start()
        return made

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Search until the budget ends, or until the result is proven."""
        if self._evaluator is not None:
            return choose_together([self], [state], budget)[0]
        for name, used in (
            ("blend", float(self._rules["blend"]) < 1.0),
            ("blend_ends", self._rules["blend_ends"]),
        ):
            if used:
                raise SpecError(
                    f"{self.spec}: {name} mixes results with a network's values; expected "
                    "eval=net:FILE, or an evaluator by with_evaluator"
                )
        choices(state)
        limits = self._limits(budget)
        report = limits.report
        self._mend()
        with self._turn:
            self._stop = _core.StopFlag()
            found = self._search_of(state.game).search(
                state._core,
                _iterations(limits),
                math.inf if limits.seconds is None else limits.seconds,
                self._stop,
                self._stop if limits.stop is None else limits.stop.flag,
                None if report is None else lambda found: report(self._decision(state, found)),
            )
        return self._decision(state, found)

    def stop(self) -> None:
        """End a running `choose`; it decides by what it has seen."""
        self._stop.stop()

    def reset(self, seed: int | None = None) -> None:
        """Forget trees and replies, and start the sequence of random numbers again."""
        if seed is not None:
            self._seed = int(SEED.check(seed))
        for search in self._searches.values():
            search.reset(self._seed)

    def begin(self, state: State, iterations: int) -> _core.Mcts:
        """Start a search in steps, for whoever asks an evaluator for many searches at a time.

        `BatchedSearch.round` takes the steps; when the search is done, `decide` has the decision.
        """
        choices(state)
        search = self._search_of(state.game)
        search.begin(state._core, iterations, history_of(self._evaluator))
        return search

    def decide(self, state: State, search: _core.Mcts) -> Decision:
        """End the search that `begin` started for a state."""
        return self._decision(state, search.finish())

    def tree(self, game: Game, limit: int = 1000) -> SearchTree:
        """The tree of the last search of this game: breadth first, at most ``limit`` moves.

        Printed, or in a notebook, it shows the most visited ones.

        >>> import spielbaum as sb
        >>> agent, state = sb.agent("uct:seed=2"), sb.game("tictactoe").initial()
        >>> _ = agent.choose(state, sb.Budget(iterations=12))
        >>> rows = agent.tree(state.game)
        >>> len(rows), sum(row.visits for row in rows if row.parent is None)
        (12, 12)
        """
        with self._turn:
            search = self._searches.get(game)
            rows = [] if search is None else search.tree(limit)
            root = self._root if self._root is not None and self._root.game == game else None
        moves = (
            TreeMove(
                None if row.parent < 0 else row.parent,
                row.action,
                row.visits,
                row.value,
                row.value if row.proven else None,
                row.prior if self._has_priors else None,
            )
            for row in rows
        )
        return SearchTree(moves, root)

    def _rows(self, game: Game, iterations: int) -> int:
        """How many rows of a batch a search of this game may fill."""
        images = game.num_symmetries if self._rules["average"] else 1
        leaves = int(self._rules["batch"])
        if leaves == 0:  # what waits is searched late, which few iterations cannot afford
            few = max(1, iterations // ITERATIONS_OF_A_LEAF)
            leaves = min(_core.MOST_LEAVES, few)
        return int(leaves * images)

    def _limits(self, budget: Budget | None) -> Budget:
        limits = or_default(budget, "iterations", "nodes")
        if self._gumbel and limits.iterations is None and limits.nodes is None:
            raise SpecError(
                f"{self.spec}: sequential halving shares out a known number of iterations; "
                "expected a budget of iterations"
            )
        return limits

    def _search_of(self, game: Game) -> _core.Mcts:
        search = self._searches.get(game)
        if search is None:
            try:
                network = core_network(self._network, game)
                search = _core.make_mcts(game._core, self._options, self._seed, network)
            except _core.OptionError as error:
                raise SpecError(f"mcts for {game}: {error}") from None
            self._searches[game] = search
        return search

    def _decision(
        self, state: State, report: _core.MctsReport, **more: bool | int | float | str
    ) -> Decision:
        """What a search has found, as an agent says it."""
        self._root = state
        listed = [MoveEval._make(each) for each in report.moves(self._has_priors)]
        by_move = {each.move: each for each in listed}
        moves = tuple([by_move[action] for action in state.legal_moves])
        best = listed[0]
        stats: dict[str, bool | int | float | str] = {
            "iterations": report.iterations,
            "seconds": report.seconds,
            "kept": report.kept,
            "nodes": report.nodes,
            "bytes": report.bytes,
            "full": report.full,
            "proven": report.proven,
            **more,
        }
        return Decision(best.move, report.value, moves, best.pv, stats, state)


def choose_together(
    agents: Sequence[MctsAgent], states: Sequence[State], budget: Budget | None = None
) -> tuple[Decision, ...]:
    """Let several agents with the same evaluator choose, whose leaves go to it in common batches.

    The budget is that of each; a report gets the decisions of the first agent.

    >>> import numpy as np
    >>> import spielbaum as sb
    >>> class Even:
    ...     def evaluate(self, planes, legal):
    ...         return np.zeros(len(planes)), np.zeros(legal.shape)
    >>> even = Even()
    >>> spec = "mcts:select=puct,root=gumbel,seed={}"
    >>> agents = [sb.agent(spec.format(seed)).with_evaluator(even) for seed in range(3)]
    >>> start = sb.game("connect4").initial()
    >>> decisions = sb.choose_together(agents, [start] * 3, sb.Budget(iterations=16))
    >>> [decision.stats["iterations"] for decision in decisions]
    [16, 16, 16]
    """
    if not agents or len(agents) != len(states):
        raise ValueError(
            f"{len(agents)} agents and {len(states)} states: expected one state for each agent"
        )
    evaluator = agents[0].evaluator
    if evaluator is None or any(agent.evaluator is not evaluator for agent in agents):
        raise ValueError("expected agents with one and the same evaluator")
    if len({id(agent) for agent in agents}) < len(agents):
        raise ValueError("an agent is given twice: it can think about one position at a time")
    game = states[0].game
    if any(state.game != game for state in states):
        raise ValueError(f"expected positions of one game, {game}")
    if isinstance(evaluator, NetEvaluator) and evaluator.net.game != game:
        raise ModelError(f"the network is for {evaluator.net.game}, not for {game}")
    for state in states:
        choices(state)
    limits = agents[0]._limits(budget)
    # Several searches fill a batch together, however few leaves each of them has.
    iterations = _iterations(limits) if len(agents) == 1 else NO_LIMIT
    rows = sum(agent._rows(game, iterations) for agent in agents)
    batched = BatchedSearch(game, evaluator, rows)
    with ExitStack() as turns:
        # Always in the same order, so that nobody waits for somebody who waits for him.
        for agent in sorted(agents, key=id):
            agent._mend()
            turns.enter_context(agent._turn)
        for agent in agents:
            agent._stop = _core.StopFlag()
        searches = [agent._search_of(game) for agent in agents]
        for search, state in zip(searches, states, strict=True):
            search.begin(state._core, _iterations(limits), history_of(evaluator))

        def pass_on(seconds: float) -> None:
            assert limits.report is not None
            limits.report(agents[0]._decision(states[0], searches[0].so_far(), seconds=seconds))

        seconds = batched.run(
            searches,
            limits,
            [agent._stop for agent in agents],
            None if limits.report is None else pass_on,
        )
        results = [search.finish() for search in searches]
    return tuple(
        agent._decision(state, result, seconds=seconds, batches=batched.batches)
        for agent, state, result in zip(agents, states, results, strict=True)
    )


def _iterations(limits: Budget) -> int:
    return min(limits.iterations or NO_LIMIT, limits.nodes or NO_LIMIT)


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
