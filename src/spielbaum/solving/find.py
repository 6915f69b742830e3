"""`solve()`: the exact value of a position, where the game has a solver."""

from __future__ import annotations

import math
import time

from spielbaum import _core
from spielbaum.agents.budget import Budget
from spielbaum.books.connect4 import Connect4Book
from spielbaum.books.library import shipped_book
from spielbaum.games import State
from spielbaum.solving.cache import SolvedCache, cache_path
from spielbaum.solving.solution import NotSolved, Solution, make_solution
from spielbaum.solving.solver import Solver, Wanted, shared_solver

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
) -> Solution:
    """Solve a position: its value, the value of every move, and a line of best play.

    ``exact=False`` finds only win, draw or loss, which is much faster; ``moves=False`` and
    ``pv=False`` leave out the values of the moves and the line. ``memory`` is the size of the table
    in megabytes; it is kept for later calls. Raises `NotSolved` if the budget (seconds, nodes,
    stop) ends first. ``lookup=False`` always searches: it asks neither the opening book nor what
    earlier programs have solved and kept on disk.

    >>> import spielbaum as sb
    >>> solution = sb.solve(sb.game("connect4").state("52753311433677442422121"))
    >>> [move.score for move in solution.moves]
    [2, 3, 7, 7, 8, 7, 2]
    """
    return find_solution(
        state,
        Wanted(exact, moves, pv and exact),
        shared_solver(state.game, memory),
        budget or Budget(),
        book=shipped_book(state.game) if lookup else None,
        lookup=lookup,
    )


def find_solution(
    state: State,
    wanted: Wanted,
    solver: Solver,
    budget: Budget,
    *,
    book: Connect4Book | None,
    lookup: bool,
    stop: _core.StopFlag | None = None,
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
    if book is not None and not wanted.exact:
        known = _from_book(book, state, wanted)
        if known is not None:
            return known
    path = cache_path() if lookup and budget.nodes is None else None
    cache = None if path is None else SolvedCache(path)
    limit = math.inf if budget.seconds is None else budget.seconds
    token = None if budget.stop is None else budget.stop.flag

    def search(seconds: float) -> _core.SolveResult:
        return solver.run(
            state, wanted, nodes=budget.nodes, seconds=seconds, stop=token, other_stop=stop
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
    """Win, draw or loss by the book, if it knows the position and, if wanted, all its moves."""
    began = time.perf_counter()
    if wanted.moves:
        moves = book.moves(state)
        value = max((each for _, each in moves), default=None) if moves is not None else None
    else:
        moves, value = [], book.value(state)
    if moves is None or value is None:
        return None
    return make_solution(value, moves, [], 0, time.perf_counter() - began, "book")


def _not_solved(state: State, nodes: int) -> NotSolved:
    error = NotSolved(f"{state.game} at {state.notation!r} is not solved after {nodes:,} nodes")
    error.nodes = nodes
    return error
