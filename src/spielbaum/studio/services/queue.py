"""Who comes next: every visitor in turn, however many searches one of them wants."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """First come, first served, but one visitor after the other.

    >>> queue = FairQueue()
    >>> for visitor, item in (("ann", 1), ("ann", 2), ("ann", 3), ("bob", 4)):
    ...     queue.add(visitor, item)
    >>> [queue.take() for _ in range(4)]
    [1, 4, 2, 3]
    """

    def __init__(self) -> None:
        self._lines: dict[str, deque[T]] = {}
        """By visitor; the visitor whose turn it is comes first."""

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def add(self, visitor: str, item: T) -> None:
        """Put an item at the end of its visitor's line."""
        self._lines.setdefault(visitor, deque()).append(item)

    def take(self, fits: Callable[[T], bool] = lambda item: True) -> T | None:
        """Remove the first item that fits, and put its visitor at the end; None if none does."""
        for visitor, item in self._in_order():
            if fits(item):
                self.remove(visitor, item)
                if (line := self._lines.pop(visitor, None)) is not None:
                    self._lines[visitor] = line
                return item
        return None

    def remove(self, visitor: str, item: T) -> bool:
        """Forget an item; whether it was there."""
        line = self._lines.get(visitor)
        if line is None or item not in line:
            return False
        line.remove(item)
        if not line:
            del self._lines[visitor]
        return True

    def items(self) -> Iterator[T]:
        """All items in the order in which they will be taken, if nobody comes or goes."""
        return (item for _, item in self._in_order())

    def _in_order(self) -> Iterator[tuple[str, T]]:
        lines = [(visitor, list(line)) for visitor, line in self._lines.items()]
        for place in range(max((len(line) for _, line in lines), default=0)):
            for visitor, line in lines:
                if place < len(line):
                    yield visitor, line[place]
