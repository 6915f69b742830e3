"""The server: it referees games of clients over TCP, and trusts none of them.

A client that is late, goes away, or sends what it may not is disqualified, and the game goes on. A
connection costs a few kilobytes whatever it sends or does not read, and nothing is waited for
without an end.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

from spielbaum.agents import Decision
from spielbaum.base.errors import EngineError, IllegalMove, SpecError
from spielbaum.games import State, game
from spielbaum.games.files import MOST_BYTES, read_file
from spielbaum.play.table import Player, Rules, Table, Turn, Watcher
from spielbaum.protocols.reversixt.logs import (
    GAME,
    BoardLog,
    GameLine,
    LineLog,
    LogFolder,
    stones_of,
)
from spielbaum.protocols.reversixt.messages import (
    DEFAULT_PORT,
    Disqualified,
    EndOfGame,
    EndOfPhase,
    Group,
    Map,
    Message,
    Move,
    Moved,
    ProtocolError,
    Seat,
    encode,
    read_message,
)
from spielbaum.protocols.reversixt.times import Allowance

MOST_CONNECTIONS = 64
"""Connections at a time; further ones are closed at once."""
BUFFER = 1024
"""Bytes of a client that are kept until they are read, at most about twice as many."""
MOST_UNREAD = MOST_BYTES + 64 * 1024
"""Bytes that a client may leave unread: the largest map, and the messages of a long game."""
HELLO_SECONDS = 5.0
"""How soon after connecting a client must say which group it is."""
LINGER_SECONDS = 2.0
"""How long a connection that is done is kept for the client to read what it was sent."""
LAST_LOOK = 0.001
"""Seconds to read what has come, before a move is late."""
GRACE = 0.25
"""Seconds of each move that are not charged, for messages on their way."""
LATE = "timeout_during_move"


class Connection:
    """A client as the server sees it; ``hear`` gets its moves, and at last why it was lost."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        group: int,
        hear: Callable[[Connection, Move | str], None],
    ) -> None:
        self.group = group
        self.hear = hear
        self.asked = False
        """Whether a move is expected; anything that comes unasked is an offence."""
        self._reader = reader
        self._writer = writer
        self._listener = asyncio.create_task(self._listen())

    @property
    def address(self) -> str:
        """Host and port of the client."""
        return _address(self._writer)

    def send(self, message: Message) -> None:
        """Send a message; a client that does not read what it was sent is lost."""
        if self._writer.is_closing():
            return
        self._writer.write(encode(message))
        if self._writer.transport.get_write_buffer_size() > MOST_UNREAD:
            self._listener.cancel()
            self.hear(self, "not_reading")

    async def _listen(self) -> None:
        reason = "connection_closed"
        try:
            while (message := await read_message(self._reader, (Move,))) is not None:
                if not self.asked:
                    reason = "unasked_message"
                    break
                self.asked = False
                assert isinstance(message, Move)
                self.hear(self, message)
        except ProtocolError as error:
            reason = error.reason
        except OSError:
            reason = "connection_lost"
        self.hear(self, reason)

    async def close(self) -> None:
        """Let the client read what it was sent, for a short time, and end the connection."""
        self._listener.cancel()
        await asyncio.gather(self._listener, return_exceptions=True)
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(self._part(), LINGER_SECONDS)
        await _end(self._writer)

    def abort(self) -> None:
        """End the connection at once."""
        self._writer.transport.abort()

    async def _part(self) -> None:
        # Closing with bytes unread would take back what the client has not read yet.
        self._writer.write_eof()
        while await self._reader.read(BUFFER):
            pass


@dataclass(frozen=True)
class Played:
    """A game that has ended."""

    line: GameLine
    groups: tuple[int, ...]
    """The group of each player."""
    disqualified: dict[int, str]
    """Why players were disqualified, by their numbers from 0."""
    seconds: float
    state: State
    """The end of the game."""


