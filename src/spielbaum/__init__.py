"""Spielbaum: a workbench for board-game AI.

>>> import spielbaum as sb
>>> s = sb.game("connect4").state("4453")
>>> s = s.play("d3")
>>> s.to_move, s.outcome
(1, None)
"""

import os as _os
import sys as _sys

from spielbaum_command import end_at_interrupts as _end_at_interrupts

if _sys.argv[:1] == ["-m"] and "spielbaum" in _sys.orig_argv:  # the start of python -m spielbaum
    _end_at_interrupts()

from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

from spielbaum.base.core import load_core as _load_core
from spielbaum.base.discover import load as _load
from spielbaum.base.version import VERSION as _VERSION

_load_core()  # before anything imports the core

__version__ = _VERSION

if _TYPE_CHECKING:
    from spielbaum.agents import (
        Agent,
        Budget,
        Decision,
        Evaluator,
        MoveEval,
        StopToken,
        agent,
        agents,
        choose_together,
        register_agent,
    )
    from spielbaum.arena.contest import match, tournament
    from spielbaum.base.errors import EngineError, IllegalMove, NotationError, SpecError
    from spielbaum.base.options import Option
    from spielbaum.games import (
        Game,
        Outcome,
        PythonGame,
        State,
        Symmetry,
        VectorGame,
        game,
        games,
        perft,
        register_game,
    )
    from spielbaum.solvers import NotSolved, Solution, SolvedMove, solve

__all__ = [
    "Agent",
    "Budget",
    "Decision",
    "EngineError",
    "Evaluator",
    "Game",
    "IllegalMove",
    "MoveEval",
    "NotSolved",
    "NotationError",
    "Option",
    "Outcome",
    "PythonGame",
    "Solution",
    "SolvedMove",
    "SpecError",
    "State",
    "StopToken",
    "Symmetry",
    "VectorGame",
    "agent",
    "agents",
    "choose_together",
    "game",
    "games",
    "match",
    "perft",
    "register_agent",
    "register_game",
    "solve",
    "tournament",
]

_HOMES = ("base.errors", "base.options", "games", "solvers", "agents", "arena.contest")
"""Where the names are, the cheapest to import first."""


def __getattr__(name: str) -> object:
    """Import what a name needs when it is used for the first time."""
    if name in __all__:
        for home in _HOMES:
            module = _load(__name__, home)
            if hasattr(module, name):
                globals()[name] = found = getattr(module, name)
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(_ModuleType):
    """`games` and `agents` are functions here, although packages have the same names."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in __all__ or not isinstance(value, _ModuleType):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package

if _os.environ.get("SPIELBAUM_IMPORTS"):  # modules of the person who started this process
    _load(__name__, "base.imports").import_shared()
