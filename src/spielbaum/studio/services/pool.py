"""Searches of visitors, and the processes that do them: everything happens in the event loop."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Literal, TypeAlias

from spielbaum.base.errors import MISTAKES
from spielbaum.base.workers import Done, Event, Failed, Lost, Pool, Told
from spielbaum.solvers import NotSolved
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.protocol import SearchRequest, SolveRequest
from spielbaum.studio.services.queue import FairQueue
from spielbaum.studio.services.worker import Answer, think

LOOK_SECONDS = 0.25
"""How often it is looked whether an agent hangs."""
PLACE_SECONDS = 1.0
"""How often visitors who wait are told their place in the queue."""
STOP_SECONDS = 3.0
"""How long an agent may take to stop before its process is ended."""
LATE_SECONDS = 8.0
"""How late an answer may be before its process is ended."""
COUNTED_SECONDS = 20.0
"""The longest search that is limited only by a count, which may mean nothing to the agent."""

Kind: TypeAlias = Literal["queued", "started", "report", "done", "failed", "lost"]
Listener: TypeAlias = Callable[[Kind, Answer | str | int], None]
"""Is told: the place in the queue, that it started, what is known, the answer, or a sentence."""
Seat: TypeAlias = tuple[str, str, int, str]
"""The seat of an agent in a game: visitor, session, player, and the agent's spec."""
WHY_LOST = {
    "death": "its process ended ({})",
    "hang": "the agent did not answer in time",
    "stop": "the agent did not stop when it was told to",
}


class TooManySearches(Exception):
    """A visitor wants more searches at a time than the server allows."""


