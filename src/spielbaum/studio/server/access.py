"""Who may use the server: names of hosts, origins of pages, and the token."""

from __future__ import annotations

import re
import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from spielbaum.base.errors import SpecError
from spielbaum.studio.server.settings import ANY, LOOPBACK, Settings, is_loopback

TOKEN = "token"
"""The parameter of the printed link."""
NAME = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
"""A name or an address, in lower case."""


def own_hosts(settings: Settings) -> tuple[str, ...]:
    """Every name that the server answers to, in lower case; the first one is for the link.

    >>> own_hosts(Settings(host="0.0.0.0", allowed_hosts=("studio.example",)))
    ('studio.example', '127.0.0.1', 'localhost', '::1')
    """
    named = tuple(name.lower() for name in settings.allowed_hosts)
    if settings.host in ANY:
        return (*named, *LOOPBACK)
    here = LOOPBACK if is_loopback(settings.host) else ()
    return tuple(dict.fromkeys((settings.host.lower(), *named, *here)))


def is_own_host(host: str, settings: Settings) -> bool:
    """Whether a request may call the server by this name; others hide a page from elsewhere.

    >>> is_own_host("localhost:8000", Settings()), is_own_host("evil.example", Settings())
    (True, False)
    """
    return _name(host) in own_hosts(settings)


def checked_host(name: str) -> str:
    """Return the name of a host, or raise `SpecError` for anything else, such as a URL.

    >>> checked_host("Studio.example")
    'studio.example'
    >>> checked_host("http://studio.example")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: allowed host 'http://studio.example': expected a name without \
scheme and port, such as studio.example
    """
    bare = name.lower().removeprefix("[").removesuffix("]")
    is_name = NAME.fullmatch(bare) is not None
    if not is_name or _name(f"[{bare}]" if ":" in bare else bare) != bare:
        raise SpecError(
            f"allowed host {name!r:.80}: expected a name without scheme and port, such as "
            "studio.example"
        )
    return bare


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


def has_token(request: HTTPConnection, settings: Settings) -> bool:
    """Whether a request has the token: in its address, as ``Authorization: Bearer``, or as cookie.

    >>> scope = {"type": "http", "query_string": b"token=x", "headers": []}
    >>> has_token(HTTPConnection(scope), Settings(token="x"))
    True
    >>> has_token(HTTPConnection(scope), Settings(token="y"))
    False
    """
    if not settings.token:
        return True
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    given = (
        request.query_params.get(TOKEN, ""),
        credentials.strip() if scheme.lower() == "bearer" else "",
        request.cookies.get(_cookie_name(request), ""),
    )
    return any(_same(each, settings.token) for each in given)


def cookie_for(request: HTTPConnection, settings: Settings) -> str | None:
    """Return the cookie for a browser that came by the printed link, None for all others.

    Scripts cannot read it, and requests that another site causes do not carry it.
    """
    if not settings.token or not _same(request.query_params.get(TOKEN, ""), settings.token):
        return None
    secure = "; Secure" if request.url.scheme == "https" else ""
    name = _cookie_name(request)
    return f"{name}={settings.token}; Path=/; HttpOnly; SameSite=Strict{secure}"


def _same(given: str, token: str) -> bool:
    """Compare in a time that does not tell how much of a guess was right."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _cookie_name(request: HTTPConnection) -> str:
    """Name the cookie after the port: browsers give the cookies of a host to all its servers."""
    port = request.headers.get("host", "").rpartition(":")[2]
    return f"spielbaum-{port}" if port.isdecimal() else "spielbaum"


def _name(host: str) -> str:
    """The name in ``name:port`` or ``[address]:port``, in lower case; empty if there is none."""
    try:
        parts = urlsplit(f"//{host}")
        return (parts.hostname or "") if parts.netloc == host and "@" not in host else ""
    except ValueError:
        return ""
