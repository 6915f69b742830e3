"""The server as uvicorn runs it, and its log, which cannot grow without end."""

from __future__ import annotations

import logging
import sys
from logging.handlers import RotatingFileHandler
from typing import TextIO

import uvicorn

from spielbaum.studio.server.app import create_app
from spielbaum.studio.server.connections import ACCEPTED_AT_ONCE, GuardedSocket, http_protocol
from spielbaum.studio.server.settings import Settings

LOG = "studio.log"
LOG_BYTES = 1_000_000
"""The largest log; one that is older is kept beside it."""
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MOST_ON_TERMINAL = 100
"""Messages that the terminal gets, too."""


def make_server(settings: Settings) -> uvicorn.Server:
    """Return a server that has not begun; ``run(sockets=[...])`` starts it.

    >>> make_server(Settings(workers=1)).started
    False
    """
    return uvicorn.Server(
        uvicorn.Config(
            create_app(settings),
            http=http_protocol(settings),
            ws=GuardedSocket,
            ws_max_size=settings.body_bytes,
            ws_ping_interval=20.0,
            ws_ping_timeout=20.0,
            backlog=ACCEPTED_AT_ONCE,
            timeout_graceful_shutdown=2,
            server_header=False,
            access_log=False,
            log_config=None,
            log_level="warning",
        )
    )


def start_log(settings: Settings) -> None:
    """Write warnings of all libraries into the data folder, and the first ones to the terminal."""
    file = QuietFile(
        settings.data / LOG, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=True
    )
    for handler in (file, FirstMessages(sys.stderr, MOST_ON_TERMINAL)):
        handler.setFormatter(logging.Formatter(LOG_FORMAT))
        logging.getLogger().addHandler(handler)


class QuietFile(RotatingFileHandler):
    """A log that is begun anew when it is full; a disk that cannot be written stays unmentioned."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  the name of logging
        """Lose the message: there is no place to say so."""


class FirstMessages(logging.StreamHandler[TextIO]):
    """Shows so many messages, and then says where the others are.

    >>> handler = FirstMessages(sys.stdout, 1)
    >>> for text in ("one", "two", "three"):
    ...     handler.handle(logging.LogRecord("", logging.WARNING, "", 0, text, None, None)) and None
    one
    studio: further messages are only in studio.log
    """

    def __init__(self, stream: TextIO, most: int) -> None:
        super().__init__(stream)
        self._left = most

    def emit(self, record: logging.LogRecord) -> None:
        """Show a message, unless there were enough."""
        if self._left > 0:
            super().emit(record)
        elif self._left == 0:
            self.stream.write(f"studio: further messages are only in {LOG}\n")
            self.flush()
        self._left -= 1
