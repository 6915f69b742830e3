"""Computing a book: solve every position of the last ply, then the earlier ones by minimax.

Solved positions go to a progress file next to the book, one line each, as soon as they are known;
its first line names the game.
Started again after an interruption, even a hard one, the work goes on where it was.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import signal
from collections.abc import Callable, Iterator
from multiprocessing.pool import IMapIterator
from pathlib import Path

from spielbaum.books.connect4 import Connect4Book, check_size, position_code
from spielbaum.errors import BookError
from spielbaum.games import Game, State
from spielbaum.games import game as make_game
from spielbaum.solving.solver import Wanted, shared_solver

Report = Callable[[int, int], None]
"""Called with the number of positions solved so far, and the number of all."""


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
    values = _read_progress(progress, title, levels[-1])
    report(len(values), len(levels[-1]))
    waiting = [(code, state) for code, state in levels[-1].items() if code not in values]
    with progress.open("a", encoding="ascii") as lines:
        if lines.tell() == 0:
            lines.write(f"{title}\n")
        for code, value in _solve_all(rules, waiting, jobs or os.cpu_count() or 1, memory):
            lines.write(f"{code:x} {value}\n")
            lines.flush()
            values[code] = value
            report(len(values), len(levels[-1]))
    for states in reversed(levels[:-1]):
        values.update({code: _minimax(state, values) for code, state in states.items()})
    book = Connect4Book(rules, plies, values)
    book.save(path)
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


def _read_progress(path: Path, title: str, wanted: dict[int, State]) -> dict[int, int]:
    """What an earlier run has solved; an unfinished last line is left out and cut off.

    A file whose first line is not its title is from before there were titles.
    """
    if not path.exists():
        return {}
    text = path.read_bytes().decode("ascii", errors="replace")
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
) -> Iterator[tuple[int, int]]:
    tasks = [(code, str(rules), state.notation, memory) for code, state in waiting]
    if jobs == 1:
        yield from map(_solve_one, tasks)
        return
    # New interpreters instead of forks: a fork would copy the locks of whatever threads exist.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with _interrupts_held():
        pool = context.Pool(jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    with pool:
        workers = set(multiprocessing.active_children()) - others
        results = pool.imap_unordered(_solve_one, tasks)
        for _ in tasks:
            yield _next_result(results, workers)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal, but one of them is enough to end the work.

    Processes that are started in here do not get it, not even while they are starting.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _next_result(
    results: IMapIterator[tuple[int, int]], workers: set[multiprocessing.process.BaseProcess]
) -> tuple[int, int]:
    """The next result; a pool would wait for ever for that of a process which was killed."""
    while True:
        try:
            return results.next(timeout=1.0)
        except multiprocessing.TimeoutError:
            if not workers <= set(multiprocessing.active_children()):
                raise BookError(
                    "a process that solves positions was ended, perhaps for want of memory; "
                    "what is solved is kept: start again, with less memory or fewer jobs"
                ) from None


def _solve_one(task: tuple[int, str, str, int]) -> tuple[int, int]:
    code, spec, notation, memory = task
    rules = make_game(spec)
    wanted = Wanted(exact=False, moves=False)
    return code, shared_solver(rules, memory).run(rules.state(notation), wanted).score
