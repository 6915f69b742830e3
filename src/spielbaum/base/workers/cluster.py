"""Workers of a Ray cluster, which are used as processes of this machine are."""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from spielbaum.base.discover import when_needed
from spielbaum.base.errors import SpecError
from spielbaum.base.imports import import_modules
from spielbaum.base.memory import limit_memory, used_megabytes
from spielbaum.base.workers.desks import (
    NOBODY,
    SLATE,
    Desk,
    File,
    Note,
    Order,
    Slate,
    Word,
    as_bytes,
)
from spielbaum.base.workers.process import Worker

PEEK_SECONDS = 0.5
"""How often a worker is asked how its task goes."""
START_SECONDS = 300.0
"""How long a worker may wait for room on the cluster, which may have to start machines first."""
CLOSING_SECONDS = 5.0
"""That a worker has to delete its files: it may be busy."""


class Cluster:
    """A Ray cluster; without an address, one on this machine. Needs the extra ``cluster``."""

    attempts = 4  # that a worker is lost need not be the fault of its task

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        """``workers``: how many; without it, one for each core of the cluster."""
        self._ray = ray = _load_ray()
        if not ray.is_initialized():
            own = {} if address else {"num_cpus": workers, "include_dashboard": False}
            ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
        self._workers = workers or int(ray.cluster_resources().get("CPU", 1))

    def size(self) -> int:
        """As many as were wanted, or as the cluster has cores."""
        return self._workers

    def hire(self, imports: Sequence[str], megabytes: int | None) -> Worker:
        """A worker, wherever there is room."""
        return RayWorker(self._ray, tuple(imports), megabytes)


class RayWorker:
    """A worker of the cluster; a thread passes on what is said, so that it has a pipe as others."""

    def __init__(self, ray: Any, imports: tuple[str, ...], megabytes: int | None) -> None:
        self._ray = ray
        self.pipe, theirs = multiprocessing.Pipe()
        self._note = Note(NOBODY, (), 0.0, is_late=False)
        self._said = ""
        # Two threads: one works, the other tells how it goes.
        self._actor = ray.remote(num_cpus=1, max_concurrency=2)(RemoteWorker).remote(
            imports, megabytes, tuple(sys.path)
        )
        threading.Thread(target=self._pass_on, args=(theirs,), daemon=True).start()

    def note(self) -> Note:
        """What its task noted when it was asked last."""
        return self._note

    def end(self, patience: float = 0.0) -> str:
        """End the worker; its files go first, if it listens."""
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.wait([self._actor.close.remote()], timeout=CLOSING_SECONDS)
        self._ray.kill(self._actor)
        self.pipe.close()
        return self._said or "it was ended"

    def _pass_on(self, pipe: Connection) -> None:
        ray, started = self._ray, False
        with pipe, contextlib.suppress(EOFError, OSError):  # closed, it says that this one is lost
            try:
                ray.get(self._actor.peek.remote(), timeout=START_SECONDS)
                started = True
                pipe.send_bytes(as_bytes([Word("done", NOBODY, None)]))
                self._serve(pipe)
            except ray.exceptions.GetTimeoutError:
                problem = SpecError(
                    f"the cluster has had no room for a worker for {START_SECONDS:.0f} s; "
                    "ask for fewer workers than it has cores"
                )
                pipe.send_bytes(as_bytes([Word("failed", NOBODY, problem)]))
            except ray.exceptions.RayError as error:
                self._said = str(error).strip().splitlines()[-1][:200]
                if not started:
                    problem = SpecError(f"workers of the cluster cannot start: {self._said}")
                    pipe.send_bytes(as_bytes([Word("failed", NOBODY, problem)]))

    def _serve(self, pipe: Connection) -> None:
        """Pass on one order after the other, so that it is known which one was begun."""
        waiting: deque[Order] = deque()
        known: set[str] = set()
        running: Any = None
        while True:
            while pipe.poll(None if running is None and not waiting else 0.0):
                message: list[Order] | int = pipe.recv()
                if isinstance(message, int):
                    self._actor.stop.remote(message)
                else:
                    waiting.extend(message)
            if running is None:
                order, files = without_folders(waiting.popleft())
                new = {name: path.read_bytes() for name, path in files.items() if name not in known}
                known = set(files)
                self._note = Note(order.task, (), 0.0, is_late=False)
                running = self._actor.do.remote(order, new)
            ended, _ = self._ray.wait([running], timeout=PEEK_SECONDS)
            if ended:
                pipe.send_bytes(self._ray.get(running))
                running = None
            else:
                note, told = self._ray.get(self._actor.peek.remote())
                if note.task == self._note.task:  # else it has not begun, or has just ended
                    self._note = note
                pipe.send_bytes(told)


class RemoteWorker:
    """Does tasks on another machine, with a folder of its own for the files that come with them."""

    def __init__(self, imports: Sequence[str], megabytes: int | None, path: Sequence[str]) -> None:
        """``path``: where whoever gives tasks finds modules, after the worker's own places."""
        sys.path += [each for each in path if each not in sys.path]
        import_modules(imports)
        if megabytes is not None:  # Ray itself has mapped more than any limit of ours
            limit_memory(megabytes + used_megabytes())
        self._told: queue.SimpleQueue[Word] = queue.SimpleQueue()
        self._desk = Desk(Slate([0] * SLATE), self._told.put)
        self._folder = tempfile.TemporaryDirectory(prefix="spielbaum-")

    def do(self, order: Order, new: Mapping[str, bytes]) -> bytes:
        """Do a task, and say what came of it; ``new`` are files that are not here yet."""
        folder = Path(self._folder.name)
        here = [
            File(folder / each.path) if isinstance(each, File) else each for each in order.arguments
        ]
        for path in folder.iterdir():  # networks of earlier generations would fill the disk
            if File(path) not in here:
                path.unlink()
        for name, content in new.items():
            (folder / name).write_bytes(content)
        answer = self._desk.run(order._replace(arguments=tuple(here)))
        return as_bytes([*self._all_told(), answer])

    def peek(self) -> tuple[Note, bytes]:
        """What the task at hand noted last, and what was told since it was asked before."""
        return self._desk.slate.read(), as_bytes(self._all_told())

    def stop(self, task: int) -> None:
        """Let a task stop."""
        self._desk.stop(task)

    def close(self) -> None:
        """Delete its files; a worker that is killed does not do so itself."""
        self._folder.cleanup()

    def _all_told(self) -> list[Word]:
        return [self._told.get() for _ in range(self._told.qsize())]


def without_folders(order: Order) -> tuple[Order, dict[str, Path]]:
    """An order whose files are called by their time and name, and where they are."""
    files: dict[str, Path] = {}
    arguments = []
    for each in order.arguments:
        if isinstance(each, File):
            name = f"{each.path.stat().st_mtime_ns:x}-{each.path.name}"
            files[name] = each.path
            each = File(Path(name))
        arguments.append(each)
    return order._replace(arguments=tuple(arguments)), files


def _load_ray() -> Any:
    try:
        return when_needed("ray")
    except ImportError:
        raise SpecError("work on a cluster needs Ray: pip install 'spielbaum[cluster]'") from None
