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

from spielbaum.base.errors import SpecError
from spielbaum.base.imports import shared_modules
from spielbaum.base.options import Option
from spielbaum.studio.server.access import TOKEN, checked_host, own_hosts
from spielbaum.studio.server.guard import checked_engine
from spielbaum.studio.server.server import make_server, start_log
from spielbaum.studio.server.settings import Settings

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
    allowed: Annotated[
        list[str] | None,
        typer.Option(
            "--allowed-host",
            metavar="NAME",
            help="A name by which visitors may call this server; can be given several times.",
        ),
    ] = None,
    engines: Annotated[
        list[str] | None,
        typer.Option(
            "--engine",
            metavar="NAME=SPEC",
            help="An outside engine that visitors may use by this name, such as "
            "stockfish=uci:path=stockfish,elo=1500; can be given several times.",
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--open", help="Open the page in a browser, too.")
    ] = False,
) -> None:
    """Open Spielbaum in the browser: play, watch, analyse, and run tournaments."""
    number = int(PORT.parse(port))
    chosen: dict[str, object] = {
        "host": host,
        "imports": shared_modules(),
        "allowed_hosts": tuple(map(checked_host, allowed or ())),
        "engines": tuple(map(checked_engine, engines or ())),
    }
    if data is not None:
        chosen["data"] = data
    if workers is not None:
        chosen["workers"] = int(WORKERS.parse(workers))
    settings = Settings(**chosen)  # type: ignore[arg-type]
    settings.data.mkdir(parents=True, exist_ok=True)
    listening = _listen(host, number)
    server = make_server(settings)
    start_log(settings)
    link = _link(settings, listening.getsockname()[1])
    typer.echo(f"Spielbaum studio: {link}  (Ctrl-C ends it)")
    for line in _explained(settings):
        typer.echo(line)
    if browser and _has_screen():
        webbrowser.open(link)
    with contextlib.suppress(KeyboardInterrupt):  # the way to end it
        server.run(sockets=[listening])


def _link(settings: Settings, port: int) -> str:
    """The address of the page, with the token if there is one."""
    name = own_hosts(settings)[0]
    address = f"http://{f'[{name}]' if ':' in name else name}:{port}"
    return f"{address}/?{TOKEN}={settings.token}" if settings.token else address


def _explained(settings: Settings) -> list[str]:
    """What it means that other machines can reach the server, and where its data is."""
    lines = [f"Tournaments and trainings are kept in {settings.data}."]
    if settings.token:
        lines.append(
            "Other machines can reach it: whoever has this link can start work here, and see and "
            "delete what is kept; it is valid until the studio ends."
        )
        lines.append(
            f"It answers to the names {', '.join(own_hosts(settings))} only (--allowed-host adds "
            "one), and nothing is encrypted on the way."
        )
    return lines


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
