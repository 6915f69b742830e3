"""The agent ``perfect``: never gives away a win or a draw, wherever it can solve the position."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spielbaum import _core
from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.random import SEED
from spielbaum.agents.registry import agent, register_agent
from spielbaum.agents.resistance import Resistance
from spielbaum.base.budget import Budget
from spielbaum.base.errors import BookError, SpecError
from spielbaum.base.memory import memory_option
from spielbaum.base.options import Option, parse_spec
from spielbaum.solvers.book.connect4 import Connect4Book
from spielbaum.solvers.book.library import read_book, shipped_book
from spielbaum.solvers.find import find_solution
from spielbaum.solvers.reach import too_early
from spielbaum.solvers.solution import NotSolved, Solution
from spielbaum.solvers.solver import Solver, Wanted, has_solver

if TYPE_CHECKING:
    from spielbaum.games import Game, State

OPTIONS = (
    Option(
        "prefer",
        "value",
        "value: win, draw or loss; resist: where it has lost, also lose as late as a few plies can "
        "tell; distance: also win fast and lose late (Reversi: most stones)",
        choices=("value", "resist", "distance"),
    ),
    Option(
        "among",
        "first",
        "of equally good moves, the first; equal: any of them by chance",
        choices=("first", "equal"),
    ),
    Option("book", "shipped", "opening book of Connect Four: shipped, none, or a file"),
    Option("fallback", "alphabeta", "name of the agent that moves where nothing is solved"),
    memory_option(64, "megabytes of the solver's table"),
    SEED,
)
DEFAULT_SECONDS = 10.0
"""For a solution, if the budget says nothing about time or nodes."""
DEFAULT_NODES = 50_000_000
"""The same for budgets that do not look at a clock: depth or iterations."""
GRACE = 0.01
"""Seconds for a move after a stop."""

Stats = dict[str, bool | int | float | str]


class PerfectAgent(Agent):
    """Plays solved positions perfectly, others by another agent; ``stats`` say which it was.

    ``stats["source"]`` is ``book``, ``cache`` or ``solver`` where ``stats["solved"]`` is true, and
    else the name of the fallback, with the ``reason``. Half of the budget goes to the solution, the
    rest to the fallback. Without a budget it tries to solve for ten seconds.

    >>> import spielbaum as sb
    >>> state = sb.game("connect4").state("52753311433677442422121")
    >>> decision = sb.agent("perfect:prefer=distance").choose(state)
    >>> state.text(decision.move), decision.value, decision.stats["score"]
    ('e3', 1.0, 8)
    >>> [move.proven for move in decision.moves]
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        prefer: str = "value",
        among: str = "first",
        book: str = "shipped",
        fallback: str = "alphabeta",
        memory: int = 64,
        seed: int = 0,
    ) -> None:
        # A distance that cannot be found in time leaves the value.
        self._attempts = (True, False) if prefer == "distance" else (False,)
        self._resistance = Resistance() if prefer == "resist" else None
        self._by_chance = among == "equal"
        self._book_name = book
        self._book = None if book in ("shipped", "none") else read_book(Path(book))
        self._fallback_name = fallback
        self._fallback = _make_fallback(fallback)
        self._memory = memory
        self._seed = seed
        self._rng = _core.Rng(seed)
        self._solvers: WeakKeyDictionary[Game, Solver] = WeakKeyDictionary()
        self._stop = _core.StopFlag()

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Solve the position, or let the fallback choose."""
        choices(state)
        game = state.game
        if game.num_players != 2:
            raise SpecError(f"perfect is for two players; {game} has {game.num_players}")
        self._stop = _core.StopFlag()
        spent = _Spent(budget or Budget())
        book = self._book_of(game)
        reason = "" if has_solver(game) else f"{game.name} has no solver"
        for exact in self._attempts if has_solver(game) else ():
            share = spent.half()
            why = too_early(state, share)
            if why:
                reason = why
                continue
            try:
                solution = find_solution(
                    state,
                    Wanted(exact, moves=True, pv=exact),
                    self._solver_of(game),
                    share,
                    book=book,
                    lookup=True,
                    stop=self._stop,
                )
            except NotSolved as error:
                spent.nodes += error.nodes
                reason = str(error)
                continue
            spent.nodes += solution.nodes
            return self._decide(state, solution, exact, reason, spent)
        return self._fall_back(state, reason, spent)

    def stop(self) -> None:
        """End a running `choose`: what is not solved now, the fallback decides at once."""
        self._stop.stop()
        self._fallback.stop()

    def reset(self, seed: int | None = None) -> None:
        """Forget the tables and start the sequence of random numbers again."""
        self._solvers.clear()
        self._rng = _core.Rng(self._seed if seed is None else int(SEED.check(seed)))
        self._fallback.reset(seed)

    def _decide(
        self, state: State, solution: Solution, exact: bool, reason: str, spent: _Spent
    ) -> Decision:
        best = [each.move for each in solution.moves if each.score == solution.score]
        if self._resistance is not None and solution.value < 0:
            best = self._resistance.last_losing(state)
        move = best[self._rng.below(len(best)) if self._by_chance else 0]
        line = solution.pv if solution.pv[:1] == (move,) else (move,)
        moves = tuple(
            MoveEval(
                each.move,
                each.value,
                proven=each.value,
                pv=line if each.move == move else (each.move,),
            )
            for each in solution.moves
        )
        stats: Stats = {"solved": True, "source": solution.source, "exact": exact}
        if exact:
            stats["score"] = solution.score
        elif reason:
            stats["reason"] = reason
        decision = Decision(move, solution.value, moves, line, stats | spent.stats(), state)
        if spent.budget.report is not None:
            spent.budget.report(decision)
        return decision

    def _fall_back(self, state: State, reason: str, spent: _Spent) -> Decision:
        stopped = self._stop.stopped or (spent.budget.stop and spent.budget.stop.stopped)
        decision = self._fallback.choose(state, Budget(seconds=GRACE) if stopped else spent.rest())
        nodes = decision.stats.get("nodes", 0)
        spent.nodes += nodes if isinstance(nodes, int) else 0
        stats: Stats = {"solved": False, "source": self._fallback_name, "reason": reason}
        return replace(decision, stats={**decision.stats, **stats, **spent.stats()})

    def _book_of(self, game: Game) -> Connect4Book | None:
        if self._book is None:
            return shipped_book(game) if self._book_name == "shipped" else None
        if self._book.game != game:
            raise BookError(f"book {self._book_name} is of {self._book.game}, not of {game}")
        return self._book

    def _solver_of(self, game: Game) -> Solver:
        solver = self._solvers.get(game)
        if solver is None or not solver.is_for(game):
            solver = self._solvers[game] = Solver(game, self._memory)
        return solver


class _Spent:
    """A budget, and what has been spent of it."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.nodes = 0
        self._began = time.perf_counter()

    def half(self) -> Budget:
        """Half of what is left, for an attempt to solve."""
        budget = self.budget
        if budget.seconds is None and budget.nodes is None:
            if budget.depth is None and budget.iterations is None:
                return Budget(seconds=DEFAULT_SECONDS, stop=budget.stop)
            return Budget(nodes=DEFAULT_NODES, stop=budget.stop)
        rest = self.rest()
        return Budget(
            seconds=None if rest.seconds is None else rest.seconds / 2,
            nodes=None if rest.nodes is None else max(rest.nodes // 2, 1),
            stop=budget.stop,
        )

    def rest(self) -> Budget:
        """All that is left; a limit that is used up leaves the least there can be."""
        budget = self.budget
        if budget.seconds is not None:
            budget = replace(budget, seconds=max(budget.seconds - self._elapsed(), 2e-6))
        if budget.nodes is not None:
            budget = replace(budget, nodes=max(budget.nodes - self.nodes, 1))
        return budget

    def stats(self) -> Stats:
        """Nodes and seconds of the whole decision."""
        return {"nodes": self.nodes, "seconds": self._elapsed()}

    def _elapsed(self) -> float:
        return time.perf_counter() - self._began


def _make_fallback(name: str) -> Agent:
    try:
        if parse_spec(name)[0] in ("human", "perfect"):
            raise SpecError("expected another agent, one that thinks by itself")
        return agent(name)
    except SpecError as error:
        raise SpecError(f"agent perfect: option fallback={name}: {error}") from None


register_agent(
    "perfect",
    PerfectAgent,
    options=OPTIONS,
    help="plays without a mistake, where the game has a solver and the position is in its reach",
)
