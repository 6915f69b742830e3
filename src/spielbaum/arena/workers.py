"""Processes that play games: one search per core, and a watch over agents that hang or die."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from spielbaum.agents import Decision
from spielbaum.base.errors import SpecError, WorkerError
from spielbaum.base.imports import import_modules
from spielbaum.base.memory import limit_memory
from spielbaum.play.referee import GameRecord, GameTask, Players, play_game, start_of
from spielbaum.play.table import Turn, Watcher, forfeit

HANG_SECONDS = 60.0
"""How long an agent may be late before it is taken to hang."""
LOOK_SECONDS = 0.2
MOST_PLIES = 16_384
BRISK_SECONDS = 0.05
"""Thinking time of a game so short that the next ones are sent ahead."""
AHEAD = 8
"""Games that wait in a process which plays brisk ones, so that it never waits for another."""
ATTEMPTS = 2
"""How often a game is begun whose process dies: once could be bad luck, twice is the agent."""


class Executor(Protocol):
    """Plays games somewhere and hands them over as they end, in any order."""

    def run(self, tasks: Iterable[GameTask]) -> Iterator[GameRecord]:
        """Play all tasks; leaving the loop early ends what is still played."""
        ...


class LocalExecutor:
    """Plays games in processes of this machine.

    >>> from spielbaum.play.referee import Seat
    >>> from spielbaum.play.limits import Limits
    >>> seats = (Seat("random", Limits(), 1), Seat("random", Limits(), 2))
    >>> tasks = [GameTask("tictactoe", seats, number=number) for number in range(3)]
    >>> sorted(record.task.number for record in LocalExecutor(jobs=1).run(tasks))
    [0, 1, 2]
    """

    def __init__(
        self,
        jobs: int | None = None,
        hang: float = HANG_SECONDS,
        imports: Sequence[str] = (),
        megabytes: int | None = None,
    ) -> None:
        """``imports``: modules that every process imports, which may register agents and games.

        ``megabytes``: the address space of every process; None does not limit it.
        """
        self._jobs = jobs or os.cpu_count() or 1
        self._hang = hang
        self._imports = tuple(imports)
        self._megabytes = megabytes
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End `run` within a moment, from another thread, as if its loop were left; for good."""
        self._stopped.set()

    def run(self, tasks: Iterable[GameTask]) -> Iterator[GameRecord]:
        """Play all tasks; a process is replaced when it dies or when its agent hangs."""
        waiting = deque(Attempt(task) for task in tasks)
        workers = [
            _Worker(self._imports, self._megabytes) for _ in range(min(self._jobs, len(waiting)))
        ]
        try:
            while not self._stopped.is_set() and (
                waiting or any(worker.attempts for worker in workers)
            ):
                for worker in workers:
                    while waiting and worker.wants_more():
                        worker.give(waiting.popleft())
                ready = wait([worker.pipe for worker in workers], LOOK_SECONDS)
                for index, worker in enumerate(workers):
                    record: GameRecord | None = None
                    if worker.pipe in ready:
                        record = worker.take()
                        if record is None:
                            workers[index], record = self._replace(worker, waiting)
                    elif worker.is_late(self._hang):
                        record = worker.lost("hang", f"no move after {worker.thinking():.0f} s")
                        waiting.extendleft(worker.not_begun())
                        worker.kill()
                        workers[index] = _Worker(self._imports, self._megabytes)
                    if record is not None:
                        yield record
        finally:
            for worker in workers:
                worker.kill()

    def _replace(
        self, worker: _Worker, waiting: deque[Attempt]
    ) -> tuple[_Worker, GameRecord | None]:
        """A new worker for one that died; its game is begun again, or lost."""
        code = worker.exit_code()
        if not worker.has_begun():
            raise WorkerError(
                f"a process that plays games ended before its first game ({_exit_name(code)}); "
                "a script that starts such processes must do so under if __name__ == '__main__':"
            )
        record = None
        waiting.extendleft(worker.not_begun())
        if worker.attempts:
            attempt = worker.attempts[0]
            attempt.count += 1
            if attempt.count < ATTEMPTS:
                waiting.appendleft(attempt)
            else:
                record = worker.lost("crash", f"its process died ({_exit_name(code)})")
        worker.kill()
        return _Worker(self._imports, self._megabytes), record


@dataclass
class Attempt:
    """A game that is to be played, and how often its process has died."""

    task: GameTask
    count: int = 0


