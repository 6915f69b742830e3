"""Connections that are limited in number and in patience, below everything that uvicorn looks at.

uvicorn counts requests that have arrived as a whole. A client that opens connections and sends half
a request, or nothing, holds an open file for each of them as long as it likes, and after 1,024 of
them a server has none left. So here:

- A request must have come within ``Settings.request_seconds``, however its bytes trickle, and an
  answer must be read on within the same time.
- There are at most so many connections, in all and of one address. One more takes the place of the
  connection that has waited longest without a whole request; those who are being answered, and open
  sockets, keep theirs. So whoever sends a whole request gets an answer, even during a flood.
- What uvicorn answers by itself has the headers of all other answers.
"""

from __future__ import annotations

import asyncio
import json
import resource
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Response

from spielbaum.studio.server.security import HEADERS
from spielbaum.studio.server.settings import Settings

ACCEPTED_AT_ONCE = 128
"""Connections that the server accepts before it looks at any of them."""
RESERVED_FILES = 2 * ACCEPTED_AT_ONCE
"""Open files that are kept for connections not yet looked at, for pipes, and for data."""
FEWEST_CONNECTIONS = 16


@dataclass
class Crowd:
    """The connections of one server: how many there may be, and which of them wait."""

    most: int
    most_of_one: int
    seconds: float
    counts: Counter[str] = field(default_factory=Counter)
    """Connections by address, without open sockets."""
    waiting: dict[PatientProtocol, None] = field(default_factory=dict)
    """Connections without a whole request, the one that has waited longest first."""

    @classmethod
    def of(cls, settings: Settings) -> Crowd:
        """Return the limits of a server, which leave it enough open files for all else.

        >>> Crowd.of(Settings(connections=100)).most
        100
        """
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = settings.connections
        if files != resource.RLIM_INFINITY:
            most = min(most, max(FEWEST_CONNECTIONS, files - RESERVED_FILES))
        return cls(most, min(settings.connections_of_one, most), settings.request_seconds)

    def make_room(self, address: str, connections: int) -> bool:
        """Give up connections that wait until there is room for one more; whether there is."""
        if self.counts[address] >= self.most_of_one:
            return self._give_up(address)
        return connections < self.most or self._give_up(None)

    def _give_up(self, address: str | None) -> bool:
        for waiting in self.waiting:
            if address is None or waiting.address == address:
                waiting.give_up()
                return True
        return False


def http_protocol(settings: Settings) -> type[PatientProtocol]:
    """Return the class of a server's connections, which all share one `Crowd`."""

    class SharingProtocol(PatientProtocol):
        crowd = Crowd.of(settings)

    return SharingProtocol


class PatientProtocol(H11Protocol):
    """A connection of uvicorn's that is given up when its request does not come."""

    crowd: Crowd

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.address = ""
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._is_counted = False

    # What asyncio calls.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, or refuse a connection that is one too many."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        has_room = self.crowd.make_room(self.address, len(self.connections) - 1)
        self.crowd.counts[self.address] += 1
        self._is_counted = True
        if not has_room:
            self._answer(503, "too many connections are open; try again in a moment")
            return
        self._arm()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; more bytes of the same request give it no more time."""
        super().data_received(data)
        if not self._is_counted:  # it has become a socket, or has been given up
            return
        if self._is_half_sent():
            self._arm()
        else:
            self._disarm()
        self._look()

    def pause_writing(self) -> None:
        """Wait for a visitor who does not read the answer, but not for ever."""
        super().pause_writing()
        self._stalled = self.loop.call_later(self.crowd.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the visitor has read."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    # What uvicorn calls.
    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn has a timer of its own for that."""
        super().on_response_complete()
        self._look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over; open pages are limited elsewhere."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._answer(400, msg)

    # Our own.
    def give_up(self) -> None:
        """Close the connection at once: somebody else needs its place."""
        self._leave()
        self.transport.abort()

    def _is_half_sent(self) -> bool:
        state = self.conn.their_state
        return state is h11.SEND_BODY or (state is h11.IDLE and bool(self.conn.trailing_data[0]))

    def _look(self) -> None:
        """Note whether this connection waits for its visitor, or the visitor for an answer."""
        cycle = self.cycle
        is_busy = cycle is not None and not cycle.response_complete and not cycle.more_body
        if is_busy or not self._is_counted:
            self.crowd.waiting.pop(self, None)
        else:
            self.crowd.waiting.setdefault(self)

    def _arm(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.crowd.seconds, self._too_late)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _leave(self) -> None:
        self._disarm()
        self.crowd.waiting.pop(self, None)
        if self._is_counted:
            self._is_counted = False
            self.crowd.counts[self.address] -= 1
            if not self.crowd.counts[self.address]:
                del self.crowd.counts[self.address]

    def _too_late(self) -> None:
        self._deadline = None
        if self._is_half_sent():
            self._answer(408, "the request did not come in time")
        else:  # browsers open connections that they may need, and expect no answer there
            self.transport.close()

    def _answer(self, status: int, sentence: str) -> None:
        """Answer without the application, and close."""
        if self.transport.is_closing():
            return
        body = json.dumps({"detail": sentence}).encode()
        headers = {
            **HEADERS,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
        }
        # An answer that has begun cannot become another one.
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            response = h11.Response(
                status_code=status, headers=list(headers.items()), reason=STATUS_PHRASES[status]
            )
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class GuardedSocket(WebSocketsSansIOProtocol):
    """A socket of uvicorn's whose refusals have the headers of all answers."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        plain = self.conn.reject

        def reject(status: Any, text: str) -> Response:
            response = plain(status, text)
            for name, value in HEADERS.items():
                response.headers[name] = value
            return response

        self.conn.reject = reject  # type: ignore[method-assign]

    async def send(self, message: Any) -> None:
        """Send on; an answer instead of a socket ends the handshake, which uvicorn overlooks."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True
