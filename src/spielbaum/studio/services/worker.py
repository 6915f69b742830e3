"""What a process of the studio does for a visitor: search or solve, and report on the way."""

from __future__ import annotations

import contextlib
import time
from typing import TypeAlias

from spielbaum.agents import Agent, Budget, Decision, StopToken, stored_agent
from spielbaum.agents.agent import choices
from spielbaum.agents.mcts import MctsAgent
from spielbaum.base.workers import desk
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
from spielbaum.studio.services.protocol import (
    DecisionView,
    SearchMessage,
    SearchRequest,
    SolutionView,
    SolveRequest,
)

REPORT_SECONDS = 0.2
"""How often the page is told how a search goes, at most."""
MOST_TREE = 60_000
"""Moves of a tree that are looked at, of which the most visited are told."""
SOLVER_MEGABYTES = 128
PATIENT_SECONDS = 0.35
"""Win, draw or loss is told before exact scores are looked for if they take longer than this."""

Answer: TypeAlias = DecisionView | SolutionView


def think(request: SearchRequest | SolveRequest) -> Answer:
    """Search or solve a position until its limits end, or until the task is stopped.

    >>> from spielbaum.studio.services.protocol import Position
    >>> think(SolveRequest(position=Position(game="tictactoe"))).value
    0.0
    """
    state = state_of(request.position)
    choices(state)  # a finished game has none, and says so
    stop = StopToken()
    desk().when_stopped(stop.stop)
    if isinstance(request, SearchRequest):
        return _search(request, state, stop)
    return _solve(request.seconds, state, stop)


def _search(request: SearchRequest, state: State, stop: StopToken) -> DecisionView:
    told = time.monotonic()

    def pass_on(decision: Decision) -> None:
        nonlocal told
        if time.monotonic() - told >= REPORT_SECONDS:
            desk().tell(describe_decision(state, decision))
            told = time.monotonic()

    def make() -> Agent:
        made = stored_agent(request.agent)
        if request.seed is not None:
            made.reset(seed=request.seed)
        return made

    in_game = isinstance(request, SearchMessage) and request.session
    searcher = desk().keep(make) if in_game else make()
    limits = request.limits.model_dump()
    decision = searcher.choose(state, Budget(**limits, stop=stop, report=pass_on))
    grown = request.tree and isinstance(searcher, MctsAgent)
    tree = searcher.tree(state.game, MOST_TREE) if grown else ()  # type: ignore[attr-defined]
    return describe_decision(state, decision, most_visited(tree, request.tree))


def _solve(seconds: float, state: State, stop: StopToken) -> SolutionView:
    """Exact scores if they can be had in time, else win, draw or loss."""
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
    desk().tell(known)
    # What only the book knows is far from the end, where scores take hours.
    if plain.source != "book" and not stop.stopped:
        with contextlib.suppress(NotSolved):
            return describe_solution(state, attempt(True, left()), True)
    return known
