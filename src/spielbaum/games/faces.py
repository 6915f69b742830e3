"""The faces of the games: found by name, each in the module that is called like its game."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from .drawing import Face


@cache
def face(game_name: str) -> Face | None:
    """The face of a game, or None if the game has none.

    >>> import spielbaum as sb
    >>> from spielbaum.games.faces import face
    >>> face("chess").cell_name(sb.game("chess"), 28)
    'e4'
    >>> face("a game of yours") is None
    True
    """
    module = f"{__package__}.{game_name}"
    # A game in Python may have any name, also that of a module here, which then has no FACE.
    if not game_name.isidentifier() or find_spec(module) is None:
        return None
    found: Face | None = getattr(import_module(module), "FACE", None)
    return found
