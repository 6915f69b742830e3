"""The gate before all requests: who may come in, how many, how large, and headers of answers."""

from __future__ import annotations

import contextlib
import json
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spielbaum.studio.server.access import cookie_for, has_token, is_own_host, is_own_origin
from spielbaum.studio.server.settings import Settings

READING = ("GET", "HEAD", "OPTIONS")
API = "/api/"
"""Where requests make the server work, even those that only read."""
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
"""Headers of every answer."""

NO_TOKEN = "this server needs a token: open the link that it printed when it was started"
NO_TOKEN_PAGE = """<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Spielbaum</title>
  <link rel="icon" href="data:,">
  <h1>Spielbaum</h1>
  <p>This studio needs its token: open the link that it printed when it was started.
    If you have done so before in this browser, <a href=".">try again</a>.</p>
  <p lang="de">Dieses Studio verlangt sein Token: Öffnen Sie den Link, den es beim Start
    ausgegeben hat. Falls Sie das in diesem Browser schon getan haben:
    <a href=".">noch einmal versuchen</a>.</p>
</html>
"""


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
        request = HTTPConnection(scope)
        problem = self._problem(request)
        guarded = _with_headers(send, cookie_for(request, self._settings))
        if problem is None:
            await self._pass_on(scope, receive, guarded)
            return
        if scope["type"] == "http":
            await _drain(receive, DRAINED * self._settings.body_bytes)
        await _refuse(scope, guarded, *problem)

    def _problem(self, request: HTTPConnection) -> tuple[int, str] | None:
        scope, headers = request.scope, request.headers
        if not is_own_host(headers.get("host", ""), self._settings):
            return 421, "this server does not answer to that name"
        if _starts_work(scope) and not is_own_origin(headers):
            return 403, "requests of other pages are not answered"
        if not self._bucket(scope).take():
            return 429, "too many requests; try again in a moment"
        if not has_token(request, self._settings):
            return 401, NO_TOKEN
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
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        limit = self._settings.body_bytes
        received = 0
        answered = False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise TooLarge
            return message

        async def noted(message: Message) -> None:
            nonlocal answered
            # Whoever reads bodies may have made another error of it, which is not the answer.
            if received <= limit or answered:
                answered = True
                await send(message)

        with contextlib.suppress(TooLarge):
            await self._app(scope, counted, noted)
        if received > limit and not answered:
            await _refuse(scope, send, 413, f"the request is larger than {limit} bytes")


def _starts_work(scope: Scope) -> bool:
    """Whether a request could keep the server busy for the sake of another page."""
    is_reading = scope["type"] == "http" and scope["method"] in READING
    return not is_reading or bool(scope["path"].startswith(API))


def _with_headers(send: Send, cookie: str | None) -> Send:
    """Add the headers of every answer, and the cookie of a visitor who came by the link."""
    starts = ("http.response.start", "websocket.accept", "websocket.http.response.start")

    async def guarded(message: Message) -> None:
        if message["type"] in starts:
            message.setdefault("headers", [])
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            if cookie is not None:
                headers.append("Set-Cookie", cookie)
        await send(message)

    return guarded


async def _drain(receive: Receive, most: int) -> None:
    """Read what a client still sends, within reason, so that it comes to read the answer."""
    while most > 0:
        message = await receive()
        most -= len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


async def _refuse(scope: Scope, send: Send, status: int, sentence: str) -> None:
    is_socket = scope["type"] == "websocket"
    # Else a visitor without the token would see braces.
    is_page = status == 401 and "text/html" in Headers(scope=scope).get("accept", "")
    body = NO_TOKEN_PAGE if is_page else json.dumps({"detail": sentence})
    content = "text/html; charset=utf-8" if is_page else "application/json"
    headers = [
        (b"content-type", content.encode()),
        (b"content-length", str(len(body.encode())).encode()),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    prefix = "websocket.http" if is_socket else "http"
    await send({"type": f"{prefix}.response.start", "status": status, "headers": headers})
    await send({"type": f"{prefix}.response.body", "body": body.encode()})
