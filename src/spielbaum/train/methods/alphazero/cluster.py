"""Self-play on a Ray cluster: the same players, which get networks by the cluster's own ways."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from spielbaum.arena.cluster import find_modules, join_cluster
from spielbaum.base.discover import load
from spielbaum.train.methods.alphazero.config import AlphaZeroConfig
from spielbaum.train.methods.alphazero.workers import Crew, Worker

CLOSING = 5.0
"""Seconds that a worker has to delete its files: it may be busy."""


class RayCrew(Crew):
    """Workers of a Ray cluster; without an address, of one on this machine.

    Needs the extra ``cluster``. The network is trained on this machine.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        """``workers``: how many; without it, one for each core of the cluster."""
        self._ray, self._workers = join_cluster(workers, address)

    def size(self, wanted: int) -> int:
        """As many as the cluster has, unless another number is wanted."""
        return wanted or self._workers

    def hire(self, config: AlphaZeroConfig, seed: int) -> Worker:
        """A new worker, wherever there is room."""
        return RayWorker(self._ray, config, seed)


class RayWorker(Worker):
    """A worker of the cluster; a thread passes on what is said, so that it has a pipe as others."""

    def __init__(self, ray: Any, config: AlphaZeroConfig, seed: int) -> None:
        ours, theirs = multiprocessing.Pipe()
        super().__init__(ours)
        self._ray = ray
        self._player = ray.remote(num_cpus=1)(RemoteSelfPlayer).remote(
            config, seed, tuple(sys.path)
        )
        threading.Thread(target=self._pass_on, args=(theirs,), daemon=True).start()

    def end(self) -> None:
        """End the worker; its files go first, if it listens."""
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.wait([self._player.close.remote()], timeout=CLOSING)
        self._ray.kill(self._player)
        super().end()

    def _pass_on(self, pipe: Connection) -> None:
        known: set[str] = set()
        with pipe:  # closed, it says that the worker is lost
            while True:
                try:
                    task = pipe.recv()
                    new = {p.name: p.read_bytes() for p in files_of(task) if p.name not in known}
                    answer = self._ray.get(self._player.do.remote(task, new))
                    known = {path.name for path in files_of(task)}
                    pipe.send(answer)
                except (EOFError, OSError, self._ray.exceptions.RayError):
                    return


class RemoteSelfPlayer:
    """A player on another machine, with a folder of its own for the networks that it gets."""

    def __init__(self, config: AlphaZeroConfig, seed: int, path: Sequence[str]) -> None:
        """``path``: where whoever gives tasks finds modules."""
        find_modules(path)
        self._player = load(__package__, "player").Player(config, seed)
        self._folder = tempfile.TemporaryDirectory(prefix="spielbaum-")

    def do(self, task: Any, files: Mapping[str, bytes]) -> Any:
        """The answer to a task, or what went wrong; ``files`` are new here."""
        folder = Path(self._folder.name)
        for path in folder.iterdir():  # networks of earlier generations would fill the disk
            if path.name not in {each.name for each in files_of(task)}:
                path.unlink()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        places = {
            each.name: folder / value.name
            for each in dataclasses.fields(task)
            if isinstance(value := getattr(task, each.name), Path)
        }
        try:
            return self._player.do(dataclasses.replace(task, **places))
        except Exception as error:
            return error

    def close(self) -> None:
        """Delete its files; a worker that is killed does not do so itself."""
        self._folder.cleanup()


def files_of(task: Any) -> list[Path]:
    """The files that a task names.

    >>> from spielbaum.train.methods.alphazero.workers import Match
    >>> [path.name for path in files_of(Match(Path("1.onnx"), Path("2.onnx"), (0, 1)))]
    ['1.onnx', '2.onnx']
    """
    values = [getattr(task, each.name) for each in dataclasses.fields(task)]
    return [value for value in values if isinstance(value, Path)]
