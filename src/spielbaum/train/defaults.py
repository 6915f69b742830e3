"""How large a game is, and what a training by default makes of that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from spielbaum.games import Game
from spielbaum.train.config import read_toml

SMALL_CELLS, MEDIUM_CELLS = 16, 64
"""The most cells of small and of medium boards: tic-tac-toe, and Connect Four or Reversi."""
MEDIUM_ACTIONS = 1000
"""The most actions of a medium game; chess has 4,672."""


def size_of(game: Game) -> Literal["small", "medium", "large"]:
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


def default_values(folder: Path, game: Game) -> dict[str, Any]:
    """Return what ``default.toml`` of a method says for games of this size.

    It has the tables ``all``, ``small``, ``medium`` and ``large``, and ``python`` for games whose
    rules are in Python; later ones count more.
    """
    tables, values = read_toml(folder / "default.toml"), {"game": str(game)}
    for name in ("all", size_of(game), *(("python",) if game.is_python else ())):
        values = _merged(values, tables.get(name, {}))
    return values


def _merged(values: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(values)
    for key, value in others.items():
        found[key] = _merged(found.get(key, {}), value) if isinstance(value, dict) else value
    return found
