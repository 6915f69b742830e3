"""The solver of a game: a search of the core with its table."""

from __future__ import annotations

import math
import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum import _core
from spielbaum.base.errors import SpecError
from spielbaum.base.memory import MEGABYTE, memory_option
from spielbaum.base.turn import Turn
from spielbaum.games.game import game as make_game
from spielbaum.games.game import native_games
from spielbaum.models.ntuple_file import core_network

if TYPE_CHECKING:
    from spielbaum.games import Game, State
    from spielbaum.models.ntuple import NTupleNetwork


@dataclass(frozen=True)
class Wanted:
    """What is asked about a position.

    >>> Wanted(exact=False).moves
    True
    """

    exact: bool
    """Scores; else only win, draw or loss."""
    moves: bool = True
    """The value of every legal move, too."""
    pv: bool = False
    """A line of best play, too; there is none without scores."""


class Solver:
    """The solver of one game with its table, which solutions of later positions profit from.

    >>> import spielbaum as sb
    >>> g = sb.game("connect4:rows=4,columns=4")
    >>> Solver(g, memory=1).run(g.initial(), Wanted(exact=False)).score
    0
    """

    def __init__(
        self,
        game: Game,
        memory: int,
        order: NTupleNetwork | None = None,
        order_stones: int = 8,
    ) -> None:
        # A network has a say in the order of moves of positions with fewer stones; later on, a
        # solver that takes one orders moves better by itself.
        size = int(memory_option(1).check(memory)) * MEGABYTE
        if not has_solver(game):
            known = ", ".join(name for name in native_games() if has_solver(make_game(name)))
            raise SpecError(f"{game.name} has no solver; the games with one are {known}")
        self._game = weakref.ref(game)  # who holds a solver need not hold its game
        facts = game._core.solver
        if order is not None and (facts is None or not facts.takes_order):
            raise SpecError(f"the solver of {game.name} takes no network for the order of moves")
        self._core = _core.make_solver(game._core, size, core_network(order, game), order_stones)
        # The core lets go of the GIL, and its table is for one search at a time.
        self._turn = Turn()

    def is_for(self, game: Game) -> bool:
        """Whether this solver can solve that very game; an equal one is another to the core."""
        return self._game() is game and not self._turn.torn

    def run(
        self,
        state: State,
        wanted: Wanted,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: _core.StopFlag | None = None,
        other_stop: _core.StopFlag | None = None,
        progress: _core.SolveProgress | None = None,
    ) -> _core.SolveResult:
        """Search within the limits; the result says whether they were enough."""
        with self._turn:
            return self._core.solve(
                state._core,
                wanted.exact,
                wanted.moves,
                wanted.pv and wanted.exact,
                2**64 - 1 if nodes is None else nodes,
                math.inf if seconds is None else seconds,
                stop or _core.StopFlag(),
                other_stop or _core.StopFlag(),
                progress,
            )


def has_solver(game: Game) -> bool:
    """Whether positions of a game can be solved.

    >>> import spielbaum as sb
    >>> has_solver(sb.game("reversi:size=6")), has_solver(sb.game("chess"))
    (True, False)
    """
    return game._core.solver is not None


KEPT = 1024
"""Megabytes of tables that are kept for later calls, in all; the last one is always kept."""

_solvers: dict[tuple[Game, int], Solver] = {}
"""By game and megabytes, the last used at the end."""
_solvers_lock = threading.Lock()


def shared_solver(game: Game, memory: int) -> Solver:
    """The solver of a game that all who ask for it share, with a table of so many megabytes.

    >>> import spielbaum as sb
    >>> g = sb.game("tictactoe")
    >>> shared_solver(g, 1) is shared_solver(g, 1)
    True
    """
    with _solvers_lock:
        solver = _solvers.pop((game, memory), None)
        if solver is None or not solver.is_for(game):
            solver = Solver(game, memory)
        used = memory
        for key in reversed(list(_solvers)):
            used += key[1]
            if used > KEPT:
                del _solvers[key]
        _solvers[game, memory] = solver
        return solver
