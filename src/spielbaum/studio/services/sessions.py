"""One open page: its socket, its searches, and what it watches."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from dataclasses import dataclass, field
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from spielbaum.base.errors import MISTAKES
from spielbaum.studio.server.guard import permitted_agent
from spielbaum.studio.server.problems import sentence_of
from spielbaum.studio.server.security import Bucket
from spielbaum.studio.server.settings import KEPT_MEGABYTES
from spielbaum.studio.services import experiments, trainings
from spielbaum.studio.services.files import without_paths
from spielbaum.studio.services.pool import Kind, Ticket, TooManySearches
from spielbaum.studio.services.positions import state_of
from spielbaum.studio.services.protocol import (
    SOCKET_MESSAGE,
    CancelMessage,
    LeaveMessage,
    SearchMessage,
    SolveMessage,
    StopMessage,
    WatchMessage,
)
from spielbaum.studio.services.services import Services
from spielbaum.studio.services.worker import Answer

KINDS = {experiments.PREFIX: "experiment", trainings.PREFIX: "training"}
"""What is watched, by how its name begins; tournaments have no prefix."""
MOST_UNSENT = 500
"""Messages that a page may be behind before it is given up."""


@dataclass
class Session:
    """Reads what a page says, and tells it how its searches go; leaving the page ends them."""

    services: Services
    socket: WebSocket
    visitor: str = field(default_factory=lambda: secrets.token_hex(8))
    _tickets: dict[str, Ticket] = field(default_factory=dict)
    _unsent: asyncio.Queue[dict[str, Any]] = field(
        default_factory=lambda: asyncio.Queue(MOST_UNSENT)
    )
    _watched: str | None = None

    async def run(self) -> None:
        """Until the page goes away."""
        await self.socket.accept()
        settings = self.services.settings
        bucket = Bucket(settings.rate, settings.burst)
        sender = asyncio.create_task(self._send_all())
        self._tell({"type": "welcome", "visitor": self.visitor})
        try:
            while not sender.done():
                text = await self.socket.receive_text()
                if not bucket.take():
                    self._tell({"type": "error", "message": "too many messages; wait a moment"})
                    continue
                self._hear(text)
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass
        finally:
            sender.cancel()
            self._watch(None)
            for ticket in list(self._tickets.values()):
                self.services.pool.cancel(ticket)
            self.services.pool.leave(self.visitor)

    def _hear(self, text: str) -> None:
        try:
            message = SOCKET_MESSAGE.validate_json(text)
        except ValidationError as error:
            self._tell({"type": "error", "message": sentence(error)})
            return
        match message:
            case SearchMessage() | SolveMessage():
                self._search(message)
            case StopMessage():
                if (ticket := self._tickets.get(message.id)) is not None:
                    self.services.pool.stop(ticket)
                    if ticket.over:
                        self._tell({"type": "cancelled", "id": message.id})
            case CancelMessage():
                if (ticket := self._tickets.pop(message.id, None)) is not None:
                    self.services.pool.cancel(ticket)
            case LeaveMessage():
                self.services.pool.leave(self.visitor, message.session)
            case WatchMessage():
                self._watch(message.run)

    def _search(self, message: SearchMessage | SolveMessage) -> None:
        def listen(kind: Kind, told: Answer | str | int) -> None:
            if kind in ("done", "failed", "lost"):
                self._tickets.pop(message.id, None)
            value: object = told.model_dump() if isinstance(told, BaseModel) else told
            if isinstance(told, str):
                value = without_paths(told, self.services.settings)
            self._tell({"type": kind, "id": message.id, "value": value})

        if message.id in self._tickets:
            self._tell({"type": "failed", "id": message.id, "value": "this id is in use"})
            return
        try:
            state = state_of(message.position)
            request, seat = message, None
            if isinstance(message, SearchMessage):
                memory = KEPT_MEGABYTES if message.session else None
                spec = permitted_agent(message.agent, self.services.settings, memory)
                request = message.model_copy(update={"agent": spec})
                if message.session:
                    seat = (self.visitor, message.session, state.to_move, spec)
            ticket = self.services.pool.submit(self.visitor, request, listen, seat)
        except (*MISTAKES, ValueError, TooManySearches) as error:
            value = sentence_of(error, self.services.settings)
            self._tell({"type": "failed", "id": message.id, "value": value})
            return
        if not ticket.over:
            self._tickets[message.id] = ticket

    def _watch(self, name: str | None) -> None:
        runs = self.services.runs
        if self._watched is not None:
            runs.leave(self._watched, self._run_changed)
        self._watched = name
        if name is not None:
            runs.listen(name, self._run_changed)
            self._run_changed()  # it may have ended after the page looked, and before it listened

    def _run_changed(self) -> None:
        prefix, slash, name = (self._watched or "").rpartition("/")
        kind = KINDS.get(prefix + slash, "tournament")
        self._tell({"type": "run", "kind": kind, "name": name})

    def _tell(self, message: dict[str, Any]) -> None:
        try:
            self._unsent.put_nowait(message)
        except asyncio.QueueFull:  # a page that does not read is as good as gone
            with contextlib.suppress(RuntimeError):
                asyncio.ensure_future(self.socket.close(1008))  # noqa: RUF006

    async def _send_all(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self.socket.send_json(await self._unsent.get())


def sentence(error: ValidationError | RequestValidationError) -> str:
    """The first thing that is wrong with a message, in one sentence.

    >>> try:
    ...     SOCKET_MESSAGE.validate_json('{"type": "stop", "id": 3}')
    ... except ValidationError as error:
    ...     print(sentence(error))
    id: input should be a valid string
    """
    found = error.errors()[0]
    place = [str(each) for each in found["loc"] if each not in ("body", "query", "path")]
    known = [
        each
        for each in place
        if each not in ("search", "solve", "stop", "cancel", "leave", "watch")
    ]
    words = found["msg"][:1].lower() + found["msg"][1:]
    return f"{'.'.join(known)}: {words}" if known else words
