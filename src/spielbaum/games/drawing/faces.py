"""The faces of the games: a module of the game's name has it, or the game's cells make one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielbaum.base.discover import load, names
from spielbaum.games.drawing.plain import PlainFace
from spielbaum.games.drawing.stones import stone_face

if TYPE_CHECKING:
    from spielbaum.games.drawing.text import Face
    from spielbaum.games.game import Game


def face(game_name: str) -> Face | None:
    """The face of a game, or None if the game has none.

    >>> import spielbaum as sb
    >>> from spielbaum.games.drawing.faces import face
    >>> face("chess").cell_name(sb.game("chess"), 28)
    'e4'
    >>> face("a game of yours") is None
    True
    """
    if game_name not in names(__package__):
        return None
    found: Face | None = getattr(load(__package__, game_name), "FACE", None)
    return found


def face_of(game: Game) -> Face:
    """The face of a game: its own, one that is made of its layout, or its text."""
    return face(game.name) or stone_face(game) or PlainFace()
