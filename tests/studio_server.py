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
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import uvicorn

from spielbaum.studio.app import create_app
from spielbaum.studio.settings import Settings

START_SECONDS = 120.0


class Server:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.address = address

    @property
    def socket_address(self) -> str:
        return self.address.replace("http", "ws", 1) + "/api/socket"

    def workers(self) -> list[int]:
        """The ids of the processes that search."""
        found = subprocess.run(
            ["ps", "-ww", "-o", "pid=", "-o", "args=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        lines = [line for line in found.splitlines() if "spawn_main" in line]
        return [int(line.split()[0]) for line in lines]


@contextlib.contextmanager
def running(data: Path, *options: str, port: int = 0) -> Iterator[Server]:
    """Start ``spielbaum studio`` with a data folder, and end it by Ctrl-C."""
    command = [sys.executable, "-m", "spielbaum", "studio", "--port", str(port), "--data", data]
    process = subprocess.Popen(
        [*map(str, command), *options], stdout=subprocess.PIPE, text=True, env=_environment()
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"the studio said {line!r}"
        wait_until_ready(found[0])
        yield Server(process, found[0])
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def wait_until_ready(address: str, urls: Sequence[str] = ("/api/about",)) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            for url in urls:
                httpx.get(address + url, timeout=10).raise_for_status()
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
    config = uvicorn.Config(create_app(settings), log_level="warning", ws="websockets-sansio")
    server = uvicorn.Server(config)
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
