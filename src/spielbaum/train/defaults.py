"""How large a game is, and what a training by default makes of that."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from spielbaum.base.errors import SpecError
from spielbaum.games import Game

SMALL_CELLS, MEDIUM_CELLS = 16, 64
"""The most cells of small and of medium boards: tic-tac-toe, and Connect Four or Reversi."""
MEDIUM_ACTIONS = 256
"""The most actions of a medium game; chess has 4,672."""

T = TypeVar("T")
Size = Literal["small", "medium", "large"]


def size_of(game: Game) -> Size:
    """Return how large a game is, by the cells of its board and its moves.

    >>> import spielbaum as sb
    >>> [size_of(sb.game(name)) for name in ("tictactoe", "connect4", "chess")]
    ['small', 'medium', 'large']
    """
    cells = len(game.initial().cells)
    if not cells and game.encodings:
        _, rows, columns = game.plane_shape(game.encodings[0])
        cells = rows * columns
    if cells > MEDIUM_CELLS or game.num_actions > MEDIUM_ACTIONS:
        return "large"
    return "small" if cells <= SMALL_CELLS else "medium"


def pick(game: Game, small: T, medium: T, large: T) -> T:
    """Return one of three values by the size of a game.

    >>> import spielbaum as sb
    >>> pick(sb.game("connect4"), 1, 2, 3)
    2
    """
    return {"small": small, "medium": medium, "large": large}[size_of(game)]


def network_for(game: Game, **more: Any) -> dict[str, Any]:
    """Return the section ``[network]`` for a game; `SpecError` if a network cannot see it.

    >>> import spielbaum as sb
    >>> network_for(sb.game("tictactoe"))
    {'kind': 'dense', 'blocks': 2, 'width': 96}
    """
    if not game.encodings:
        raise SpecError(f"{game} has no planes, which networks see; train ntuple needs none")
    kind, blocks, width = pick(game, ("dense", 2, 96), ("residual", 3, 32), ("residual", 4, 48))
    return {"kind": kind, "blocks": blocks, "width": width, **more}
