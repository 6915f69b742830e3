"""Moves against perfection: how often an agent keeps the value of a position that is solved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spielbaum.agents import Budget
from spielbaum.base.errors import SpecError
from spielbaum.base.imports import shared_modules
from spielbaum.base.rng import Rng
from spielbaum.base.workers import Pool, desk
from spielbaum.games import Game, State, game
from spielbaum.play.referee import Players, Seat
from spielbaum.solvers import NotSolved, solve

EFFORT = Budget(nodes=20_000_000)
"""What the solver may spend on a position and its moves; harder ones are left out."""
ATTEMPTS = 5000
"""Random games of which one must leave a choice between moves at the wanted ply."""


@dataclass(frozen=True)
class Exam:
    """A position that an agent is asked about."""

    game: str
    notation: str
    ply: int
    seat: Seat


@dataclass(frozen=True)
class Answer:
    """What the agent did there.

    >>> from spielbaum.play.limits import Limits
    >>> exam = Exam("connect4", "121212", 6, Seat("alphabeta", Limits(depth=2)))
    >>> judge(exam)
    Answer(ply=6, keeps=True, best=True)
    """

    ply: int
    keeps: bool
    """A win stayed a win, and a draw at least a draw."""
    best: bool
    """No other move wins sooner, loses later, or gains more."""


def judge(exam: Exam, players: Players | None = None) -> Answer | None:
    """Ask an agent for its move, and the solver what it is worth; None if that is too hard."""
    state = game(exam.game).state(exam.notation)
    try:
        solution = solve(state, pv=False, budget=EFFORT)
    except NotSolved:
        return None
    scores = {move.move: move.score for move in solution.moves}
    (chooser,) = (players or Players()).get((exam.seat,))
    chosen = scores[chooser.choose(state, exam.seat.limits.budget(None)).move]
    best = max(scores.values())
    return Answer(exam.ply, _sign(chosen) == _sign(best), chosen == best)


def judge_all(exams: Iterable[Exam], jobs: int | None = None) -> Iterator[Answer]:
    """The answers to all exams that could be judged, in their order."""
    with Pool(jobs, imports=shared_modules()) as pool:
        for answer in pool.map(judge_kept, exams):
            if answer is not None:
                yield answer


def judge_kept(exam: Exam) -> Answer | None:
    """Judge with the agents that this worker keeps."""
    return judge(exam, desk().keep(Players))


def random_exams(rules: Game, seat: Seat, count: int, plies: range, seed: int) -> list[Exam]:
    """Positions of random games, as many of each ply, with a choice between moves.

    >>> import spielbaum as sb
    >>> from spielbaum.play.limits import Limits
    >>> exams = random_exams(
    ...     sb.game("connect4"), Seat("uct", Limits(iterations=9)), 3, range(20, 23), seed=1
    ... )
    >>> [exam.ply for exam in exams]
    [20, 21, 22]
    """
    rng, found = Rng(seed), []
    for number in range(count):
        ply = plies[number % len(plies)]
        state = _random_state(rules, ply, rng)
        own = Seat(seat.agent, seat.limits, rng.below(2**31 - 1))
        found.append(Exam(str(rules), state.notation, ply, own))
    return found


def _random_state(rules: Game, plies: int, rng: Rng) -> State:
    for _ in range(ATTEMPTS):
        state = rules.initial().wander(plies, rng)
        if len(state.legal_moves) > 1:
            return state
    raise SpecError(
        f"positions at ply {plies}: random games of {rules} leave no choice between moves there"
    )


def _sign(score: float) -> int:
    return (score > 0) - (score < 0)
