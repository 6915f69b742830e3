"""The pool: who does which task, what comes of it, and what is done about workers that are lost."""

from __future__ import annotations

import contextlib
import itertools
import math
import pickle
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Literal, TypeAlias, TypeVar

from spielbaum.base.errors import WorkerError
from spielbaum.base.workers.desks import NOBODY, Note, Order, Word, desk
from spielbaum.base.workers.process import Place, Processes, Worker

A = TypeVar("A")
B = TypeVar("B")

LOOK_SECONDS = 0.2
"""How often it is looked whether tasks hang."""
AHEAD_SECONDS = 0.1
"""Work that waits in a worker, so that it never waits itself."""
MOST_AHEAD = 512
DYING_SECONDS = 1.0
"""How long a process may take to end that has let go of its pipe."""
STOPPED_SECONDS = 60.0
"""How long a task may go on that was told to stop."""


@dataclass(frozen=True)
class Told:
    """Something that a task told on the way."""

    task: int
    what: Any


@dataclass(frozen=True)
class Done:
    """What a task answered."""

    task: int
    result: Any


@dataclass(frozen=True)
class Failed:
    """A task raised something, or its worker could not start."""

    task: int
    error: BaseException


@dataclass(frozen=True)
class Lost:
    """The worker of a task died, or was ended because the task hung or did not stop."""

    task: int
    how: Literal["death", "hang", "stop"]
    ended: str
    """How the worker ended, such as SIGKILL."""
    note: Note
    """What the task noted last."""


Event: TypeAlias = Told | Done | Failed | Lost


@dataclass(eq=False)
class _Slot:
    """A worker, or the place for one, and what it was given."""

    worker: Worker | None = None
    ready: bool = False
    given: dict[int, Order] = field(default_factory=dict)
    own: deque[Order] = field(default_factory=deque)
    """Tasks that nobody else may do: this worker keeps what they need."""
    keys: set[Hashable] = field(default_factory=set)
    seconds: float = math.inf
    """That a task takes, of late."""
    answered: bool = False
    """Whether a task has come to its end in this worker."""
    stops: dict[int, float] = field(default_factory=dict)
    """When tasks that were told to stop must have done so."""

    @property
    def idle(self) -> bool:
        return not self.given and not self.own

    @property
    def room(self) -> int:
        ahead = AHEAD_SECONDS / max(self.seconds, 1e-6)
        return 1 + min(int(ahead), MOST_AHEAD) - len(self.given)


