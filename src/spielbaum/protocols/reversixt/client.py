"""The client: it plays an agent's moves at a server, each before its deadline."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from spielbaum.agents import Agent, Decision, StopToken
from spielbaum.agents.human import HumanAgent
from spielbaum.base.errors import EngineError, IllegalMove, SpecError
from spielbaum.games import State, game
from spielbaum.play.clock import LEAST
from spielbaum.protocols.reversixt.logs import GAME
from spielbaum.protocols.reversixt.messages import (
    DEFAULT_PORT,
    FROM_SERVER,
    Disqualified,
    EndOfGame,
    EndOfPhase,
    Group,
    Map,
    Message,
    Move,
    Moved,
    ProtocolError,
    Request,
    Seat,
    encode,
    read_message,
)
from spielbaum.protocols.reversixt.times import Pace

CONNECT_SECONDS = 10.0
MARGIN = 200.0
"""Milliseconds between a move that is sent and its deadline: on large maps a search that has to end
may need some of them for the iterations it has begun."""
LAST_PART = 0.25
"""The part of the margin before the deadline at which an agent is not waited for any longer."""
STOP_SECONDS = 10.0
"""How long a search that was left to itself may take to end."""
WAITING = 1000
"""Messages that are read ahead while an agent thinks."""

M = TypeVar("M")
T = TypeVar("T")


def parse_address(text: str) -> tuple[str, int]:
    """Read ``HOST:PORT``; without a port it is that of the course.

    >>> parse_address("localhost"), parse_address("[::1]:80")
    (('localhost', 7777), ('::1', 80))
    >>> parse_address("localhost:http")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: address 'localhost:http': expected HOST:PORT, with a port \
