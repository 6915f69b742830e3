"""Processes of a training: some that play and judge, and one that learns.

Each is a new interpreter that gets tasks by a pipe and answers them one by one; it ends when the
process that started it is gone, however that happened.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielbaum.arena.exams import Question
from spielbaum.arena.workers import end_with_parent
from spielbaum.base.discover import load
from spielbaum.train.data.games_file import PlayedGame, Totals
from spielbaum.train.methods.alphazero.config import AlphaZeroConfig
from spielbaum.train.run_folder import needs_extra

if TYPE_CHECKING:
    from spielbaum.train.methods.alphazero.learner import Learner


@dataclass(frozen=True)
class Play:
    """Play games until so many more are over, or a time has passed."""

    net: Path
    games: int
    seconds: float


@dataclass(frozen=True)
class Played:
    """What came of it."""

    games: list[PlayedGame]
    totals: Totals


@dataclass(frozen=True)
class Match:
    """Games between two networks, by their numbers."""

    first: Path
    second: Path
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Ask:
    """Find questions: positions that can be solved and have mistakes."""

    number: int
    plies: range
    seed: int


@dataclass(frozen=True)
class Answer:
    """Questions for a network."""

    net: Path
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Oppose:
    """Games of a network against an agent, by their numbers."""

    net: Path
    opponent: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Train:
    """Train the next generation on the games of these files."""

    files: tuple[Path, ...]
    new_positions: int
    """How many of their positions no generation has learnt yet."""


@dataclass(frozen=True)
class Trained:
    """The losses of a training, and how long it took."""

    generation: int
    steps: int
    losses: list[tuple[float, float, float]]
    """Policy, value and regularisation of each loop."""
    seconds: float


class Worker:
    """Somebody at the other end of a pipe, and the task that they have."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.task: Any = None

    def give(self, task: Any) -> None:
        """Hand over a task; the worker has none now."""
        self.task = task
        with contextlib.suppress(OSError):  # that it died shows when its answer is waited for
            self.pipe.send(task)

    def take(self) -> Any:
        """The answer to the task; what went wrong is raised, None means that the worker died."""
        try:
            answer = self.pipe.recv()
        except (EOFError, OSError):
            return None
        self.task = None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def end(self) -> None:
        """Let go of it."""
        self.pipe.close()


class Process(Worker):
    """A process of this machine."""

    def __init__(self, target: Any, *arguments: Any) -> None:
        # New interpreters instead of forks: a fork would copy the locks of whatever threads exist.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        super().__init__(ours)
        self._process: BaseProcess = context.Process(
            target=target, args=(theirs, *arguments), daemon=True
        )
        # An interruption is for the first process: a new one would only say where it was.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        super().end()


class Crew(ABC):
    """Where those who play come from."""

    @abstractmethod
    def size(self, wanted: int) -> int:
        """How many there are; ``wanted`` is 0 if as many as possible are."""

    @abstractmethod
    def hire(self, config: AlphaZeroConfig, seed: int) -> Worker:
        """Somebody who plays and judges."""


class Processes(Crew):
    """Processes of this machine."""

    def size(self, wanted: int) -> int:
        """One for each core, unless another number is wanted."""
        return wanted or os.cpu_count() or 1

    def hire(self, config: AlphaZeroConfig, seed: int) -> Worker:
        """A new process."""
        return Process(play_and_judge, config, seed)


def play_and_judge(pipe: Connection, config: AlphaZeroConfig, seed: int) -> None:
    """The life of a process that plays."""
    player = load(__package__, "player").Player(config, seed)
    answer_tasks(pipe, player.do)


def learn(pipe: Connection, config: AlphaZeroConfig, folder: Path, weights: Path | None) -> None:
    """The life of the process that learns; it answers at once when it has its network."""
    try:
        make = load(__package__, "learner").Learner
    except ImportError as error:
        _tell(pipe, needs_extra(error))
        return
    try:
        learner: Learner = make(config, folder, weights)
    except Exception as error:
        _tell(pipe, error)
        return

    def trained() -> Trained:
        losses = [(each.policy, each.value, each.regularisation) for each in learner.losses]
        return Trained(learner.generation, learner.steps, losses, learner.seconds)

    def do(task: Train) -> Trained:
        learner.train(task.files, task.new_positions)
        return trained()

    if _tell(pipe, trained()):
        answer_tasks(pipe, do)


def answer_tasks(pipe: Connection, do: Any) -> None:
    """Do what the other end of a pipe asks for, until it is closed; errors are answers, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who gives the tasks
    end_with_parent()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = do(task)
        except Exception as error:
            answer = error
        if not _tell(pipe, answer):
            return


def _tell(pipe: Connection, answer: object) -> bool:
    """Send an answer; whether anybody is there to hear it."""
    try:
        pipe.send(answer)
    except OSError:
        return False
    return True


def shared_out(numbers: Sequence[int], workers: int) -> list[tuple[int, ...]]:
    """Numbers in as many parts as there are workers, pairs together.

    >>> shared_out(range(6), 2)
    [(0, 1, 2, 3), (4, 5)]
    """
    size = 2 * -(-len(numbers) // (2 * workers)) or 1
    return [tuple(numbers[first : first + size]) for first in range(0, len(numbers), size)]
