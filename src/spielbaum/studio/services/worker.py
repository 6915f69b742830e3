"""The process that searches: one job at a time, which can be stopped from outside."""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Literal, TypeAlias

from spielbaum.agents import Budget, Decision, StopToken, stored_agent
from spielbaum.agents.agent import choices
from spielbaum.agents.mcts import MctsAgent
from spielbaum.arena.workers import end_with_parent
from spielbaum.base.errors import MISTAKES
from spielbaum.base.imports import import_modules
from spielbaum.base.memory import limit_memory
from spielbaum.games import State
from spielbaum.solvers import NotSolved, Solution, solve
from spielbaum.solvers.reach import too_early
from spielbaum.solvers.solver import has_solver, shared_solver
from spielbaum.studio.services.positions import (
    describe_decision,
    describe_solution,
    most_visited,
    state_of,
)
from spielbaum.studio.services.protocol import DecisionView, LimitsView, Position, SolutionView

REPORT_SECONDS = 0.2
"""The page is told how a search goes at most so often."""
MOST_TREE = 60_000
"""Moves of a tree that are looked at, of which the most visited are told."""
SOLVER_MEGABYTES = 128
PATIENT_SECONDS = 0.35
"""Win, draw or loss is told before exact scores are looked for if they take longer than this."""


@dataclass(frozen=True)
class Job:
    """Something to search.

    >>> Job(1, "solve", Position(game="tictactoe"), LimitsView(seconds=1)).agent
    ''
    """

    id: int
    kind: Literal["search", "solve"]
    position: Position
    limits: LimitsView
    agent: str = ""
    seed: int | None = None
    tree: int = 0


Answer: TypeAlias = DecisionView | SolutionView
Told: TypeAlias = tuple[Literal["report", "done", "failed"], int, Answer | str]
"""What a worker says: what it is, about which job, and the answer or the sentence."""
Tell: TypeAlias = Callable[[Answer], None]


def run_job(job: Job, stop: StopToken, report: Tell) -> Answer:
    """Search as a job says; ``report`` is told on the way.

    >>> job = Job(1, "solve", Position(game="tictactoe"), LimitsView(seconds=5))
    >>> run_job(job, StopToken(), report=lambda answer: None).value
    0.0
    """
    state = state_of(job.position)
    choices(state)  # a finished game has none, and says so
    run = _search if job.kind == "search" else _solve
    return run(job, state, stop, report)


def _search(job: Job, state: State, stop: StopToken, report: Tell) -> DecisionView:
    told = time.monotonic()

    def pass_on(decision: Decision) -> None:
        nonlocal told
        if time.monotonic() - told >= REPORT_SECONDS:
            report(describe_decision(state, decision))
            told = time.monotonic()

    limits = job.limits
    searcher = stored_agent(job.agent)
    if job.seed is not None:
        searcher.reset(seed=job.seed)
    decision = searcher.choose(
        state,
        Budget(
            iterations=limits.iterations,
            seconds=limits.seconds,
            depth=limits.depth,
            nodes=limits.nodes,
            stop=stop,
            report=pass_on,
        ),
    )
    grown = job.tree and isinstance(searcher, MctsAgent)
    tree = searcher.tree(state.game, MOST_TREE) if grown else ()  # type: ignore[attr-defined]
    return describe_decision(state, decision, most_visited(tree, job.tree))


def _solve(job: Job, state: State, stop: StopToken, report: Tell) -> SolutionView:
    """Exact scores if they can be had in time, else win, draw or loss."""
    seconds = job.limits.seconds or 1.0
    if has_solver(state.game) and (reason := too_early(state, Budget(seconds=seconds))):
        return SolutionView(solved=False, reason=reason)
    shared_solver(state.game, SOLVER_MEGABYTES)  # its table is there before the clock runs
    began = time.monotonic()

    def attempt(exact: bool, part: float) -> Solution:
        budget = Budget(seconds=max(part, 1e-3), stop=stop)
        return solve(state, exact=exact, pv=exact, budget=budget, memory=SOLVER_MEGABYTES)

    def left() -> float:
        return seconds - (time.monotonic() - began)

    with contextlib.suppress(NotSolved):
        return describe_solution(state, attempt(True, min(PATIENT_SECONDS, seconds / 3)), True)
    try:
        plain = attempt(False, 0.6 * left())
    except NotSolved as error:
        return SolutionView(solved=False, reason=str(error))
    known = describe_solution(state, plain, False)
    report(known)
    # What only the book knows is far from the end, where scores take hours.
    if plain.source != "book" and not stop.stopped:
        with contextlib.suppress(NotSolved):
            return describe_solution(state, attempt(True, left()), True)
    return known


def work(pipe: Connection, imports: Sequence[str], megabytes: int) -> None:
    """The life of a process: jobs, until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    end_with_parent()
    limit_memory(megabytes)
    import_modules(imports)
    jobs: queue.SimpleQueue[tuple[Job, StopToken] | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, jobs), daemon=True).start()
    while (given := jobs.get()) is not None:
        job, stop = given
        try:
            pipe.send(_told(job, stop, partial(_report, pipe, job.id)))
        except OSError:  # the server is gone
            return


def _report(pipe: Connection, number: int, answer: Answer) -> None:
    pipe.send(("report", number, answer))


def _told(job: Job, stop: StopToken, report: Tell) -> Told:
    try:
        return "done", job.id, run_job(job, stop, report)
    except MemoryError:
        return "failed", job.id, "there is not enough memory for this search"
    except (*MISTAKES, NotSolved, ValueError) as error:
        return "failed", job.id, " ".join(str(error).split())[:400]
    except Exception as error:  # of an agent or a game in Python: its author should know
        return "failed", job.id, f"{job.agent}: {type(error).__name__}: {error}"[:400]


def _listen(pipe: Connection, jobs: queue.SimpleQueue[tuple[Job, StopToken] | None]) -> None:
    """Take jobs, and stop the one that is told by its number."""
    running: tuple[int, StopToken] | None = None
    while True:
        try:
            told = pipe.recv()
        except (EOFError, OSError):
            if running is not None:
                running[1].stop()
            jobs.put(None)
            return
        if isinstance(told, Job):
            token = StopToken()
            running = (told.id, token)
            jobs.put((told, token))
        elif running is not None and running[0] == told:
            running[1].stop()
