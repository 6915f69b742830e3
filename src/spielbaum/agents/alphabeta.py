"""The agent ``alphabeta``: depth-first search of the game tree with everything that prunes it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spielbaum import _core
from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.core_options import core_options
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.registry import register_agent
from spielbaum.base.budget import Budget, or_default
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option, OptionValue
from spielbaum.base.scores import network_value, plies_to_end, proven_value, score_value
from spielbaum.base.turn import Turn
from spielbaum.models.ntuple_file import core_network, named_network

if TYPE_CHECKING:
    from spielbaum.games import Game, State
    from spielbaum.models.ntuple import NTupleNetwork

ANALYSE = Option("analyse", False, "an exact value for every move, not only for the best")
ORDER = Option("order", "history", "moves near the root by history, or by a network: ntuple:FILE")
OPTIONS = tuple(core_options(_core.alphabeta_options(), quiescence=ANALYSE, eval=ORDER))
DEFAULTS = {option.name: option.default for option in OPTIONS}

MOST_PLIES = 2**31 - 1
"""More than any search reaches, and what the core can count."""


class AlphaBetaAgent(Agent):
    """Alpha-beta for every game; keeps its table from move to move until `reset`.

    With more than two players ``multi`` says what is thought of the others: ``paranoid``, ``maxn``,
    ``brs`` or ``brs+``.

    The table grows with the search, up to ``memory`` megabytes.

    Without a budget it thinks for one second. ``Decision.stats`` has depth, nodes, seconds, the
    score of the evaluation and, where a win or loss is proven, the plies to it.

    >>> import spielbaum as sb
    >>> agent = sb.agent("alphabeta")
    >>> decision = agent.choose(sb.game("tictactoe").state("a1 b2 c3 a3"), sb.Budget(depth=9))
    >>> decision.value, decision.stats["plies_to_end"]
    (1.0, 3)
    """

    def __init__(self, **options: OptionValue) -> None:
        values = {**DEFAULTS, **options}
        self._iterative = bool(values["iterative"])
        self._analyse = bool(values.pop("analyse"))
        order = str(values.pop("order"))
        self._network = named_network(str(values["eval"]))
        if self._network is not None:
            del values["eval"]  # which the core takes for the name of an evaluation of the game
        self._order = named_network(order)
        if self._order is None and order != "history":
            raise SpecError(
                f"agent alphabeta: option order={order}: expected history or ntuple:FILE"
            )
        self._options = _core.AlphaBetaOptions()
        for name, value in values.items():
            self._options.set(name, value)
        self._start()

    def _start(self) -> None:
        self._searches: WeakKeyDictionary[Game, tuple[_core.AlphaBeta, int]] = WeakKeyDictionary()
        """The search of each game, and after which reset it was used last: it is cleared later."""
        self._resets = 0
        self._turn = Turn()
        self._stop = _core.StopFlag()

    def _mend(self) -> None:
        """Begin anew in a process that was forked in the middle of a search."""
        if self._turn.torn:
            self._start()

    @classmethod
    def with_network(
        cls, network: NTupleNetwork, memory: int = 64, analyse: bool = False
    ) -> AlphaBetaAgent:
        """An agent that has its leaves evaluated by a network, which need not be in a file."""
        made = cls(memory=memory, analyse=analyse)
        made._network = network
        return made

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Search until the budget ends, or until the result cannot change any more."""
        choices(state)
        return self._decision(state, self._found(state, budget))

    def value(self, state: State, budget: Budget | None = None) -> float:
        """Say what `choose` would say that a position is worth, and nothing else.

        >>> import spielbaum as sb
        >>> AlphaBetaAgent().value(sb.game("connect4").state("121212"), sb.Budget(depth=1))
        1.0
        """
        choices(state)
        return self._value(self._found(state, budget).value)

    def _found(self, state: State, budget: Budget | None) -> _core.AlphaBetaReport:
        limits = or_default(budget, "depth", "nodes")
        if not self._iterative and limits.depth is None:
            raise SpecError(
                "alphabeta:iterative=off searches one depth and needs Budget(depth=...)"
            )
        report = limits.report
        self._mend()
        with self._turn:
            self._stop = _core.StopFlag()
            return self._search_of(state.game).search(
                state._core,
                self._analyse,
                min(limits.depth or MOST_PLIES, MOST_PLIES),
                2**64 - 1 if limits.nodes is None else limits.nodes,
                math.inf if limits.seconds is None else limits.seconds,
                self._stop,
                self._stop if limits.stop is None else limits.stop.flag,
                None if report is None else lambda found: report(self._decision(state, found)),
            )

    def scores(self, state: State, depth: int) -> dict[int, int]:
        """The exact score of every move by a search to a depth; see `spielbaum.base.scores`.

        >>> import spielbaum as sb
        >>> agent = AlphaBetaAgent(eval="none")
        >>> agent.scores(sb.game("connect4").state("121212"), depth=3)[0]  # wins at once
        31999
        """
        choices(state)
        self._mend()
        with self._turn:
            stop = _core.StopFlag()
            found = self._search_of(state.game).search(
                state._core, True, depth, 2**64 - 1, math.inf, stop, stop, None
            )
        return {move.action: move.value for move in sorted(found.moves, key=_action)}

    def stop(self) -> None:
        """End a running `choose`; it decides by the last depth that was finished."""
        self._stop.stop()

    def reset(self, seed: int | None = None) -> None:
        """Forget what was searched; there is nothing random in this agent.

        The memory of the table is kept, so that the next game does not wait for it again.
        """
        self._resets += 1

    def _search_of(self, game: Game) -> _core.AlphaBeta:
        search, used = self._searches.get(game, (None, self._resets))
        if search is None:
            try:
                search = _core.make_alphabeta(
                    game._core,
                    self._options,
                    core_network(self._network, game),
                    core_network(self._order, game),
                )
            except _core.OptionError as error:
                raise SpecError(f"alphabeta for {game}: {error}") from None
        elif used == self._resets:
            return search
        else:
            search.clear()
        self._searches[game] = search, self._resets
        return search

    def _decision(self, state: State, report: _core.AlphaBetaReport) -> Decision:
        """What a search has found, as an agent says it."""
        found = {move.action: move for move in report.moves}
        line = tuple(report.line) or (report.moves[0].action,)
        moves = tuple(
            self._move_eval(found[action], report.depth > 0, self._analyse or action == line[0])
            for action in state.legal_moves
        )
        return Decision(line[0], self._value(report.value), moves, line, _stats(report), state)

    def _value(self, score: int) -> float:
        if self._network is None:
            return score_value(score)
        return network_value(score, self._network.squash)

    def _move_eval(self, move: _core.RootMove, finished: bool, exact: bool) -> MoveEval:
        """What a search knows of a move; a value that is not exact is an upper bound."""
        line = tuple(move.line)
        if not finished:
            return MoveEval(move.action, pv=line)
        proven = proven_value(move.value)
        if not exact and proven == 1.0:
            proven = None  # "at best a win" proves nothing, while "at best a loss" does
        return MoveEval(move.action, self._value(move.value), proven=proven, pv=line)


def _action(move: _core.RootMove) -> int:
    return move.action


def _stats(report: _core.AlphaBetaReport) -> dict[str, bool | int | float | str]:
    stats: dict[str, bool | int | float | str] = {
        "depth": report.depth,
        "nodes": report.nodes,
        "seconds": report.seconds,
        "score": report.value,
    }
    plies = plies_to_end(report.value)
    if plies is not None:
        stats["plies_to_end"] = plies
    return stats


register_agent(
    "alphabeta",
    AlphaBetaAgent,
    options=OPTIONS,
    help="alpha-beta search with table, ordering and windows, each of which can be switched off",
)
