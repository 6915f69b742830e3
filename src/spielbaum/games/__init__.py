"""Games: rules from the C++ core or in pure Python, behind one immutable `State`."""

from spielbaum.games.game import Game, game, games, register_game
from spielbaum.games.outcome import Outcome
from spielbaum.games.python_game import PythonGame
from spielbaum.games.state import State, Symmetry, perft
from spielbaum.games.vector import VectorGame

__all__ = [
    "Game",
    "Outcome",
    "PythonGame",
    "State",
    "Symmetry",
    "VectorGame",
    "game",
    "games",
    "perft",
    "register_game",
]
