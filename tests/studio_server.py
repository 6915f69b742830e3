"""A studio in a process of its own, as a person starts it, for tests and benchmarks."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx

from spielbaum.studio.server.server import make_server
from spielbaum.studio.server.settings import Settings

START_SECONDS = 120.0


class Server:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], link: str) -> None:
        """``link``: as it was printed; its host may be a name that means nothing here."""
        self.process = process
        self.link = link
        parts = urlsplit(link)
        self.address = f"http://127.0.0.1:{parts.port}"
        self.token = dict(parse_qsl(parts.query)).get("token", "")
        self.headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}

    @property
    def socket_address(self) -> str:
        return self.address.replace("http", "ws", 1) + "/api/socket"

    def workers(self) -> list[int]:
        """The ids of the processes that search."""
        return [pid for pid in self._children() if pid not in self.trainees()]

    def trainees(self) -> list[int]:
        """The ids of the processes that train, each in the folder of its training."""
        places = {pid: Path(f"/proc/{pid}/cwd") for pid in self._children()}
        return [pid for pid, place in places.items() if place.resolve().parent.name == "trainings"]

    def _children(self) -> list[int]:
        found = subprocess.run(
            ["ps", "-ww", "-o", "pid=", "-o", "args=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        lines = [line for line in found.splitlines() if "spawn_main" in line]
        return [int(line.split()[0]) for line in lines]


@contextlib.contextmanager
def running(data: Path, *options: str, port: int = 0, files: int | None = None) -> Iterator[Server]:
    """Start ``spielbaum studio`` with a data folder, and end it by Ctrl-C.

    ``files``: so many files may it open at a time.
    """
    command = [sys.executable, "-m", "spielbaum", "studio", "--port", str(port), "--data", data]
    process = subprocess.Popen(
        [*_limited(files), *map(str, command), *options],
        stdout=subprocess.PIPE,
        text=True,
        env=_environment(),
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"the studio said {line!r}"
        server = Server(process, found[0])
        wait_until_ready(server)
        yield server
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _limited(files: int | None) -> list[str]:
    """The beginning of a command that may open so many files."""
    return [] if files is None else ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"]


def wait_until_ready(server: Server) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            url = f"{server.address}/api/about"
            httpx.get(url, headers=server.headers, timeout=10).raise_for_status()
            return
        except httpx.HTTPError:
            assert time.monotonic() < end, "the studio does not answer"
            time.sleep(0.2)


def _environment() -> dict[str, str]:
    # Output into a pipe must not wait in a buffer; games of the tests lie beside this file.
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": os.pathsep.join(paths)}


@contextlib.contextmanager
def in_thread(settings: Settings) -> Iterator[str]:
    """A studio with settings that no option has, in a thread of this process; its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = make_server(settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