class Pool:
    """Does tasks in workers, which are started when they are needed, and replaced when lost.

    >>> with Pool(1) as pool:
    ...     task = pool.give(divmod, 17, 5)
    ...     pool.events() == [Done(task, (3, 2))]
    True

    A pool belongs to one thread.
    """

    def __init__(
        self,
        size: int | None = None,
        place: Place | None = None,
        imports: Sequence[str] = (),
        megabytes: int | None = None,
    ) -> None:
        """``size``: workers at most; without it, as many as the place has room for.

        ``imports``: modules that each of them imports, which may register agents and games.
        ``megabytes``: the memory that each of them may have.
        """
        self.place = place or Processes()
        self._imports = tuple(imports)
        self._megabytes = megabytes
        self._slots = [_Slot() for _ in range(size or self.place.size())]
        self._waiting: deque[Order] = deque()
        self._numbers = itertools.count()
        self._open: dict[int, _Slot | None] = {}
        self._known: list[Event] = []
        self._looked = time.monotonic()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def size(self) -> int:
        """How many workers there are at most."""
        return len(self._slots)

    @property
    def room(self) -> int:
        """How many more tasks would be begun soon; more wait for their turn."""
        return sum(max(slot.room, 0) for slot in self._slots) - len(self._waiting)

    @property
    def open(self) -> int:
        """How many tasks were given that are not over."""
        return len(self._open)

    @property
    def pipes(self) -> list[Connection]:
        """What has to be waited for, beside other things, before `events` says something new."""
        return [slot.worker.pipe for slot in self._slots if slot.worker is not None]

    def free(self, keep: Hashable = None) -> bool:
        """Whether a task would begin at once; with a key that is known, in the worker that has it.

        Tasks that were given since the last `events` do not count yet.
        """
        slots = [slot for slot in self._slots if keep in slot.keys] or self._slots
        return any(slot.idle for slot in slots)

    def settle(self, key: Hashable) -> None:
        """Let an idle worker do the tasks with this key: the one that has it, or else another."""
        idle = [slot for slot in self._slots if slot.idle]
        if idle and not any(key in slot.keys for slot in idle):
            self.forget(key)
            min(idle, key=lambda slot: len(slot.keys)).keys.add(key)

    def give(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        keep: Hashable = None,
        within: float | None = None,
    ) -> int:
        """Let a worker call a function of a module; answers the number of the task.

        ``keep``: tasks with the same key are done by the same worker, as long as it lives, so that
        they find what `Desk.keep` made. ``within``: seconds after which a task that does not note
        anything is taken to hang.
        """
        order = Order(next(self._numbers), function, arguments, keep, within)
        slot = None if keep is None else self._slot_of(keep)
        (self._waiting if slot is None else slot.own).append(order)
        self._open[order.task] = slot
        return order.task

    def start(self) -> None:
        """Start all workers, before there is anything to do."""
        for slot in self._slots:
            self._hire(slot)

    def stop(self, task: int, within: float = STOPPED_SECONDS) -> None:
        """Tell a task to stop; it is lost if it goes on for longer than ``within`` seconds.

        What has not begun does not begin: it is lost at once.
        """
        if task not in self._open:
            return
        slot = self._open[task]
        if slot is not None and task in slot.given:
            slot.stops.setdefault(task, time.monotonic() + within)
            self._send(slot, task)
            return
        line = self._waiting if slot is None else slot.own
        line.remove(next(order for order in line if order.task == task))
        self._over(_not_begun(task))

    def events(self, timeout: float | None = None) -> list[Event]:
        """What has happened; waits for something, but not if nothing is being done.

        ``timeout``: seconds after which there may be nothing.
        """
        until = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            self.hand_out()
            left = until - time.monotonic()
            patience = 0.0 if self._known or not self._open else max(min(left, LOOK_SECONDS), 0.0)
            ready = wait(self.pipes, patience)
            for slot in self._slots:
                if slot.worker is not None and slot.worker.pipe in ready:
                    self._hear(slot)
            if time.monotonic() - self._looked > LOOK_SECONDS:
                self._look()
            if self._known or not self._open or time.monotonic() >= until:
                found, self._known = self._known, []
                self.hand_out()  # before whoever listens does something with these
                return found

    def hand_out(self) -> None:
        """Give tasks to workers that have room, first to those that have least to do.

        `events` does so, too; before anybody else waits for `pipes`, it has to be done.
        """
        batches: dict[int, list[Order]] = {}
        for index, slot in enumerate(self._slots):
            while slot.own and slot.room > 0:
                self._assign(slot, slot.own.popleft(), batches.setdefault(index, []))
        by_load = sorted(range(len(self._slots)), key=lambda index: len(self._slots[index].given))
        for index in by_load:
            slot = self._slots[index]
            share = -(-len(self._waiting) // len(self._slots))
            for _ in range(min(max(slot.room, 0), share)):
                if self._waiting:
                    self._assign(slot, self._waiting.popleft(), batches.setdefault(index, []))
        for index, batch in batches.items():
            self._hire(self._slots[index])
            self._send(self._slots[index], batch)

    def map(
        self, function: Callable[[A], B], arguments: Iterable[A], *, in_order: bool = True
    ) -> Iterator[B]:
        """The answers of a function to each argument; what goes wrong is raised.

        A worker that dies is an error: `WorkerError`. Unless they come ``in_order``, answers come
        as soon as they are there.

        >>> with Pool(2) as pool:
        ...     list(pool.map(abs, [3, -4, 0]))
        [3, 4, 0]
        """
        following = iter(arguments)
        tasks: deque[int] = deque()
        results: dict[int, B] = {}
        while True:
            for argument in itertools.islice(following, max(self.room, 0)):
                tasks.append(self.give(function, argument))
            if not tasks:
                return
            for event in self.events():
                match event:
                    case Done(task, result):
                        results[task] = result
                    case Failed(_, error):
                        raise error
                    case Lost():
                        raise WorkerError(f"a worker was lost ({event.ended})")
            if in_order:
                while tasks and tasks[0] in results:
                    yield results.pop(tasks.popleft())
            else:
                for task in list(results):
                    tasks.remove(task)
                    yield results.pop(task)

    def forget(self, key: Hashable) -> None:
        """Drop what tasks with this key have kept; any worker may do the next one."""
        for slot in self._slots:
            if key in slot.keys:
                slot.keys.discard(key)
                if slot.worker is not None:
                    self._send(slot, [Order(NOBODY, _drop, (), key)])

    def close(self) -> None:
        """End all workers, whatever they do."""
        for slot in self._slots:
            if slot.worker is not None:
                slot.worker.end()
                slot.worker = None
        self._slots = [_Slot() for _ in self._slots]
        self._waiting.clear()
        self._open.clear()

    def _slot_of(self, key: Hashable) -> _Slot:
        for slot in self._slots:
            if key in slot.keys:
                return slot
        chosen = min(self._slots, key=lambda slot: (len(slot.keys), len(slot.given)))
        chosen.keys.add(key)
        return chosen

    def _hire(self, slot: _Slot) -> None:
        if slot.worker is None:
            slot.worker = self.place.hire(self._imports, self._megabytes)
            slot.ready, slot.answered, slot.seconds = False, False, math.inf

    def _assign(self, slot: _Slot, order: Order, batch: list[Order]) -> None:
        slot.given[order.task] = order
        self._open[order.task] = slot
        batch.append(order)

    def _send(self, slot: _Slot, message: list[Order] | int) -> None:
        assert slot.worker is not None
        with contextlib.suppress(OSError):  # that it died shows when its answer is waited for
            slot.worker.pipe.send(message)

    def _hear(self, slot: _Slot) -> None:
        """Take what a worker says; that it says nothing any more means that it is lost."""
        assert slot.worker is not None
        try:
            words: list[Word] = pickle.loads(slot.worker.pipe.recv_bytes())
        except (EOFError, OSError):
            self._replace(slot, "death")
            return
        for word in words:
            if word.task == NOBODY:
                slot.ready = word.kind == "done"
                if not slot.ready:
                    self._give_up(slot, word.what)
                    return
            elif word.task in slot.given:
                self._take(slot, word)

    def _take(self, slot: _Slot, word: Word) -> None:
        if word.kind == "told":
            self._known.append(Told(word.task, word.what))
            return
        known = slot.seconds if slot.seconds < math.inf else word.seconds
        slot.seconds = max(0.8 * known + 0.2 * word.seconds, 1e-6)
        slot.answered = True
        done = word.kind == "done"
        self._over(Done(word.task, word.what) if done else Failed(word.task, word.what))

    def _over(self, event: Done | Failed | Lost) -> None:
        slot = self._open.pop(event.task)
        if slot is not None:
            slot.given.pop(event.task, None)
            slot.stops.pop(event.task, None)
        self._known.append(event)

    def _look(self) -> None:
        """End workers whose task hangs, or does not stop."""
        self._looked = now = time.monotonic()
        for slot in self._slots:
            if slot.worker is None or not slot.given:
                continue
            note = slot.worker.note()
            late, due = note.is_late, slot.stops.get(note.task, math.inf)
            if note.task in slot.given and (late or due < now):
                while slot.worker is not None and slot.worker.pipe.poll():
                    self._hear(slot)  # perhaps it has just ended
                if note.task in slot.given and slot.worker is not None:
                    self._replace(slot, "hang" if late else "stop")

    def _replace(self, slot: _Slot, how: Literal["death", "hang", "stop"]) -> None:
        """End a worker; what it had not begun is given to the next."""
        assert slot.worker is not None
        worker, note = slot.worker, slot.worker.note()
        ended = worker.end(DYING_SECONDS if how == "death" else 0.0)
        slot.worker = None
        if not slot.ready:
            self._give_up(slot, _no_start(ended))
            return
        if note.task in slot.given:
            self._over(Lost(note.task, how, ended, note))
        elif slot.given and not slot.answered:  # it would die again and again
            self._give_up(slot, _no_start(ended))
            return
        for order in reversed(list(slot.given.values())):
            if order.task in slot.stops:
                self._over(_not_begun(order.task))
                continue
            (self._waiting if order.keep is None else slot.own).appendleft(order)
            self._open[order.task] = None if order.keep is None else slot
        slot.given.clear()
        slot.stops.clear()

    def _give_up(self, slot: _Slot, error: BaseException) -> None:
        """Say that tasks failed because their worker could not start."""
        if slot.worker is not None:
            slot.worker.end()
            slot.worker = None
        for task in list(slot.given):
            self._over(Failed(task, error))


def wait_for(pools: Iterable[Pool], timeout: float) -> None:
    """Wait until one of several pools has something to say, or for so many seconds."""
    for pool in pools:
        pool.hand_out()
    wait([pipe for pool in pools for pipe in pool.pipes], timeout)


def _not_begun(task: int) -> Lost:
    return Lost(task, "stop", "it had not begun", Note(task, (), 0.0, is_late=False))


def _drop() -> None:
    desk().drop()


def _no_start(ended: str) -> WorkerError:
    return WorkerError(
        f"a worker ended before its first task ({ended}); "
        "a script that starts workers must do so under if __name__ == '__main__':"
    )