class Match(Watcher):
    """One game of clients at a table: sends what happens there, and brings their moves to it."""

    def __init__(
        self,
        start: State,
        clients: Sequence[Connection],
        allowance: Allowance,
        watchers: Sequence[Watcher] = (),
        grace: float = 0.0,
        wait: float = 600.0,
    ) -> None:
        """``grace``: seconds of each move that are free; ``wait``: for one without a limit."""
        self.disqualifications: dict[int, str] = {}
        self.seconds = 0.0
        self._clients = list(clients)
        self._allowance = allowance
        self._grace = grace
        self._wait = wait
        self._phase = 1
        self._began = 0.0
        self._news: asyncio.Queue[tuple[Connection, Move | str, float]] = asyncio.Queue()
        self._parting: list[asyncio.Task[None]] = []
        players = [Player(None, allowance.limits) for _ in clients]
        self.table = Table(start, players, Rules("disqualify"), (*watchers, self))
        for client in clients:
            client.hear = self._hear

    async def play(self) -> None:
        """Play to the end, and let the clients go."""
        began = time.perf_counter()
        try:
            while (turn := self.table.turn()) is not None:
                await self._turn(turn.player)
        finally:
            self.seconds = time.perf_counter() - began
            for player, client in enumerate(self._clients):
                if player not in self.disqualifications:
                    self._part(client)
            await asyncio.gather(*self._parting)

    async def _turn(self, player: int) -> None:
        """Wait until the player to move has done something, good or bad."""
        table = self.table
        left = table.clocks[player]
        limit = self._allowance.limits.seconds if left is None else left
        deadline = self._began + (self._wait if limit is None else limit) + self._grace
        while (turn := table.turn()) is not None and turn.player == player:
            news = await self._next(deadline)
            if news is None:
                table.fail(player, "time", LATE)
                return
            client, said, when = news
            speaker = self._clients.index(client)
            if isinstance(said, str):
                if speaker not in table.state.disqualified:
                    table.fail(speaker, "connection", said)
            elif speaker == player:
                self._move(turn, said, when, deadline)
                return

    async def _next(self, deadline: float) -> tuple[Connection, Move | str, float] | None:
        if not self._news.empty():  # what came in time counts, even if it is looked at too late
            return self._news.get_nowait()
        seconds = max(deadline - time.perf_counter(), 0.0)
        try:
            return await asyncio.wait_for(self._news.get(), seconds)
        except TimeoutError:
            pass
        # A machine that stood still must not cost a client the game: what has come meanwhile, and
        # was only not read yet, is in time.
        await asyncio.sleep(LAST_LOOK)
        if self._news.empty():
            return None
        client, said, when = self._news.get_nowait()
        return client, said, min(when, deadline - LAST_LOOK)

    def _move(self, turn: Turn, said: Move, when: float, deadline: float) -> None:
        if when > deadline:
            self.table.fail(turn.player, "time", LATE)
            return
        try:
            move = turn.state.parse(said.text)
        except IllegalMove:
            self.table.fail(turn.player, "illegal", said.text)
            return
        seconds = when - self._began
        decision = Decision(move, stats={"seconds": seconds})
        self.table.play(decision, max(seconds - self._grace, 0.0))

    def _hear(self, client: Connection, said: Move | str) -> None:
        self._news.put_nowait((client, said, time.perf_counter()))

    def _send(self, message: Message) -> None:
        for player, client in enumerate(self._clients):
            if player not in self.disqualifications:
                client.send(message)

    def _part(self, client: Connection) -> None:
        self._parting.append(asyncio.create_task(client.close()))

    def _tell_phase(self, state: State) -> None:
        (phase,) = state.details["phase"]
        if phase != self._phase:
            self._phase = phase
            self._send(EndOfPhase())

    def asked(self, turn: Turn) -> None:
        """Ask the client for a move; its time begins."""
        self._tell_phase(turn.state)
        client = self._clients[turn.player]
        client.asked = True
        self._began = time.perf_counter()
        client.send(self._allowance.request(turn.table.clocks[turn.player]))

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        """Tell all of a move."""
        made = Move.parse(turn.state.text(move))
        self._send(Moved(made.x, made.y, made.choice, turn.player + 1))

    def disqualified(self, table: Table, player: int, how: str, why: str) -> None:
        """Tell all of it, the player as well, and let him go."""
        self._send(Disqualified(player + 1))
        self.disqualifications[player] = why
        self._part(self._clients[player])

    def over(self, table: Table) -> None:
        """Tell all that the game is over."""
        self._tell_phase(table.state)
        self._send(EndOfGame())


