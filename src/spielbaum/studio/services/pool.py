"""The processes that search, and who may use them: everything happens in the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Literal, TypeAlias

from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.protocol import LimitsView, SearchRequest, SolveRequest
from spielbaum.studio.services.queue import FairQueue
from spielbaum.studio.services.worker import Answer, Job, Told, work

LOOK_SECONDS = 0.25
PLACE_SECONDS = 1.0
"""Who waits is told his place so often."""
STOP_SECONDS = 3.0
"""How long an agent may take to stop before its process is ended."""
LATE_SECONDS = 8.0
"""How late an answer may be before its process is ended."""
COUNTED_SECONDS = 20.0
"""The longest search that is limited only by a count, which may mean nothing to the agent."""
RESTART_SECONDS = 1.0
"""A process that dies before it has answered anything is replaced after this time."""

Kind: TypeAlias = Literal["queued", "started", "report", "done", "failed", "lost"]
Listener: TypeAlias = Callable[[Kind, Answer | str | int], None]
"""Is told: the place in the queue, that it started, what is known, the answer, or a sentence."""


class TooManySearches(Exception):
    """A visitor wants more searches at a time than the server allows."""


@dataclass(eq=False)
class Ticket:
    """A search of a visitor, from the queue to its answer."""

    visitor: str
    job: Job
    listener: Listener
    started: float | None = None
    stopped: float | None = None
    cancelled: bool = False
    over: bool = False


class Worker:
    """A process, the thread that hears it, and the search that it is at."""

    def __init__(self, settings: Settings, hear: Callable[[Worker, Told | None], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=work,
            args=(theirs, settings.imports, settings.process_megabytes),
            daemon=True,
            name="spielbaum-search",
        )
        self.process.start()
        theirs.close()
        self.ticket: Ticket | None = None
        self.answers = 0
        threading.Thread(target=self._listen, args=(self._pipe, hear), daemon=True).start()

    def _listen(self, pipe: Connection, hear: Callable[[Worker, Told | None], None]) -> None:
        while True:
            try:
                told: Told | None = pipe.recv()
            except (EOFError, OSError):
                told = None
            hear(self, told)
            if told is None:
                return

    def send(self, message: Job | int) -> None:
        """Give a job, or stop the one with this number; that a process died is heard elsewhere."""
        with contextlib.suppress(OSError):
            self._pipe.send(message)

    def end(self) -> str:
        """End the process; how it ended, in a word."""
        self.process.kill()
        self.process.join(5)
        self._pipe.close()
        code = self.process.exitcode
        return signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"


@dataclass
class SearchPool:
    """Gives searches to processes, one visitor after the other, and watches over them.

    >>> import asyncio
    >>> from spielbaum.studio.services.protocol import LimitsView, Position, SearchRequest
    >>> async def ask():
    ...     pool = SearchPool(Settings(workers=1))
    ...     pool.start()
    ...     position = Position(game="connect4", moves=["a1", "b1", "a2", "b2", "a3", "b3"])
    ...     request = SearchRequest(
    ...         position=position, agent="uct", limits=LimitsView(iterations=500)
    ...     )
    ...     answer = await pool.ask("ann", request)
    ...     await pool.close()
    ...     return answer.move
    >>> asyncio.run(ask())
    'a4'
    """

    settings: Settings
    _queue: FairQueue[Ticket] = field(default_factory=FairQueue)
    _workers: list[Worker] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _watch: asyncio.Task[None] | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Start the processes; to be called in the event loop."""
        self._loop = asyncio.get_running_loop()
        self._workers = [self._worker() for _ in range(self.settings.workers)]
        self._watch = asyncio.create_task(self._look())

    async def close(self) -> None:
        """End everything."""
        if self._watch is not None:
            self._watch.cancel()
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.end()

    @property
    def waiting(self) -> int:
        """How many searches wait for their turn."""
        return len(self._queue)

    def submit(
        self, visitor: str, request: SearchRequest | SolveRequest, listener: Listener
    ) -> Ticket:
        """Put a search at the end of the visitor's line. The agent must have been permitted."""
        if self._counts[visitor] >= self.settings.waiting:
            raise TooManySearches(
                f"you have {self.settings.waiting} searches at a time already; wait for one of them"
            )
        ticket = Ticket(visitor, self._job(request), listener)
        self._counts[visitor] += 1
        self._queue.add(visitor, ticket)
        self._hand_out()
        if ticket.started is None and not ticket.over:
            listener("queued", len(self._queue))
        return ticket

    async def ask(self, visitor: str, request: SearchRequest | SolveRequest) -> Answer:
        """Search and wait for the answer; whoever stops waiting cancels the search."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def listen(kind: Kind, told: Answer | str | int) -> None:
            if answer.done():
                return
            if kind == "done" and not isinstance(told, str | int):
                answer.set_result(told)
            elif kind in ("failed", "lost"):
                answer.set_exception(ValueError(str(told)))

        ticket = self.submit(visitor, request, listen)
        try:
            return await answer
        finally:
            self.cancel(ticket)

    def stop(self, ticket: Ticket) -> None:
        """Let the agent decide now; what has not begun is cancelled."""
        if ticket.started is None:
            self.cancel(ticket)
            return
        ticket.stopped = ticket.stopped or time.monotonic()
        for worker in self._workers:
            if worker.ticket is ticket:
                worker.send(ticket.job.id)

    def cancel(self, ticket: Ticket) -> None:
        """Nobody waits for this search any more."""
        if ticket.over or ticket.cancelled:
            return
        ticket.cancelled = True
        if self._queue.remove(ticket.visitor, ticket):
            self._finish(ticket)
        else:
            self.stop(ticket)

    def _job(self, request: SearchRequest | SolveRequest) -> Job:
        number = next(self._numbers)
        if isinstance(request, SearchRequest):
            limits = request.limits
            seconds = limits.seconds
            if seconds is None:
                counted = (limits.iterations, limits.depth, limits.nodes)
                seconds = 1.0 if counted == (None, None, None) else COUNTED_SECONDS
            limits = limits.model_copy(update={"seconds": min(seconds, self.settings.seconds)})
            return Job(
                *(number, "search", request.position, limits, request.agent),
                *(request.seed, request.tree),
            )
        limits = LimitsView(seconds=min(request.seconds, self.settings.seconds))
        return Job(number, "solve", request.position, limits)

    def _worker(self) -> Worker:
        loop = self._loop
        assert loop is not None

        def hear(worker: Worker, told: Told | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended
                loop.call_soon_threadsafe(self._heard, worker, told)

        return Worker(self.settings, hear)

    def _hand_out(self) -> None:
        for worker in self._workers:
            if worker.ticket is None and len(self._queue):
                ticket = self._queue.take()
                worker.ticket = ticket
                ticket.started = time.monotonic()
                worker.send(ticket.job)
                ticket.listener("started", 0)

    def _heard(self, worker: Worker, told: Told | None) -> None:
        ticket = worker.ticket
        if worker not in self._workers:
            return
        if told is None:
            self._replace(worker, "its process ended ({})")
            return
        kind, number, answer = told
        worker.answers += 1
        if ticket is None or ticket.job.id != number:
            return
        if kind != "report":
            worker.ticket = None
            self._finish(ticket)
        if not ticket.cancelled:
            ticket.listener(kind, answer)
        self._hand_out()

    def _replace(self, worker: Worker, why: str) -> None:
        """End a process and start another; its visitor is told."""
        place = self._workers.index(worker)
        ended = worker.end()
        ticket, worker.ticket = worker.ticket, None
        if ticket is not None:
            self._finish(ticket)
            if not ticket.cancelled:
                ticket.listener("lost", f"the search was lost: {why.format(ended)}")
        if worker.answers or self._loop is None:
            self._workers[place] = self._worker()
            self._hand_out()
        else:  # something is wrong with every process; do not try without a pause
            del self._workers[place]
            self._loop.call_later(RESTART_SECONDS, self._restart)

    def _restart(self) -> None:
        if self._watch is not None and not self._watch.done():
            self._workers.append(self._worker())
            self._hand_out()

    def _finish(self, ticket: Ticket) -> None:
        ticket.over = True
        self._counts[ticket.visitor] -= 1
        if not self._counts[ticket.visitor]:
            del self._counts[ticket.visitor]

    async def _look(self) -> None:
        """End what hangs, and tell those who wait how many are before them."""
        told = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = time.monotonic()
            for worker in list(self._workers):
                ticket = worker.ticket
                if ticket is None or ticket.started is None:
                    continue
                longest = (ticket.job.limits.seconds or 0.0) + LATE_SECONDS
                if now - ticket.started > longest:
                    self._replace(worker, "the agent did not answer in time")
                elif ticket.stopped is not None and now - ticket.stopped > STOP_SECONDS:
                    self._replace(worker, "the agent did not stop when it was told to")
            if now - told >= PLACE_SECONDS:
                told = now
                for place, ticket in enumerate(self._queue.items(), start=1):
                    ticket.listener("queued", place)
