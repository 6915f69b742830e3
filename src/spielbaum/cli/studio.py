"""``spielbaum studio``: Spielbaum as a web page."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from spielbaum.errors import SpecError
from spielbaum.specs import Option

PORT = Option("port", 8000, low=0, high=65535)
WORKERS = Option("workers", 1, low=1, high=256)


def studio(
    port: Annotated[
        str, typer.Option(metavar="N", help="Where it listens; 0: any port that is free.")
    ] = "8000",
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Who can reach it; by default this machine only.")
    ] = "127.0.0.1",
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Tournaments, and files that agents may read."),
    ] = None,
    workers: Annotated[
        str | None, typer.Option(metavar="N", help="Processes that search; all cores without it.")
    ] = None,
    imports: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="A module that registers agents or games."),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--open", help="Open the page in a browser, too.")
    ] = False,
) -> None:
    """Open Spielbaum in the browser: play, watch, analyse, and run tournaments."""
    # Only this command needs a web server, and loading it takes a moment.
    import uvicorn

    from spielbaum.studio.app import create_app
    from spielbaum.studio.settings import Settings

    number = int(PORT.parse(port))
    chosen: dict[str, object] = {"host": host, "imports": tuple(imports or ())}
    if data is not None:
        chosen["data"] = data
    if workers is not None:
        chosen["workers"] = int(WORKERS.parse(workers))
    settings = Settings(**chosen)  # type: ignore[arg-type]
    settings.data.mkdir(parents=True, exist_ok=True)
    listening = _listen(host, number)
    address = f"http://{_shown(host)}:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        create_app(settings),
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=settings.body_bytes,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    typer.echo(f"Spielbaum studio: {address}  (Ctrl-C ends it)")
    if browser and _has_screen():
        webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):  # the way to end it
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise SpecError(f"studio cannot listen on {host}:{port}: {error.strerror}") from None


def _has_screen() -> bool:
    """Whether a browser would open a window, and not take over the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _shown(host: str) -> str:
    """An address for people: a server that listens everywhere is reached here, too."""
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host
