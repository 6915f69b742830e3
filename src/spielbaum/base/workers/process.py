"""Workers that are processes of this machine."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import multiprocessing.resource_tracker
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator, MutableSequence, Sequence
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any, Protocol, cast

from spielbaum.base.imports import import_modules
from spielbaum.base.memory import limit_memory
from spielbaum.base.workers.desks import NOBODY, SLATE, Desk, Note, Order, Slate, Word, as_bytes

FLUSH_SECONDS = 0.02
"""How long an answer may wait for others that are sent with it, while there is more to do."""
LEFT_SECONDS = 60.0
"""How long a task that can be stopped may take to end when whoever gave it is gone."""


class Worker(Protocol):
    """Does tasks elsewhere; its first word, about `NOBODY`, is whether it could start."""

    pipe: Connection
    """Takes lists of orders, or numbers of tasks to stop; lists of words come out."""

    def note(self) -> Note:
        """What its task noted last."""
        ...

    def end(self, patience: float = 0.0) -> str:
        """End it, unless it does so itself within some seconds; how it ended, in a word."""
        ...


class Place(Protocol):
    """Where workers are."""

    attempts: int
    """How often a task may be begun whose worker is lost, before that is the task's own fault."""

    def size(self) -> int:
        """How many workers it has room for."""
        ...

    def hire(self, imports: Sequence[str], megabytes: int | None) -> Worker:
        """A new worker, which imports modules and has so much memory."""
        ...


class Processes:
    """This machine, whose workers are processes.

    ``parents``: whether they may have processes of their own; such processes are not ended by the
    system when this one ends without closing its pool, but by themselves a moment later. Tasks with
    a `Desk.when_stopped` are told, and have `LEFT_SECONDS` to end.
    """

    attempts = 2  # once could be bad luck, twice is the task

    def __init__(self, *, parents: bool = False) -> None:
        self._parents = parents

    def size(self) -> int:
        """One for each core."""
        return os.cpu_count() or 1

    def hire(self, imports: Sequence[str], megabytes: int | None) -> Worker:
        """Start a process."""
        return Process(tuple(imports), megabytes, daemon=not self._parents)


class Process:
    """A process that does tasks."""

    def __init__(self, imports: tuple[str, ...], megabytes: int | None, *, daemon: bool) -> None:
        # New interpreters instead of forks: a fork would copy the locks of whatever threads exist.
        context: Any = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        shared = context.RawArray(ctypes.c_int64, SLATE)
        self._slate = Slate(_numbers(shared))
        self._process = context.Process(
            target=work,
            args=(theirs, shared, imports, megabytes),
            daemon=daemon,
        )
        with interrupts_held():
            self._process.start()
        theirs.close()

    def note(self) -> Note:
        """What its task noted last."""
        return self._slate.read()

    def end(self, patience: float = 0.0) -> str:
        """Kill it, unless it ends by itself within some seconds."""
        with interrupts_held():  # a second Ctrl-C must not leave it behind
            if patience:
                self._process.join(patience)
            self._process.kill()
            self._process.join()
            self.pipe.close()
        return exit_name(self._process.exitcode)


def exit_name(code: int | None) -> str:
    """How a process ended.

    >>> exit_name(-9), exit_name(3)
    ('SIGKILL', 'exit code 3')
    """
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):  # some have no name
            return signal.Signals(-code).name
    return f"exit code {code}"


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C waits for the end of the block; processes that are started in here never get it.

    A terminal sends it to every process, but one of them is enough to end the work.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The mask is for the processes, which inherit it. Here it is not enough: any thread may get the
    # signal, and the main thread then acts on it.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    in_charge = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if in_charge else None
    came: list[tuple[int, FrameType | None]] = []
    try:
        if callable(handler):
            signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
        # Else the first process would start Python's tracker of resources, which lifts the mask.
        multiprocessing.resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if callable(handler):
            signal.signal(signal.SIGINT, handler)
            for interrupt in came[:1]:
                handler(*interrupt)


def work(pipe: Connection, shared: Any, imports: tuple[str, ...], megabytes: int | None) -> None:
    """The life of a process: tasks, until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems that cannot hold it
    outbox = _Outbox(pipe)
    try:
        if megabytes is not None:
            limit_memory(megabytes)
        import_modules(imports)
    except Exception as error:
        outbox.add(Word("failed", NOBODY, error))
        outbox.flush()
        return
    outbox.add(Word("done", NOBODY, None))
    outbox.flush()
    desk = Desk(Slate(_numbers(shared)), outbox.say)
    inbox: queue.SimpleQueue[Order] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, desk, inbox), daemon=True).start()
    threading.Thread(target=outbox.flush_often, daemon=True).start()
    while True:
        outbox.add(desk.run(inbox.get()))
        if inbox.empty():
            outbox.flush()


def _numbers(shared: Any) -> MutableSequence[int]:
    """Shared memory as a list of numbers, which is written to more quickly this way."""
    return cast(MutableSequence[int], memoryview(shared).cast("B").cast("q"))


def _listen(pipe: Connection, desk: Desk, inbox: queue.SimpleQueue[Order]) -> None:
    """Take tasks, and pass on that one shall stop; without anybody there, this process ends."""
    try:
        while True:
            message: list[Order] | int = pipe.recv()
            if isinstance(message, int):
                desk.stop(message)
            else:
                for order in message:
                    inbox.put(order)
    except (EOFError, OSError):
        if desk.leave():
            time.sleep(LEFT_SECONDS)  # the process ends earlier, when it finds nobody to answer
    finally:  # also if something cannot be unpickled: whoever gave it learns that we ended
        os._exit(1)


class _Outbox:
    """What is to be sent: several answers at once where tasks are brisk."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._words: list[Word] = []
        self._lock = threading.Lock()
        self._waiting = threading.Event()

    def add(self, word: Word) -> None:
        with self._lock:
            self._words.append(word)
        self._waiting.set()

    def say(self, word: Word) -> None:
        self.add(word)
        self.flush()

    def flush(self) -> None:
        with self._lock:
            words, self._words = self._words, []
            self._waiting.clear()
            if words:
                try:
                    self._pipe.send_bytes(as_bytes(words))
                except OSError:  # nobody is there any more
                    os._exit(1)

    def flush_often(self) -> None:
        while True:
            self._waiting.wait()
            time.sleep(FLUSH_SECONDS)
            self.flush()
