"""`solve()`: the exact value of a position, where the game has a solver."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from spielbaum import _core
from spielbaum.agents.budget import Budget
from spielbaum.errors import SpecError
from spielbaum.games import Game, State

MEGABYTE = 1 << 20


class NotSolved(RuntimeError):
    """The budget ended before the position was solved.

    >>> import spielbaum as sb
    >>> try:
    ...     sb.solve(sb.game("connect4").initial(), budget=sb.Budget(nodes=1000))
    ... except sb.NotSolved as error:
    ...     print(error)
    connect4 at '' is not solved after 1,000 nodes
    """


@dataclass(frozen=True)
class SolvedMove:
    """The exact value of one legal move for the player who chooses.

    >>> import spielbaum as sb
    >>> sb.solve(sb.game("connect4").state("52753311433677442422121")).moves[4]
    SolvedMove(move=4, score=8, value=1.0)
    """

    move: int
    score: int
    value: float


@dataclass(frozen=True)
class Solution:
    """The exact value of a position for the side to move.

    >>> import spielbaum as sb
    >>> solution = sb.solve(sb.game("connect4").state("52753311433677442422121"))
    >>> solution.score, solution.value, solution.pv[0]
    (8, 1.0, 4)
    """

    score: int
    """In the convention of the game. Connect Four: k for a win with one's k-th last stone, negative
    for a loss, 0 for a draw. With ``exact=False`` only the sign: 1, 0 or -1."""
    value: float
    """1.0 win, 0.0 draw, -1.0 loss."""
    moves: tuple[SolvedMove, ...]
    """Every legal move with its value, in the order of ``state.legal_moves``."""
    pv: tuple[int, ...]
    """A line of best play to the end; empty with ``exact=False``."""
    nodes: int
    """Positions that were searched."""
    seconds: float


class _GameSolver:
    """The solver of one game with its table, which solutions of later positions profit from."""

    def __init__(self, core: _core.Solver) -> None:
        self.core = core
        # The core lets go of the GIL, and its table is for one search at a time.
        self.lock = threading.Lock()


_solvers: WeakKeyDictionary[Game, dict[int, _GameSolver]] = WeakKeyDictionary()


def solve(
    state: State,
    *,
    exact: bool = True,
    moves: bool = True,
    pv: bool = True,
    budget: Budget | None = None,
    memory: int = 256,
) -> Solution:
    """Solve a position: its value, the value of every move, and a line of best play.

    ``exact=False`` finds only win, draw or loss, which is much faster; ``moves=False`` and
    ``pv=False`` leave out the values of the moves and the line. ``memory`` is the size of the table
    in megabytes; it is kept for later calls. Raises `NotSolved` if the budget (seconds, nodes,
    stop) ends first.

    >>> import spielbaum as sb
    >>> solution = sb.solve(sb.game("connect4").state("52753311433677442422121"))
    >>> [move.score for move in solution.moves]
    [2, 3, 7, 7, 8, 7, 2]
    """
    solver = _solver_of(state.game, memory)
    limits = budget or Budget()
    with solver.lock:
        result = solver.core.solve(
            state._core,
            exact,
            moves,
            pv and exact,
            limits.nodes if limits.nodes is not None else 2**64 - 1,
            limits.seconds if limits.seconds is not None else math.inf,
            _core.StopFlag() if limits.stop is None else limits.stop.flag,
        )
    if not result.solved:
        raise NotSolved(
            f"{state.game} at {state.notation!r} is not solved after {result.nodes:,} nodes"
        )
    return Solution(
        result.score,
        _sign(result.score),
        tuple(SolvedMove(move, score, _sign(score)) for move, score in result.moves),
        tuple(result.line),
        result.nodes,
        result.seconds,
    )


def _sign(score: int) -> float:
    return float((score > 0) - (score < 0))


def _solver_of(game: Game, memory: int) -> _GameSolver:
    if not 1 <= memory <= 1 << 16:
        raise SpecError(f"memory={memory}: expected a number of megabytes from 1 to 65536")
    by_memory = _solvers.setdefault(game, {})
    if memory not in by_memory:
        core = _core.make_solver(game._core, memory * MEGABYTE)
        if not core.exists:
            raise SpecError(f"{game.name} has no solver")
        by_memory[memory] = _GameSolver(core)
    return by_memory[memory]
