"""What Spielbaum raises at a user's mistake: each message is one sentence that names the value.

All of them are `ValueError`, so that one ``except`` clause is enough.
"""

from __future__ import annotations

from spielbaum._core import IllegalMove, NotationError

__all__ = ["IllegalMove", "NotationError", "SpecError"]


class SpecError(ValueError):
    """A game or agent spec that does not exist, cannot be read, or has a bad option.

    >>> import spielbaum as sb
    >>> try:
    ...     sb.game("connect4:rows=99")
    ... except sb.SpecError as error:
    ...     print(error)
    game connect4: option rows=99: expected a whole number from 2 to 16
    """
