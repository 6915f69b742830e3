"""The process that reads models for the server: with a memory limit, one question at a time.

The server itself never reads a model. What a file makes of its reader, it makes of a process that
can be replaced.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from spielbaum.agents import stored_agent
from spielbaum.arena.workers import end_with_parent
from spielbaum.base.errors import MISTAKES, ModelError, WorkerError
from spielbaum.base.imports import import_modules
from spielbaum.base.memory import limit_memory
from spielbaum.studio.server.settings import Settings

T = TypeVar("T")

START_SECONDS = 300.0
ANSWER_SECONDS = 60.0
"""How long a question may take before the process is ended."""


@dataclass
class ModelProcess:
    """Answers questions about models by a process that is started when the first one comes.

    >>> from pathlib import Path
    >>> from spielbaum.models.model_info import model_info
    >>> from spielbaum.models.shipped import shipped_models
    >>> process = ModelProcess(Settings())
    >>> process.ask(model_info, shipped_models() / "tictactoe.npz").game
    'tictactoe'
    >>> process.close()
    """

    settings: Settings
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: tuple[BaseProcess, Connection] | None = None

    def ask(self, question: Callable[..., T], *arguments: object) -> T:
        """Call a function of a module in the process; what it raises is raised here.

        `ModelError` if the process has not enough memory, does not answer in time, or dies.
        """
        with self._lock:
            _, pipe = self._running = self._running or self._start()
            try:
                pipe.send((question, arguments))
                if not pipe.poll(ANSWER_SECONDS):
                    raise TimeoutError
                answer: T | Exception = pipe.recv()
            except (EOFError, OSError):  # also a timeout
                self._end()
                raise ModelError(
                    "reading the model took more memory or time than this server allows"
                ) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def check_agents(self, specs: Sequence[str]) -> None:
        """Make some agents in the process; raise what is wrong with them or with their models."""
        self.ask(_make_agents, tuple(specs))

    def close(self) -> None:
        """End the process; the next question starts another one."""
        with self._lock:
            self._end()

    def _start(self) -> tuple[BaseProcess, Connection]:
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe()
        settings = self.settings
        process = context.Process(
            target=_work,
            args=(theirs, settings.imports, settings.process_megabytes),
            daemon=True,
            name="spielbaum-models",
        )
        process.start()
        theirs.close()
        try:
            ready = pipe.poll(START_SECONDS) and pipe.recv()
        except (EOFError, OSError):
            ready = False
        if not ready:
            process.kill()
            pipe.close()
            raise WorkerError("the process that reads models does not start")
        return process, pipe

    def _end(self) -> None:
        if self._running is not None:
            process, pipe = self._running
            self._running = None
            process.kill()
            process.join(5)
            pipe.close()


def _make_agents(specs: Sequence[str]) -> None:
    for spec in dict.fromkeys(specs):
        stored_agent(spec).stop()


def _work(pipe: Connection, imports: Sequence[str], megabytes: int) -> None:
    """The life of the process: questions, until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    end_with_parent()
    limit_memory(megabytes)
    import_modules(imports)
    pipe.send(True)
    with contextlib.suppress(EOFError, OSError):
        while True:
            question, arguments = pipe.recv()
            pipe.send(_answer(question, arguments))


def _answer(question: Callable[..., Any], arguments: Sequence[object]) -> Any:
    try:
        return question(*arguments)
    except MISTAKES as error:
        return error
    except MemoryError:
        return ModelError("there is not enough memory on this server for this model")
    except Exception as error:  # of an agent in Python: its author should know
        return ModelError(f"{type(error).__name__}: {error}"[:400])
