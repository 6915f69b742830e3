"""Spielbaum: a workbench for board-game AI.

>>> import spielbaum as sb
>>> s = sb.game("connect4").state("4453")
>>> s = s.play("d3")
>>> s.to_move, s.outcome
(1, None)
"""

import sys as _sys

from spielbaum_command import end_at_interrupts as _end_at_interrupts

if _sys.argv[:1] == ["-m"] and "spielbaum" in _sys.orig_argv:  # the start of python -m spielbaum
    _end_at_interrupts()

from importlib.metadata import version as _version

from spielbaum._processor import load_core as _load_core

_load_core()  # before anything imports the core

from spielbaum.agents import (  # noqa: E402
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
from spielbaum.errors import EngineError, IllegalMove, NotationError, SpecError  # noqa: E402
from spielbaum.games import (  # noqa: E402
    Game,
    Outcome,
    PythonGame,
    State,
    Symmetry,
    game,
    games,
    perft,
    register_game,
)
from spielbaum.solving import NotSolved, Solution, SolvedMove, solve  # noqa: E402
from spielbaum.specs import Option  # noqa: E402

__version__ = _version("spielbaum")

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
    "agent",
    "agents",
    "choose_together",
    "game",
    "games",
    "perft",
    "register_agent",
    "register_game",
    "solve",
]
