"""Solved positions in which a move can be wrong: who keeps their value, and how often."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from spielbaum.agents import Agent, Budget, agent
from spielbaum.base.bounded import DAMAGE, read_text, typed
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.base.rng import Rng
from spielbaum.games import Game, State
from spielbaum.play.table import Player, Rules, Table, play_one
from spielbaum.solvers import NotSolved, solve

SOURCE = "uct"
"""The agent from whose games positions are taken."""
SOURCE_ITERATIONS = 200
OPENING = 4
"""Random plies before that agent plays, at most."""
PATIENCE = 400
"""Games in a row without a new question after which no more are looked for."""
EFFORT = Budget(nodes=20_000_000)
"""What the solver may spend on a position and its moves; harder ones are left out."""


@dataclass(frozen=True)
class Question:
    """A position whose moves are solved, and of which at least one is a mistake.

    >>> Question("4", 1, (0, 1), (1.0, -1.0)).keeps(1)
    False
    """

    notation: str
    ply: int
    moves: tuple[int, ...]
    values: tuple[float, ...]
    """Win 1, draw 0 or loss -1 for the side to move, for each of these moves."""

    def keeps(self, move: int) -> bool:
        """Whether a move keeps the value of the position."""
        return self.values[self.moves.index(move)] == max(self.values)


def make_questions(
    game: Game,
    count: int,
    plies: range,
    seed: int,
    report: Callable[[int], None] | None = None,
) -> list[Question]:
    """Different positions of agents' games, in turn of each ply; ``report`` is told how many.

    Both sides are ``uct`` with few iterations, after up to four random plies. Fewer than asked for
    are found if a game has not got as many.

    >>> import spielbaum as sb
    >>> questions = make_questions(sb.game("tictactoe"), 4, range(2, 6), seed=1)
    >>> [question.ply for question in questions]
    [2, 3, 4, 5]
    """
    if not plies or plies[0] < 0:
        raise SpecError(f"questions at plies {plies.start} to {plies.stop - 1}: there are no such")
    rng, player = Rng(seed), agent(SOURCE)
    found: list[Question] = []
    looked_at: set[State] = set()
    attempts = in_vain = 0
    while len(found) < count and attempts < 50 * count and in_vain < PATIENCE:
        ply = plies[len(found) % len(plies)]
        # Where a ply has nothing more to offer, the others make up for it.
        if attempts > 20 * (len(found) + 1) or in_vain > PATIENCE // 4:
            ply = plies[attempts % len(plies)]
        attempts += 1
        in_vain += 1
        state = _played(game, player, ply, rng)
        if state is None or state in looked_at:
            continue
        looked_at.add(state)
        question = _question(state, ply)
        if question is not None:
            in_vain = 0
            found.append(question)
            if report is not None:
                report(len(found))
    return found


def save_questions(questions: Iterable[Question], game: Game) -> str:
    """Questions as JSON, for `load_questions`."""
    rows = [[each.notation, each.ply, each.moves, each.values] for each in questions]
    return json.dumps({"format": "spielbaum questions 1", "game": str(game), "questions": rows})


def load_questions(path: Path, game: Game) -> list[Question]:
    """Questions from a file; `ModelError` if it has none for that game."""
    try:
        told = json.loads(read_text(path))
        if told["format"] != "spielbaum questions 1" or told["game"] != str(game):
            raise ValueError
        names = Question.__dataclass_fields__
        found = [typed(Question, dict(zip(names, row, strict=True))) for row in told["questions"]]
        if any(not 0 < len(each.moves) == len(each.values) for each in found):
            raise ValueError
        return found
    except OSError as error:
        raise ModelError(f"questions {path}: {error.strerror or error}") from None
    except DAMAGE:
        raise ModelError(f"questions {path}: it has no questions about {game}") from None


def share_kept(questions: Sequence[Question], moves: Sequence[int]) -> float:
    """The share of questions whose value these moves keep.

    >>> share_kept([Question("4", 1, (0, 1), (1.0, -1.0))], [0])
    1.0
    """
    kept = sum(question.keeps(move) for question, move in zip(questions, moves, strict=True))
    return kept / len(questions) if questions else 0.0


def _played(game: Game, player: Agent, plies: int, rng: Rng) -> State | None:
    """A position after so many plies of a game; None if it is over by then."""
    opening = rng.below(min(OPENING, plies) + 1)
    player.reset(seed=rng.below(2**31 - 1))
    state = game.initial().wander(opening, rng)
    if state.outcome is not None:
        return None
    players = [Player(player, Budget(iterations=SOURCE_ITERATIONS))] * game.num_players
    table = Table(state, players, Rules("raise", plies), ply=opening)
    return table.state if play_one(table).ended_by == "length" else None


def _question(state: State, ply: int) -> Question | None:
    try:
        solution = solve(state, exact=False, pv=False, budget=EFFORT)
    except NotSolved:
        return None
    values = tuple(move.value for move in solution.moves)
    if len(set(values)) < 2:
        return None
    return Question(state.notation, ply, tuple(move.move for move in solution.moves), values)
