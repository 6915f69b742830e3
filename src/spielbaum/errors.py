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


def check_encodable(text: str, what: str, error: type[ValueError]) -> None:
    r"""Refuse half a surrogate pair: a ``str`` may hold one, but it is no character.

    >>> check_encodable("\ud800", "move", IllegalMove)
    Traceback (most recent call last):
        ...
    spielbaum._core.IllegalMove: move '\ud800' has a character that cannot be encoded
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} {text!r} must be a text, not {type(text).__name__}")
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise error(f"{what} {text[:40]!a} has a character that cannot be encoded") from None
