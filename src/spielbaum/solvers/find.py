"""`solve()`: the exact value of a position, where the game has a solver."""

from __future__ import annotations

import math
import time
from dataclasses import replace

from spielbaum import _core
from spielbaum.base.budget import Budget
from spielbaum.games import State
from spielbaum.solvers.book.connect4 import Connect4Book
from spielbaum.solvers.book.library import shipped_book
from spielbaum.solvers.cache import SolvedCache, cache_path
from spielbaum.solvers.solution import NotSolved, Solution, make_solution
from spielbaum.solvers.solver import Solver, Wanted, shared_solver

NOTICEABLE = 0.05
"""Seconds of search after which the cache on disk is asked, and then told; less stays off it."""


def solve(
    state: State,
    *,
    exact: bool = True,
    moves: bool = True,
    pv: bool = True,
    budget: Budget | None = None,
    memory: int = 256,
    lookup: bool = True,
    progress: _core.SolveProgress | None = None,
) -> Solution:
    """Solve a position: its value, the value of every move, and a line of best play.

    ``exact=False`` finds only win, draw or loss, which is much faster; ``moves=False`` and
    ``pv=False`` leave out the values of the moves and the line. ``memory`` is the size of the table
    in megabytes; it is kept for later calls. Raises `NotSolved` if the budget (seconds, nodes,
    stop) ends first. ``lookup=False`` always searches: it asks neither the opening book nor what
    earlier programs have solved and kept on disk. Another thread may read the nodes so far from
    ``progress``.

    >>> import spielbaum as sb
    >>> solution = sb.solve(sb.game("connect4").state("52753311433677442422121"))
    >>> [move.score for move in solution.moves]
    [2, 3, 7, 7, 8, 7, 2]
    """
    found = find_solution(
        state,
        Wanted(exact, moves, pv and exact),
        shared_solver(state.game, memory),
        budget or Budget(),
        book=shipped_book(state.game) if lookup else None,
        lookup=lookup,
        progress=progress,
    )
    return replace(found, state=state)


def find_solution(
    state: State,
    wanted: Wanted,
    solver: Solver,
    budget: Budget,
    *,
    book: Connect4Book | None,
    lookup: bool,
    stop: _core.StopFlag | None = None,
    progress: _core.SolveProgress | None = None,
) -> Solution:
    """Look into the book, search for a moment, look into the cache, and search on.

    What is solved within the moment never touches the disk. A budget of nodes promises the same
    answer on every machine, and so uses no cache. Raises `NotSolved`.

    >>> import spielbaum as sb
    >>> g = sb.game("tictactoe")
    >>> solver = Solver(g, memory=1)
    >>> wanted = Wanted(exact=True)
    >>> find_solution(g.initial(), wanted, solver, sb.Budget(), book=None, lookup=False).score
    0
    """
    began = time.perf_counter()
    if book is not None:
        known = _from_book(book, state, wanted)
        if known is not None:
            return known
    path = cache_path() if lookup and budget.nodes is None else None
    cache = None if path is None else SolvedCache(path)
    limit = math.inf if budget.seconds is None else budget.seconds
    token = None if budget.stop is None else budget.stop.flag

    def search(seconds: float) -> _core.SolveResult:
        return solver.run(
            state,
            wanted,
            nodes=budget.nodes,
            seconds=seconds,
            stop=token,
            other_stop=stop,
            progress=progress,
        )

    results = [search(limit if cache is None else min(limit, NOTICEABLE))]
    if cache is not None and not results[-1].solved:
        known = cache.get(state, wanted)
        if known is not None:
            return known
        left = limit - (time.perf_counter() - began)
        if left > 0:
            results.append(search(left))
    found, nodes = results[-1], sum(result.nodes for result in results)
    if not found.solved:
        raise _not_solved(state, nodes)
    seconds = sum(result.seconds for result in results)
    solution = make_solution(found.score, found.moves, found.line, nodes, seconds, "solver")
    if cache is not None and len(results) > 1:
        cache.put(state, wanted, solution)
    return solution


def _from_book(book: Connect4Book, state: State, wanted: Wanted) -> Solution | None:
    """What the book says of a position, if it has all that is wanted."""
    began = time.perf_counter()
    moves = book.moves(state, wanted.exact) if wanted.moves else []
    line = book.line(state) if wanted.pv else []
    score = book.score(state) if wanted.exact else book.value(state)
    if moves is None or line is None or score is None or state.outcome is not None:
        return None
    return make_solution(score, moves, line, 0, time.perf_counter() - began, "book")


def _not_solved(state: State, nodes: int) -> NotSolved:
    error = NotSolved(f"{state.game} at {state.notation!r} is not solved after {nodes:,} nodes")
    error.nodes = nodes
    return error
