"""Computing a book: solve every position of the last ply, then the earlier ones by minimax.

Of an early ply the exact scores may be found as well, each with a line of best play.

Solved positions go to a progress file next to the book, one line each, as soon as they are known;
its first line names the game. ``CODE VALUE`` is win, draw or loss of the position with that
`position_code`; ``score NOTATION SCORE LINE`` is an exact score, with the moves that lead from
there to the end in the notation of the game (a ``-`` stands for the empty board).
Started again after an interruption, even a hard one, the work goes on where it was. When the book
is safely on the disk, the progress file goes.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from spielbaum.base.bounded import read_bytes
from spielbaum.base.errors import BookError, WorkerError
from spielbaum.base.workers import Pool
from spielbaum.games import Game, State
from spielbaum.games import game as make_game
from spielbaum.solvers.book.connect4 import (
    Connect4Book,
    check_size,
    line_text,
    position_code,
    score_at_end,
)
from spielbaum.solvers.solution import sign
from spielbaum.solvers.solver import Wanted, shared_solver

LARGEST_PROGRESS = 64 << 20

Report = Callable[[int, int], None]
"""Called with the number of positions solved so far, and the number of all."""


class Task(NamedTuple):
    """A position that is to be solved."""

    game: str
    notation: str
    exact: bool
    """Its score and a line of best play; else only win, draw or loss."""
    memory: int
    """Megabytes of the table."""


class Solved(NamedTuple):
    """What was found out about a position."""

    task: Task
    score: int
    line: tuple[int, ...]


@dataclass
class _Known:
    """What is known of the plies that are solved, by the code of a position."""

    values: dict[int, int] = field(default_factory=dict)
    """Win, draw or loss of positions of the last ply."""
    scores: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Exact score and line of positions of the last ply with scores."""

    def __len__(self) -> int:
        return len(self.values) + len(self.scores)


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
    scores: int | None = None,
    jobs: int | None = None,
    memory: int = 256,
    report: Report = lambda solved, total: None,
) -> Connect4Book:
    """Compute the book with ``jobs`` processes (all cores if None) and write it to ``path``.

    Positions with up to ``scores`` stones get exact scores, which take much longer. What a book
    of the same game in the same place knows is not solved again.

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
    if scores is not None and not 0 <= scores <= plies:
        raise BookError(f"scores of {scores} stones: expected 0 to {plies}, the plies of the book")
    progress = path.with_name(path.name + ".part")
    levels = positions_by_ply(rules, plies)
    title = f"game {rules}"
    scored = {} if scores is None else levels[scores]
    valued = {} if scores == plies else levels[-1]
    known = _Known()
    _read_finished(path, rules, scores, scored, valued, known)
    _read_progress(progress, title, rules, scored, valued, known)
    total = len(scored) + len(valued)
    report(len(known), total)
    waiting = [
        *(Task(str(rules), state.notation, True, memory)
          for code, state in scored.items() if code not in known.scores),
        *(Task(str(rules), state.notation, False, memory)
          for code, state in valued.items() if code not in known.values),
    ]  # fmt: skip
    solving = _solve_all(waiting, jobs or os.cpu_count() or 1)
    with progress.open("a", encoding="ascii") as lines, contextlib.closing(solving):
        if lines.tell() == 0:
            lines.write(f"{title}\n")
        for solved in solving:
            state = rules.state(solved.task.notation)
            lines.write(_progress_line(state, solved))
            lines.flush()
            _note(state, solved, known)
            report(len(known), total)
    book = _finish(rules, plies, scores, levels, known)
    book.save(path)
    progress.unlink()
    return book


def _finish(
    rules: Game, plies: int, scores: int | None, levels: list[dict[int, State]], known: _Known
) -> Connect4Book:
    """The book, with the earlier plies by minimax; `BookError` if values and scores disagree."""
    exact = {code: score for code, (score, _) in known.scores.items()}
    for states in reversed(levels[: scores or 0]):
        exact.update({code: _minimax(state, exact) for code, state in states.items()})
    values = dict(known.values) or {code: int(sign(score)) for code, score in exact.items()}
    for states in reversed(levels[:-1]):
        values.update({code: int(sign(_minimax(state, values))) for code, state in states.items()})
    for code, score in exact.items():
        if sign(score) != values[code]:
            notation = next(states[code].notation for states in levels if code in states)
            raise BookError(
                f"the score of {notation!r} is {score}, which contradicts the value "
                f"{values[code]} of the positions after it; one of both was not solved right"
            )
    lines = {code: line for code, (_, line) in known.scores.items()}
    return Connect4Book(rules, plies, {**values, **exact}, scores, lines)


def _minimax(state: State, values: dict[int, int]) -> int:
    """The value of a position whose successors are known, or have ended the game."""
    following = (state.play(move) for move in state.legal_moves)
    return max(
        -(values[position_code(after)] if after.outcome is None else score_at_end(after))
        for after in following
    )


def _read_finished(
    path: Path,
    rules: Game,
    scores: int | None,
    scored: dict[int, State],
    valued: dict[int, State],
    known: _Known,
) -> None:
    """Take what an earlier book in the same place knows."""
    try:
        book = Connect4Book.load(path)
    except BookError:
        return
    if book.game != rules:
        return
    values = book.values()
    known.values.update({code: int(sign(values[code])) for code in valued if code in values})
    if book.scores == scores:
        both = [code for code in scored if code in values and code in book.lines]
        known.scores.update({code: (values[code], book.lines[code]) for code in both})


def _progress_line(state: State, solved: Solved) -> str:
    if not solved.task.exact:
        return f"{position_code(state):x} {solved.score}\n"
    end = state
    for move in solved.line:
        end = end.play(move)
    moves = end.notation.removeprefix(state.notation)
    return f"score {state.notation or '-'} {solved.score} {moves}\n"


def _note(state: State, solved: Solved, known: _Known) -> None:
    if solved.task.exact:
        known.scores[position_code(state)] = solved.score, line_text(state, solved.line)
    else:
        known.values[position_code(state)] = solved.score


def _read_score(line: str, rules: Game) -> tuple[int, int, str]:
    """The code, score and line of a position from the progress file; ValueError if it is none.

    The line must end the game as the score says, so that a slip in it is noticed.
    """
    _, notation, number, moves, *_ = line.split()
    state, score = rules.state(notation.removeprefix("-")), int(number)
    end = rules.state(state.notation + moves)
    actions = list(end.history[len(state.history) :])
    promised = score_at_end(end) * (1 if len(actions) % 2 == 0 else -1)
    if end.outcome is None or promised != score:
        raise ValueError(line)
    return position_code(state), score, line_text(state, actions)


def _read_progress(
    path: Path,
    title: str,
    rules: Game,
    scored: dict[int, State],
    valued: dict[int, State],
    known: _Known,
) -> None:
    """Take what an earlier run has solved; an unfinished last line is left out and cut off.

    A file whose first line is not its title is from before there were titles.
    """
    if not path.exists():
        return
    content = read_bytes(path, LARGEST_PROGRESS, "progress of a book", BookError)
    text = content.decode("ascii", errors="replace")
    *lines, rest = text.split("\n")
    has_title = bool(lines) and lines[0].startswith("game ")
    if has_title and lines[0] != title:
        raise BookError(f"{path} was begun for {lines[0]:.60}, not for {title}")
    for number, line in enumerate(lines[has_title:], start=1 + has_title):
        try:
            if line.startswith("score "):
                code, score, moves = _read_score(line, rules)
                if code in scored:
                    known.scores[code] = score, moves
                continue
            code, value = int(line.split()[0], 16), int(line.split()[1])
        except (ValueError, IndexError):
            raise BookError(f"{path}, line {number}: {line[:40]!r} is no solved position") from None
        if value not in (-1, 0, 1):
            raise BookError(f"{path}, line {number}: value {value}, expected -1, 0 or 1")
        if code in valued:
            known.values[code] = value
    if rest:
        begun = re.fullmatch("[0-9a-f]+( -?[01]?)?|score [0-9a-z -]*", rest)
        if not (begun or title.startswith(rest) or "score ".startswith(rest)):
            raise BookError(f"{path}, last line: {rest[:40]!r} is no solved position")
        os.truncate(path, len(text) - len(rest))


def _solve_all(waiting: list[Task], jobs: int) -> Generator[Solved, None, None]:
    if jobs == 1:
        yield from map(solve_one, waiting)
        return
    try:
        with Pool(jobs) as pool:
            yield from pool.map(solve_one, waiting, in_order=False)
    except WorkerError:
        raise BookError(
            "a process that solves positions was ended, perhaps for want of memory; "
            "what is solved is kept: start again, with less memory or fewer jobs"
        ) from None


def solve_one(task: Task) -> Solved:
    """Solve a position."""
    rules = make_game(task.game)
    wanted = Wanted(task.exact, moves=False, pv=task.exact)
    found = shared_solver(rules, task.memory).run(rules.state(task.notation), wanted)
    return Solved(task, found.score, tuple(found.line))