from 1 to 65535
    """
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(DEFAULT_PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host or not (port.isascii() and port.isdecimal() and 0 < int(port[:9]) < 65536):
        raise SpecError(f"address {text!r:.80}: expected HOST:PORT, with a port from 1 to 65535")
    return host, int(port)


@dataclass(frozen=True)
class Finished:
    """A game as a client has seen it to its end, or to its own disqualification."""

    player: int
    """Which player the client was, from 0."""
    state: State

    @property
    def disqualified(self) -> bool:
        """Whether the client itself was disqualified."""
        return self.player in self.state.disqualified


async def join(
    host: str,
    port: int,
    agent: Agent,
    group: int = 0,
    margin: float = MARGIN,
    wait: float = 600.0,
    tell: Callable[[str], None] = lambda text: None,
) -> Finished:
    """Play one game at a server; `EngineError` if there is none, or if it makes no sense.

    ``margin``: milliseconds between a move that is sent and its deadline. ``wait``: seconds without
    any message after which the server is given up.
    """
    game(GAME).initial()  # what is loaded with the first game must not take time of the first move
    where = f"server {host}:{port}"
    try:
        opened = asyncio.open_connection(host, port)
        reader, writer = await asyncio.wait_for(opened, CONNECT_SECONDS)
    except OSError as error:
        problem = error.strerror or str(error)
        if isinstance(error, TimeoutError):
            problem = f"no answer within {CONNECT_SECONDS:g} s"
        elif isinstance(error, ConnectionRefusedError):  # whose own words are those of asyncio
            problem = "nothing listens there"
        raise EngineError(f"{where} cannot be reached ({problem})") from None
    client = _Client(where, reader, writer, agent, Pace(margin), wait, tell)
    try:
        writer.write(encode(Group(group)))
        return await client.play()
    finally:
        writer.close()
        await client.end()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


class _Client:
    """Follows one game, and asks the agent when the server asks for a move."""

    def __init__(
        self,
        where: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        agent: Agent,
        pace: Pace,
        wait: float,
        tell: Callable[[str], None],
    ) -> None:
        self._where = where
        self._reader = reader
        self._writer = writer
        self._agent = agent
        self._pace = pace
        self._wait = wait
        self._tell = tell
        self._player = -1
        self._over = asyncio.Event()
        self._left: list[asyncio.Future[Decision]] = []
        """Thoughts that nobody has waited for."""
        self._inbox: asyncio.Queue[tuple[Message | Exception, float]] = asyncio.Queue(WAITING)
        self.listener = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        """Read what the server says also while the agent thinks: the game may be over by then."""
        lost: Exception = EngineError(f"{self._where} ended the connection before the game's end")
        try:
            while (message := await read_message(self._reader, FROM_SERVER)) is not None:
                if message in (EndOfGame(), Disqualified(self._player + 1)):
                    self._over.set()
                await self._inbox.put((message, time.perf_counter()))
        except ProtocolError as error:
            lost = EngineError(f"{self._where}: {error}")
        except OSError as error:
            lost = EngineError(f"{self._where}: {error.strerror or error}")
        self._over.set()
        await self._inbox.put((lost, time.perf_counter()))

    async def end(self) -> None:
        """Wait for searches that were left to themselves: a program must not end under them."""
        self.listener.cancel()
        # A person may never answer, and does no harm.
        left = [] if isinstance(self._agent, HumanAgent) else self._left
        if left:
            self._agent.stop()
            await asyncio.wait(left, timeout=STOP_SECONDS)

    async def _next(self) -> tuple[Message, float]:
        try:
            message, when = await asyncio.wait_for(self._inbox.get(), self._wait)
        except TimeoutError:
            raise EngineError(f"{self._where} said nothing for {self._wait:g} s") from None
        if isinstance(message, Exception):
            raise message
        return message, when

    async def _expect(self, kind: type[M]) -> M:
        message, _ = await self._next()
        if not isinstance(message, kind):
            raise self._nonsense(f"{message}; expected a {kind.__name__}")
        return message

    def _nonsense(self, what: str) -> EngineError:
        return EngineError(f"{self._where} sent what makes no sense: {what:.200}")

    async def play(self) -> Finished:
        """Follow the game to its end, or until this client is out of it."""
        text = (await self._expect(Map)).text
        with tempfile.TemporaryDirectory(prefix="reversixt-") as folder:
            path = Path(folder) / "server.map"
            path.write_bytes(text.encode("ascii", "replace"))
            try:
                state = game(GAME, map=str(path)).initial()
            except SpecError as error:
                raise self._nonsense(str(error).replace(f" with map={path}", "")) from None
        self._player = (await self._expect(Seat)).player - 1
        if not 0 <= self._player < state.num_players:
            raise self._nonsense(f"player {self._player + 1} of {state.num_players}")
        self._tell(f"you are player {self._player + 1} of {state.num_players}")
        self._agent.reset()
        return Finished(self._player, await self._follow(state))

    async def _follow(self, state: State) -> State:
        while True:
            message, when = await self._next()
            match message:
                case Request():
                    await self._answer(state, message, when)
                case Moved():
                    state = self._moved(state, message)
                case Disqualified():
                    state = self._without(state, message.player)
                    if message.player == self._player + 1:
                        return state
                case EndOfPhase():
                    self._tell("the first phase is over")
                case EndOfGame():
                    return state
                case _:
                    raise self._nonsense(str(message))

    def _moved(self, state: State, moved: Moved) -> State:
        if state.outcome is not None or state.to_move != moved.player - 1:
            raise self._nonsense(f"a move of player {moved.player}, whose turn it is not")
        try:
            after = state.play(moved.text)
        except IllegalMove as error:
            raise self._nonsense(str(error)) from None
        self._tell(f"player {moved.player} plays {moved.text}")
        return after

    def _without(self, state: State, player: int) -> State:
        self._tell(f"player {player} is disqualified")
        try:
            return state.disqualify(player - 1)
        except IllegalMove as error:
            raise self._nonsense(str(error)) from None

    async def _answer(self, state: State, request: Request, asked: float) -> None:
        """Have the agent decide and send its move, unless the game ends meanwhile."""
        if state.outcome is not None or state.to_move != self._player:
            raise self._nonsense("a request for a move, though it is not our turn")
        budget, deadline = self._pace.budget(request), None
        if budget.seconds is not None:
            # Messages that came before may have taken some of the time.
            left = max(budget.seconds - (time.perf_counter() - asked), LEAST)
            budget = replace(budget, seconds=left, stop=StopToken())
            reserve = self._pace.margin(request) * LAST_PART
            deadline = asked + request.milliseconds / 1000 - reserve
        thinking = in_thread(lambda: self._agent.choose(state, budget))
        over = asyncio.ensure_future(self._over.wait())
        # A person may use all of the time; for an agent that takes too long another move is made.
        seconds = None
        if deadline is not None and not isinstance(self._agent, HumanAgent):
            seconds = max(deadline - time.perf_counter(), LEAST)
        try:
            either: set[asyncio.Future[Any]] = {thinking, over}
            await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if thinking.done():
                decision = thinking.result()
            elif over.done():
                return
            else:
                decision = Decision(state.legal_moves[0])
                self._tell(f"{self._agent} thinks too long: {state.text(decision.move)} is played")
        finally:
            if budget.stop is not None:
                budget.stop.stop()
            if not thinking.done():
                self._left.append(thinking)
            over.cancel()
        self._writer.write(encode(Move.parse(state.text(decision.move))))


def in_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    """Do something in a thread of its own, which nobody has to wait for at the end of the program.

    >>> async def main():
    ...     return await in_thread(lambda: 7)
    >>> asyncio.run(main())
    7
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
            future.exception()  # whoever waits gets it; nobody need
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as problem:
            error = problem
        with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, daemon=True).start()
    return future
