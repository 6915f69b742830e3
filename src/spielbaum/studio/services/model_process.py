"""The process that reads models for the server: with a memory limit, one question at a time.

The server itself never reads a model. What a file makes of its reader, it makes of a process that
can be replaced.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from spielbaum.agents import stored_agent
from spielbaum.base.errors import MISTAKES, ModelError
from spielbaum.base.workers import Done, Failed, Pool
from spielbaum.studio.server.settings import Settings

T = TypeVar("T")

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
    _pool: Pool = field(init=False)

    def __post_init__(self) -> None:
        self._pool = self.settings.pool(1)

    def ask(self, question: Callable[..., T], *arguments: object) -> T:
        """Call a function of a module in the process; what it raises is raised here.

        `ModelError` if the process has not enough memory, does not answer in time, or dies.
        """
        with self._lock:
            self._pool.give(question, *arguments, within=ANSWER_SECONDS)
            (event,) = self._pool.events()
        match event:
            case Done(_, answer):
                known: T = answer
                return known
            case Failed(_, error) if isinstance(error, MISTAKES):
                raise error
            case Failed(_, MemoryError()):
                raise ModelError("there is not enough memory on this server for this model")
            case Failed(_, error):  # of an agent in Python: its author should know
                raise ModelError(f"{type(error).__name__}: {error}"[:400])
        raise ModelError("reading the model took more memory or time than this server allows")

    def check_agents(self, specs: Sequence[str]) -> None:
        """Make some agents in the process; raise what is wrong with them or with their models."""
        self.ask(_make_agents, tuple(specs))

    def close(self) -> None:
        """End the process; the next question starts another one."""
        with self._lock:
            self._pool.close()


def _make_agents(specs: Sequence[str]) -> None:
    for spec in dict.fromkeys(specs):
        stored_agent(spec).stop()
