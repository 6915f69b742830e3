"""The faces of the games, by name."""

from __future__ import annotations

from .chess import ChessFace
from .connect4 import ConnectFourFace
from .drawing import Face
from .reversi import ReversiFace
from .tictactoe import TicTacToeFace
from .yavalath import YavalathFace

FACES: dict[str, Face] = {
    "chess": ChessFace(),
    "connect4": ConnectFourFace(),
    "reversi": ReversiFace(),
    "tictactoe": TicTacToeFace(),
    "yavalath": YavalathFace(),
}


def face(game_name: str) -> Face | None:
    """The face of a game, or None if the game has none.

    >>> import spielbaum as sb
    >>> from spielbaum.games.faces import face
    >>> face("chess").cell_name(sb.game("chess"), 28)
    'e4'
    >>> face("a game of yours") is None
    True
    """
    return FACES.get(game_name)
