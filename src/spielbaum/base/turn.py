"""Taking turns: a search thinks about one position at a time, whatever threads and forks do."""

from __future__ import annotations

import os
import threading
from weakref import WeakSet

_turns: WeakSet[Turn] = WeakSet()


class Turn:
    """Lets one thread after the other use a search, which is about one position at a time.

    A process that was forked while another thread was searching has half of that search: there, the
    turn is `torn` and raises an error instead of waiting for a thread that does not exist.

    >>> turn = Turn()
    >>> with turn:
    ...     with turn:
    ...         pass
    Traceback (most recent call last):
        ...
    RuntimeError: an agent was asked while it thinks, by its own report; use another agent there
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thinks: int | None = None
        self._torn = False
        _turns.add(self)

    @property
    def torn(self) -> bool:
        """Whether a fork has cut this process off from a search in progress."""
        return self._torn

    def __enter__(self) -> None:
        if self._thinks == threading.get_ident():
            raise RuntimeError(
                "an agent was asked while it thinks, by its own report; use another agent there"
            )
        if self._torn:
            raise RuntimeError(
                "an agent was thinking when this process was forked, and its search is torn; "
                "make a new agent here"
            )
        self._lock.acquire()
        self._thinks = threading.get_ident()

    def __exit__(self, *error: object) -> None:
        self._thinks = None
        self._lock.release()

    def _notice_fork(self) -> None:
        """Called in a new process, whose only thread is the one that forked."""
        self._torn |= self._lock.locked() and self._thinks != threading.get_ident()


def _notice_fork() -> None:
    for turn in list(_turns):
        turn._notice_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_notice_fork)
