"""What a task has in the worker that runs it: it tells, leaves notes, keeps things, and is stopped.

Notes are whole numbers that are there even if the worker dies, because they are written to memory
that others see. Everything else is sent.
"""

from __future__ import annotations

import contextlib
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, MutableSequence, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from spielbaum.base.errors import WorkerError

T = TypeVar("T")

NOTES = 1 << 15
"""Numbers that a task can note; further ones are not kept."""
SLATE = 4 + NOTES
"""What a slate needs: the task, when it noted last, when it has to do so again, how many, they."""
MOST_KEPT = 64
"""Things that a worker keeps; the one that was not used for longest goes first."""
NOBODY = -1


@dataclass(frozen=True)
class File:
    """A file among the arguments of a task, which gets its path; a far worker gets its content."""

    path: Path


@dataclass(frozen=True)
class Note:
    """What a task noted last.

    >>> slate = Slate([0] * SLATE)
    >>> slate.begin(7, within=None)
    >>> slate.note((3, 1), within=60.0)
    >>> found = slate.read()
    >>> found.task, found.values, found.is_late
    (7, (3, 1), False)
    """

    task: int
    values: tuple[int, ...]
    seconds: float
    """Since then."""
    is_late: bool
    """Whether it should have noted something again by now."""


class Slate:
    """Where the notes of the task at hand are, in memory that others may see."""

    def __init__(self, numbers: MutableSequence[int]) -> None:
        """``numbers``: `SLATE` of 64 bits, which are wiped."""
        self._numbers = numbers
        self.begin(NOBODY, None)

    def begin(self, task: int, within: float | None) -> None:
        """Wipe the slate for a task, or for `NOBODY`."""
        self._numbers[3] = 0
        self._numbers[0] = task
        self.note((), within)

    def note(self, values: Sequence[int], within: float | None) -> None:
        """Add numbers; more have to follow within so many seconds, or the task hangs."""
        numbers, now = self._numbers, time.monotonic_ns()
        for value in values:
            count = numbers[3]
            if count < NOTES:
                numbers[4 + count] = value
                numbers[3] = count + 1
        numbers[1] = now
        numbers[2] = 0 if within is None else now + int(within * 1e9)

    def read(self) -> Note:
        """What is on the slate now."""
        task, since, due, count = (self._numbers[index] for index in range(4))
        now = time.monotonic_ns()
        values = tuple(self._numbers[4 + index] for index in range(count))
        return Note(task, values, (now - since) / 1e9, task != NOBODY and 0 < due < now)


class Order(NamedTuple):
    """A task on its way to a worker."""

    task: int
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keep: Hashable = None
    within: float | None = None


class Word(NamedTuple):
    """Something that a worker says about a task, and how long it has worked on it."""

    kind: Literal["told", "done", "failed"]
    task: int
    what: Any
    seconds: float = 0.0


class Desk:
    """Of a worker: the task at hand, what it kept of others, and whether it shall stop."""

    def __init__(self, slate: Slate, say: Callable[[Word], None]) -> None:
        self.slate = slate
        self._say = say
        self._task = NOBODY
        self._key: Hashable = None
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._stops: set[int] = set()
        self._on_stop: Callable[[], None] | None = None

    @property
    def stopped(self) -> bool:
        """Whether the task at hand shall end soon."""
        return self._task in self._stops

    def tell(self, what: object) -> None:
        """Tell whoever gave the task, on the way."""
        self._say(Word("told", self._task, what))

    def note(self, *values: int, within: float | None = None) -> None:
        """Note numbers that are known even if this worker dies; see `Slate.note`."""
        self.slate.note(values, within)

    def keep(self, make: Callable[[], T]) -> T:
        """What earlier tasks with the same key made, which is made now if there were none."""
        if self._key not in self._kept:
            self._kept[self._key] = make()
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(self._key)
        kept: T = self._kept[self._key]
        return kept

    def drop(self) -> None:
        """Keep nothing of what tasks with this key made."""
        self._kept.pop(self._key, None)

    def when_stopped(self, act: Callable[[], None]) -> None:
        """Call a function, from another thread, when the task at hand shall stop."""
        self._on_stop = act
        if self.stopped:
            act()

    def leave(self) -> bool:
        """Stop the task at hand because nobody waits for it; whether it can stop by itself."""
        act = self._on_stop
        self._stops.add(self._task)
        if act is not None:
            act()
        return act is not None

    def stop(self, task: int) -> None:
        """Hear that a task shall stop; it may not have begun."""
        self._stops.add(task)
        act = self._on_stop
        if task == self._task and act is not None:
            act()

    def run(self, order: Order) -> Word:
        """Do a task; what goes wrong is an answer, too."""
        global _desk
        outer, _desk = _desk, self
        self._task, self._key, self._on_stop = order.task, order.keep, None
        self.slate.begin(order.task, order.within)
        began = time.monotonic()
        try:
            arguments = (each.path if isinstance(each, File) else each for each in order.arguments)
            answer = order.function(*arguments)
            word = Word("done", order.task, answer, time.monotonic() - began)
        except (Exception, KeyboardInterrupt) as error:  # interrupted by what `when_stopped` does
            word = Word("failed", order.task, error, time.monotonic() - began)
        finally:
            self._task, self._on_stop = NOBODY, None
            self._stops.discard(order.task)
            _desk = outer
        self.slate.begin(NOBODY, None)  # a task that leaves by `sys.exit` is lost with its notes
        return word


_desk: Desk | None = None


def desk() -> Desk:
    """The desk of the task that is being done; outside of one, a desk that nobody looks at."""
    return _desk or Desk(Slate([0] * SLATE), lambda word: None)


def as_bytes(words: Sequence[Word]) -> bytes:
    """Words to send; one whose content cannot be sent says so instead."""
    if all(word.kind != "failed" for word in words):
        with contextlib.suppress(Exception):
            return pickle.dumps(words, pickle.HIGHEST_PROTOCOL)
    return pickle.dumps([_sendable(word) for word in words], pickle.HIGHEST_PROTOCOL)


def _sendable(word: Word) -> Word:
    try:
        pickle.loads(pickle.dumps(word))  # an exception may go out, and not come in
        return word
    except Exception as error:
        said = word.what if isinstance(word.what, BaseException) else error
        problem = WorkerError(f"{type(said).__name__}: {said}"[:400])
        return Word("failed", word.task, problem, word.seconds)
