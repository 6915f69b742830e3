"""Computing a book: solve every position of the last ply, then the earlier ones by minimax.

Solved positions go to a progress file next to the book, one line each, as soon as they are known;
its first line names the game.
Started again after an interruption, even a hard one, the work goes on where it was. When the book
is safely on the disk, the progress file goes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import multiprocessing.resource_tracker
import os
import re
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import TypeAlias

from spielbaum.books.connect4 import Connect4Book, check_size, position_code
from spielbaum.bounded import read_bytes
from spielbaum.errors import BookError
from spielbaum.games import Game, State
from spielbaum.games import game as make_game
from spielbaum.solving.solver import Wanted, shared_solver

LARGEST_PROGRESS = 64 << 20

Report = Callable[[int, int], None]
"""Called with the number of positions solved so far, and the number of all."""

Task: TypeAlias = tuple[int, str, str, int]
"""The code of a position, its game, its notation, and megabytes for the table."""
Solved: TypeAlias = tuple[int, int]
"""The code of a position, and its value."""
Worker: TypeAlias = "Connection[Task, Solved | Exception]"
"""A process that solves positions, seen as the connection to it."""


def positions_by_ply(rules: Game, plies: int) -> list[dict[int, State]]:
    """Every unfinished position up to a ply, mirror images merged, by its code.

    >>> import spielbaum as sb
    >>> [len(states) for states in positions_by_ply(sb.game("connect4"), 4)]
    [1, 4, 25, 121, 568]
    """
    start = rules.initial()
    levels = [{position_code(start): start}]
    for _ in range(plies):
        following: dict[int, State] = {}
        seen: set[int] = set()
        for state in levels[-1].values():
            for move in state.legal_moves:
                after = state.play(move)
                if after.key not in seen:
                    seen.add(after.key)
                    if after.outcome is None:
                        following.setdefault(position_code(after), after)
        levels.append(following)
    return levels


def build_book(
    rules: Game,
    plies: int,
    path: Path,
    *,
    jobs: int | None = None,
    memory: int = 256,
    report: Report = lambda solved, total: None,
) -> Connect4Book:
    """Compute the book with ``jobs`` processes (all cores if None) and write it to ``path``.

    >>> import tempfile
    >>> import spielbaum as sb
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book = build_book(sb.game("connect4:rows=4,columns=4"), 3, Path(folder) / "b", jobs=1)
    >>> book.value(book.game.initial())
    0
    """
    if rules.name != "connect4":
        raise BookError(f"books are made for connect4, not for {rules.name}")
    check_size(rules)
    if not path.name or path.is_dir():
        raise BookError(f"book {path}: expected the name of a file")
    progress = path.with_name(path.name + ".part")
    levels = positions_by_ply(rules, plies)
    title = f"game {rules}"
    values = _read_finished(path, rules, levels[-1])
    values.update(_read_progress(progress, title, levels[-1]))
    report(len(values), len(levels[-1]))
    waiting = [(code, state) for code, state in levels[-1].items() if code not in values]
    solving = _solve_all(rules, waiting, jobs or os.cpu_count() or 1, memory)
    with progress.open("a", encoding="ascii") as lines, contextlib.closing(solving):
        if lines.tell() == 0:
            lines.write(f"{title}\n")
        for code, value in solving:
            lines.write(f"{code:x} {value}\n")
            lines.flush()
            values[code] = value
            report(len(values), len(levels[-1]))
    for states in reversed(levels[:-1]):
        values.update({code: _minimax(state, values) for code, state in states.items()})
    book = Connect4Book(rules, plies, values)
    book.save(path)
    progress.unlink()
    return book


def _minimax(state: State, values: dict[int, int]) -> int:
    """The value of a position whose successors are known."""
    best = -1
    for move in state.legal_moves:
        after = state.play(move)
        outcome = after.outcome
        if outcome is None:
            best = max(best, -values[position_code(after)])
        else:
            best = max(best, 0 if outcome.winner is None else 1)
    return best


def _read_finished(path: Path, rules: Game, wanted: dict[int, State]) -> dict[int, int]:
    """What an earlier book in the same place knows."""
    try:
        book = Connect4Book.load(path)
    except BookError:
        return {}
    if book.game != rules:
        return {}
    return {code: value for code, value in book.values().items() if code in wanted}


def _read_progress(path: Path, title: str, wanted: dict[int, State]) -> dict[int, int]:
    """What an earlier run has solved; an unfinished last line is left out and cut off.

    A file whose first line is not its title is from before there were titles.
    """
    if not path.exists():
        return {}
    content = read_bytes(path, LARGEST_PROGRESS, "progress of a book", BookError)
    text = content.decode("ascii", errors="replace")
    *lines, rest = text.split("\n")
    has_title = bool(lines) and lines[0].startswith("game ")
    if has_title and lines[0] != title:
        raise BookError(f"{path} was begun for {lines[0]:.60}, not for {title}")
    values: dict[int, int] = {}
    for number, line in enumerate(lines[has_title:], start=1 + has_title):
        try:
            code, value = int(line.split()[0], 16), int(line.split()[1])
        except (ValueError, IndexError):
            raise BookError(f"{path}, line {number}: {line[:40]!r} is no solved position") from None
        if value not in (-1, 0, 1):
            raise BookError(f"{path}, line {number}: value {value}, expected -1, 0 or 1")
        if code in wanted:
            values[code] = value
    if rest:
        if not (re.fullmatch("[0-9a-f]+( -?[01]?)?", rest) or title.startswith(rest)):
            raise BookError(f"{path}, last line: {rest[:40]!r} is no solved position")
        os.truncate(path, len(text) - len(rest))
    return values


def _solve_all(
    rules: Game, waiting: list[tuple[int, State]], jobs: int, memory: int
) -> Generator[Solved, None, None]:
    tasks = iter([(code, str(rules), state.notation, memory) for code, state in waiting])
    if jobs == 1:
        yield from map(_solve_one, tasks)
        return
    with _started_workers(min(jobs, len(waiting))) as workers:
        for worker, task in zip(workers, tasks, strict=False):
            _send(worker, task)
        unsolved = len(waiting)
        while unsolved:
            ready = multiprocessing.connection.wait(workers)
            for worker in (each for each in workers if each in ready):
                yield _receive(worker)
                unsolved -= 1
                if (following := next(tasks, None)) is not None:
                    _send(worker, following)


@contextlib.contextmanager
def _started_workers(number: int) -> Iterator[list[Worker]]:
    """Processes that solve positions, until the end of the block.

    They share nothing, not even a queue: one that is killed cannot hold a lock that others need.
    """
    # New interpreters instead of forks: a fork would copy the locks of whatever threads exist.
    context = multiprocessing.get_context("spawn")
    processes: list[multiprocessing.context.SpawnProcess] = []
    workers: list[Worker] = []
    try:
        with _interrupts_held():
            for _ in range(number):
                ours, theirs = context.Pipe()
                workers.append(ours)
                with theirs:
                    process = context.Process(target=_work, args=(theirs,), daemon=True)
                    process.start()
                processes.append(process)
        yield workers
    finally:
        with _interrupts_held():  # a second Ctrl-C must not leave any of them behind
            for process in processes:
                process.terminate()
            for process in processes:
                process.join()
                process.close()
            for worker in workers:
                worker.close()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits for the end of the block; processes that are started in here never get it.

    A terminal sends it to every process, but one of them is enough to end the work.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The mask is for the processes, which inherit it. Here it is not enough: any thread may get the
    # signal, and the main thread then acts on it.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    in_charge = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if in_charge else None
    came: list[tuple[int, FrameType | None]] = []
    try:
        if callable(handler):
            signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
        # Else the first process would start Python's tracker of resources, which lifts the mask.
        multiprocessing.resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if callable(handler):
            signal.signal(signal.SIGINT, handler)
            for interrupt in came[:1]:
                handler(*interrupt)


def _send(worker: Worker, task: Task) -> None:
    with _noticing_its_end():
        worker.send(task)


def _receive(worker: Worker) -> Solved:
    with _noticing_its_end():
        result = worker.recv()
    if isinstance(result, Exception):
        raise result
    return result


@contextlib.contextmanager
def _noticing_its_end() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError):
        raise BookError(
            "a process that solves positions was ended, perhaps for want of memory; "
            "what is solved is kept: start again, with less memory or fewer jobs"
        ) from None


def _work(tasks: Connection[Solved | Exception, Task]) -> None:
    """What a worker does until the other end of its connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems that cannot hold it
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = tasks.recv()
            try:
                tasks.send(_solve_one(task))
            except Exception as error:
                tasks.send(error)


def _solve_one(task: Task) -> Solved:
    code, spec, notation, memory = task
    rules = make_game(spec)
    wanted = Wanted(exact=False, moves=False)
    return code, shared_solver(rules, memory).run(rules.state(notation), wanted).score
