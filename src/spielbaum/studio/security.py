"""The gate before all requests: which hosts and origins, how many, how large, and headers."""

from __future__ import annotations

import json
import time
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spielbaum.studio.settings import Settings

LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY = ("0.0.0.0", "::", "")
READING = ("GET", "HEAD", "OPTIONS")
MOST_ADDRESSES = 10_000
DRAINED = 16
"""Of a request that is refused, at most so many times the largest size is read."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Bucket:
    """Lets ``burst`` requests through at once, and ``rate`` a second in the long run.

    >>> bucket = Bucket(rate=10, burst=2)
    >>> [bucket.take(now=0.0) for _ in range(3)], bucket.take(now=0.1)
    ([True, True, False], True)
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = burst
        self._left = float(burst)
        self._seen: float | None = None

    def take(self, now: float | None = None) -> bool:
        """Whether one more is let through."""
        moment = time.monotonic() if now is None else now
        if self._seen is not None:
            self._left = min(self._burst, self._left + (moment - self._seen) * self._rate)
        self._seen = moment
        if self._left < 1 - 1e-9:
            return False
        self._left -= 1
        return True


def is_own_host(host: str, settings: Settings) -> bool:
    """Whether a request may call the server by this name; others hide a page of elsewhere.

    A server that listens on every address cannot know its names, and answers to all.

    >>> is_own_host("localhost:8000", Settings()), is_own_host("evil.example", Settings())
    (True, False)
    """
    if settings.host in ANY:
        return True
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name == settings.host or (settings.host in LOOPBACK and name in LOOPBACK)


def is_own_origin(headers: Headers) -> bool:
    """Whether a request comes from our own page, or from no page at all.

    >>> is_own_origin(Headers({"host": "localhost:1", "origin": "http://localhost:1"}))
    True
    >>> is_own_origin(Headers({"host": "localhost:1", "origin": "http://evil.example"}))
    False
    """
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "none") in ("none", "same-origin")
    try:
        return urlsplit(origin).netloc == headers.get("host", "")
    except ValueError:
        return False


class TooLarge(Exception):
    """A body with more bytes than the server reads."""


class Gate:
    """Refuses what the server should not even look at."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._buckets: dict[str, Bucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by itself, or pass on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self._problem(scope, headers)
        if scope["type"] == "websocket":
            if problem is None:
                await self._app(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 4403, "reason": problem[1]})
            return
        if problem is not None:
            await _drain(receive, DRAINED * self._settings.body_bytes)
            await _refuse(send, *problem)
            return
        await self._pass_on(scope, receive, send)

    def _problem(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if not is_own_host(headers.get("host", ""), self._settings):
            return 403, "this server does not answer to that name"
        starts_work = scope["type"] == "websocket" or scope["method"] not in READING
        if starts_work and not is_own_origin(headers):
            return 403, "requests of other pages are not answered"
        if not self._bucket(scope).take():
            return 429, "too many requests; try again in a moment"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._settings.body_bytes:
            return 413, f"the request is larger than {self._settings.body_bytes} bytes"
        return None

    def _bucket(self, scope: Scope) -> Bucket:
        client = scope.get("client")
        address = client[0] if client else ""
        if address not in self._buckets:
            if len(self._buckets) >= MOST_ADDRESSES:
                self._buckets.clear()
            self._buckets[address] = Bucket(self._settings.rate, self._settings.burst)
        return self._buckets[address]

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = 0
        answered = False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._settings.body_bytes:
                raise TooLarge
            return message

        async def with_headers(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        try:
            await self._app(scope, counted, with_headers)
        except TooLarge:
            if not answered:
                limit = self._settings.body_bytes
                await _refuse(send, 413, f"the request is larger than {limit} bytes")


async def _drain(receive: Receive, most: int) -> None:
    """Read what a client still sends, within reason, so that it comes to read the answer."""
    while most > 0:
        message = await receive()
        most -= len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"detail": sentence}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