def lost_game(
    task: GameTask, player: int, actions: Iterable[int], ended_by: str, reason: str
) -> GameRecord:
    """The record of a game that a player loses after these actions, for what he did.

    >>> from spielbaum.play.referee import Seat
    >>> from spielbaum.play.limits import Limits
    >>> task = GameTask("tictactoe", (Seat("a", Limits()), Seat("b", Limits())))
    >>> lost_game(task, 1, [4], "hang", "no move after 60 s").reason
    'b: no move after 60 s'
    """
    state, moves = start_of(task), list(task.opening)
    for action in actions:
        moves.append(state.text(action))
        state = state.play(action)
    player = max(player, 0)
    rewards = forfeit(len(task.seats), player)
    return GameRecord(task, tuple(moves), rewards, ended_by, f"{task.seats[player].name}: {reason}")


class _Worker:
    """A process, the games that it was given, and what it last told about the one it plays."""

    def __init__(self, imports: tuple[str, ...], megabytes: int | None) -> None:
        # New interpreters instead of forks: a fork would copy the locks of whatever threads exist.
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._status = context.RawArray(ctypes.c_double, 4)  # player, since when, plies, has begun
        self._status[0] = -1.0  # nobody thinks yet
        self._actions = context.RawArray(ctypes.c_int, MOST_PLIES)
        self._process: BaseProcess = context.Process(
            target=_work,
            args=(theirs, self._status, self._actions, imports, megabytes),
            daemon=True,
        )
        self._process.start()
        theirs.close()
        self.attempts: deque[Attempt] = deque()  # it plays the first of them
        self._is_brisk = False

    def wants_more(self) -> bool:
        return len(self.attempts) < (1 + AHEAD if self._is_brisk else 1)

    def give(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        with contextlib.suppress(OSError):  # that it died shows when its answer is waited for
            self.pipe.send(attempt.task)

    def take(self) -> GameRecord | None:
        """The record of the game, or None if the process has died."""
        try:
            record = self.pipe.recv()
        except (EOFError, OSError):
            return None
        if isinstance(record, BaseException):
            raise record
        assert isinstance(record, GameRecord)
        self.attempts.popleft()
        self._is_brisk = sum(record.seconds) < BRISK_SECONDS
        return record

    def not_begun(self) -> list[Attempt]:
        """The games after the one that it plays, the last one first."""
        return list(self.attempts)[:0:-1]

    def thinking(self) -> float:
        """Seconds since the agent was asked for its move; 0 if none is asked."""
        return time.monotonic() - self._status[1] if self._status[0] >= 0 else 0.0

    def is_late(self, hang: float) -> bool:
        if not self.attempts or self._status[0] < 0:
            return False
        seat = self.attempts[0].task.seats[int(self._status[0])]
        return self.thinking() > seat.limits.longest + hang

    def lost(self, ended_by: str, reason: str) -> GameRecord:
        """The record of the game if the agent that was to move loses it."""
        actions = self._actions[: int(self._status[2])]
        return lost_game(self.attempts[0].task, int(self._status[0]), actions, ended_by, reason)

    def has_begun(self) -> bool:
        """Whether the process came as far as waiting for games."""
        return bool(self._status[3])

    def exit_code(self) -> int | None:
        self._process.join(1.0)
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _work(
    pipe: Connection, status: Any, actions: Any, imports: tuple[str, ...], megabytes: int | None
) -> None:
    """The life of a process: games, until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who gives the tasks
    end_with_parent()
    if megabytes is not None:
        limit_memory(megabytes)
    try:
        import_modules(imports)
    except SpecError as error:
        pipe.send(error)
        return
    status[3] = 1.0
    players, signals = Players(), (_Signal(status, actions),)
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        status[2] = 0.0
        answer: GameRecord | BaseException
        try:
            answer = play_game(task, players, signals)
        except Exception as error:  # a task that makes no sense: whoever made it should know
            answer = error
        status[0] = -1.0
        try:
            pipe.send(answer)
        except OSError:
            return


class _Signal(Watcher):
    """Tells the parent who thinks since when, and what was played."""

    def __init__(self, status: Any, actions: Any) -> None:
        self._status = status
        self._actions = actions

    def asked(self, turn: Turn) -> None:
        self._status[1] = time.monotonic()
        self._status[0] = turn.player

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        if self._status[2] < MOST_PLIES:
            self._actions[int(self._status[2])] = move
            self._status[2] += 1


def end_with_parent(end: Callable[[], None] = lambda: os._exit(1)) -> None:
    """End this process when its parent is gone, even in the middle of a game."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        end()

    threading.Thread(target=watch, daemon=True).start()


def _exit_name(code: int | None) -> str:
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit code {code}"
