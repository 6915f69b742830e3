"""The solver of a game: a search of the core with its table."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum import _core
from spielbaum.errors import SpecError
from spielbaum.games import game as make_game
from spielbaum.games import games

if TYPE_CHECKING:
    from spielbaum.games import Game, State

MEGABYTE = 1 << 20


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

    def __init__(self, game: Game, memory: int) -> None:
        if not 1 <= memory <= 1 << 16:
            raise SpecError(f"memory={memory}: expected a number of megabytes from 1 to 65536")
        self.game = game
        self._core = _core.make_solver(game._core, memory * MEGABYTE)
        if not self._core.exists:
            solved = ", ".join(name for name in games() if has_solver(make_game(name)))
            raise SpecError(f"{game.name} has no solver; the games with one are {solved}")
        # The core lets go of the GIL, and its table is for one search at a time.
        self._lock = threading.Lock()

    def run(
        self,
        state: State,
        wanted: Wanted,
        *,
        nodes: int | None = None,
        seconds: float | None = None,
        stop: _core.StopFlag | None = None,
        other_stop: _core.StopFlag | None = None,
    ) -> _core.SolveResult:
        """Search within the limits; the result says whether they were enough."""
        with self._lock:
            return self._core.solve(
                state._core,
                wanted.exact,
                wanted.moves,
                wanted.pv and wanted.exact,
                2**64 - 1 if nodes is None else nodes,
                math.inf if seconds is None else seconds,
                stop or _core.StopFlag(),
                other_stop or _core.StopFlag(),
            )


def has_solver(game: Game) -> bool:
    """Whether positions of a game can be solved.

    >>> import spielbaum as sb
    >>> has_solver(sb.game("reversi:size=6")), has_solver(sb.game("chess"))
    (True, False)
    """
    return _core.make_solver(game._core, 1).exists