@dataclass(eq=False)
class Ticket:
    """A search of a visitor, from the queue to its answer."""

    visitor: str
    request: SearchRequest | SolveRequest
    listener: Listener
    seat: Seat | None
    """Of an agent that is kept from move to move."""
    task: int | None = None
    """Its number in the pool, as soon as it has started."""
    cancelled: bool = False
    over: bool = False


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
    _pool: Pool = field(init=False)
    _queue: FairQueue[Ticket] = field(default_factory=FairQueue)
    _running: dict[int, Ticket] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _seats: dict[Seat, None] = field(default_factory=dict)
    """Whose agents are kept; the one that was used last is at the end."""
    _pipes: dict[Connection, int] = field(default_factory=dict)
    """What the event loop listens to, and by which file number."""
    _watch: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self._pool = self.settings.pool(self.settings.workers)

    def start(self) -> None:
        """Start the processes; to be called in the event loop."""
        self._pool.start()
        self._watch = asyncio.create_task(self._look())
        self._go_on()

    async def close(self) -> None:
        """End everything."""
        if self._watch is not None:
            self._watch.cancel()
        self._pool.close()
        self._listen()

    @property
    def waiting(self) -> int:
        """How many searches wait for their turn."""
        return len(self._queue)

    def submit(
        self,
        visitor: str,
        request: SearchRequest | SolveRequest,
        listener: Listener,
        seat: Seat | None = None,
    ) -> Ticket:
        """Put a search at the end of the visitor's line. The agent must have been permitted."""
        if self._counts[visitor] >= self.settings.waiting:
            raise TooManySearches(
                f"you have {self.settings.waiting} searches at a time already; wait for one of them"
            )
        ticket = Ticket(visitor, self._bounded(request), listener, seat)
        self._counts[visitor] += 1
        self._queue.add(visitor, ticket)
        self._go_on()
        if ticket.task is None and not ticket.over:
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
        if ticket.task is None:
            self.cancel(ticket)
        else:
            self._pool.stop(ticket.task, STOP_SECONDS)

    def cancel(self, ticket: Ticket) -> None:
        """Forget a search that nobody waits for any more."""
        if ticket.over or ticket.cancelled:
            return
        ticket.cancelled = True
        if self._queue.remove(ticket.visitor, ticket):
            self._finish(ticket)
        else:
            self.stop(ticket)

    def leave(self, visitor: str, session: str | None = None) -> None:
        """Drop the agents of a visitor's game, or of all of his games."""
        for seat in list(self._seats):
            if seat[0] == visitor and session in (None, seat[1]):
                self._drop(seat)

    def _drop(self, seat: Seat) -> None:
        del self._seats[seat]
        self._pool.forget(seat)

    def _bounded(self, request: SearchRequest | SolveRequest) -> SearchRequest | SolveRequest:
        """The same request, with a limit of seconds that the server allows."""
        most = self.settings.seconds
        if isinstance(request, SolveRequest):
            return request.model_copy(update={"seconds": min(request.seconds, most)})
        limits = request.limits
        seconds = limits.seconds
        if seconds is None:
            counted = (limits.iterations, limits.depth, limits.nodes)
            seconds = 1.0 if counted == (None, None, None) else COUNTED_SECONDS
        limits = limits.model_copy(update={"seconds": min(seconds, most)})
        return request.model_copy(update={"limits": limits})

    def _go_on(self) -> None:
        """Hear what the processes say, and give searches to those that are idle."""
        while True:
            for event in self._pool.events(0.0):
                self._hear(event)
            ticket = self._next()
            if ticket is None:
                break
            self._begin(ticket)
        self._listen()

    def _next(self) -> Ticket | None:
        """Take a search from the queue if there is an idle process.

        That is the first one whose agent is kept by an idle process, or nowhere; without any, the
        first of all, whose agent begins anew in another process, so that none of them is idle.
        """
        pool, queue = self._pool, self._queue
        if not pool.free():
            return None
        ticket = queue.take(lambda each: pool.free(each.seat)) or queue.take()
        if ticket is not None and ticket.seat is not None:
            pool.settle(ticket.seat)
        return ticket

    def _begin(self, ticket: Ticket) -> None:
        seat, request = ticket.seat, ticket.request
        seconds = request.seconds if isinstance(request, SolveRequest) else request.limits.seconds
        within = (seconds or 0.0) + LATE_SECONDS
        ticket.task = self._pool.give(think, request, keep=seat, within=within)
        self._running[ticket.task] = ticket
        if seat is not None:
            self._seats.pop(seat, None)
            self._seats[seat] = None
            if len(self._seats) > self.settings.kept_agents:
                self._drop(next(iter(self._seats)))
        ticket.listener("started", 0)

    def _hear(self, event: Event) -> None:
        ticket = self._running[event.task]
        if not isinstance(event, Told):
            del self._running[event.task]
            self._finish(ticket)
        if ticket.cancelled:
            return
        match event:
            case Told(_, answer):
                ticket.listener("report", answer)
            case Done(_, answer):
                ticket.listener("done", answer)
            case Failed(_, error):
                ticket.listener("failed", _sentence(ticket.request, error))
            case Lost(_, how, ended):
                ticket.listener("lost", f"the search was lost: {WHY_LOST[how].format(ended)}")

    def _finish(self, ticket: Ticket) -> None:
        ticket.over = True
        self._counts[ticket.visitor] -= 1
        if not self._counts[ticket.visitor]:
            del self._counts[ticket.visitor]

    def _listen(self) -> None:
        """Let the event loop wait for the pipes that there are now."""
        loop, pipes = asyncio.get_running_loop(), self._pool.pipes
        # First those that are gone: a new pipe may have the file number of an old one.
        for gone in self._pipes.keys() - pipes:
            loop.remove_reader(self._pipes.pop(gone))
        for pipe in pipes:
            if pipe not in self._pipes:
                self._pipes[pipe] = pipe.fileno()
                loop.add_reader(pipe.fileno(), self._go_on)

    async def _look(self) -> None:
        """End what hangs, and tell those who wait how many are before them."""
        told = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self._go_on()
            if time.monotonic() - told >= PLACE_SECONDS:
                told = time.monotonic()
                for place, ticket in enumerate(self._queue.items(), start=1):
                    ticket.listener("queued", place)


def _sentence(request: SearchRequest | SolveRequest, error: BaseException) -> str:
    """What went wrong with a search, for its visitor."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this search"
    if isinstance(error, (*MISTAKES, NotSolved, ValueError)):
        return " ".join(str(error).split())[:400]
    # Of an agent or a game in Python: its author should know.
    who = request.agent if isinstance(request, SearchRequest) else request.position.game
    return f"{who}: {type(error).__name__}: {error}"[:400]