class Server:
    """Listens for clients, and plays one game after the other with them.

    Clients connect anew for every game and sit down in the order in which they come; those who
    come while a game is on wait for the next. Nothing listens before the server is entered with
    ``async with``, or after it is left.
    """

    def __init__(
        self,
        map_name: str,
        allowance: Allowance,
        logs: LogFolder,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        wait: float = 600.0,
        grace: float = GRACE,
        pause: float = 0.5,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Prepare a server; times are in seconds.

        ``wait``: for clients to join, and for a move without a time limit. ``grace``: of each move
        that is not charged, for messages on their way. ``pause``: between the map and the first
        request, for clients to prepare. ``port``: 0 takes any that is free.
        """
        self.rules = game(GAME, map=map_name)
        self.allowance = allowance
        self.host = host
        self.port = port
        self._text = read_file(GAME, "map", map_name)
        self._logs = logs
        self._wait = wait
        self._grace = grace
        self._pause = pause
        self._tell = tell
        self._lobby: list[Connection] = []
        self._news = asyncio.Event()
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Server:
        try:
            self._server = await asyncio.start_server(
                self._welcome, self.host, self.port, limit=BUFFER
            )
        except OSError as error:
            used = error.errno == errno.EADDRINUSE
            problem = "it is in use already" if used else error.strerror or str(error)
            where = f"port {self.port} of {self.host}"
            raise SpecError(f"{where}: {problem}; expected a free one, or 0 for any") from None
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        await asyncio.gather(*(client.close() for client in self._lobby))
        await asyncio.gather(*(_end(writer) for writer in self._open))
        await self._server.wait_closed()

    async def joined(self, count: int) -> None:
        """Wait until so many clients have joined; `EngineError` if they do not."""
        end = time.monotonic() + self._wait
        while len(self._lobby) < count:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), end - time.monotonic())
            except TimeoutError:
                raise EngineError(
                    f"server {self.host}:{self.port}: {len(self._lobby)} of {count} clients "
                    f"joined within {self._wait:g} s"
                ) from None

    async def play(self) -> Played:
        """Wait for a client for each seat, play a game with them, and write its logs."""
        seats = self.rules.num_players
        await self.joined(seats)
        clients, self._lobby = self._lobby[:seats], self._lobby[seats:]
        groups = tuple(client.group for client in clients)
        name = self._logs.free_name(time.strftime("game-%Y%m%d-%H%M%S"))
        lines = LineLog()
        with self._logs.boards(name) as file:
            boards = BoardLog(file)
            boards.say(f"{name} on {self._logs.map}; {self.allowance.text}")
            for player, client in enumerate(clients, 1):
                boards.say(f"player {player}: group {client.group} at {client.address}")
            start = self.rules.initial()
            watchers = (lines, boards)
            match = Match(start, clients, self.allowance, watchers, self._grace, self._wait)
            for player, client in enumerate(clients, 1):
                client.send(Map(self._text))
                client.send(Seat(player))
            await asyncio.sleep(self._pause)
            await match.play()
        state = match.table.state
        line = self._logs.add(name, lines.entries, stones_of(state))
        return Played(line, groups, match.disqualifications, match.seconds, state)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open = {each for each in self._open if not each.is_closing()}
        if len(self._open) >= MOST_CONNECTIONS:
            writer.transport.abort()
            return
        self._open.add(writer)
        message, problem = None, "connection_closed"
        try:
            message = await asyncio.wait_for(read_message(reader, (Group,)), HELLO_SECONDS)
        except ProtocolError as error:
            problem = error.reason
        except TimeoutError:
            problem = "it sent no group number in time"
        except OSError:
            problem = "connection_lost"
        if not isinstance(message, Group):
            self._tell(f"{_address(writer)} did not join: {problem}")
            writer.transport.abort()
            return
        self._lobby.append(Connection(reader, writer, message.number, self._leave))
        self._tell(f"group {message.number} joined from {_address(writer)}")
        self._news.set()

    def _leave(self, client: Connection, said: Move | str) -> None:
        """Somebody in the lobby has gone, or said what he may not say there."""
        self._lobby.remove(client)
        self._tell(f"group {client.group} left before the game: {said}")
        client.abort()


async def _end(writer: asyncio.StreamWriter) -> None:
    """End a connection at once, whatever was still to be sent."""
    writer.transport.abort()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def _address(writer: asyncio.StreamWriter) -> str:
    host, port = (writer.get_extra_info("peername") or ("?", 0))[:2]
    return f"{host}:{port}"
