"""The laws of evaluators, checked on positions of random games."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spielbaum.agents.batches import BatchedSearch, Evaluator
from spielbaum.base.rng import Rng
from spielbaum.games import Game, State, game
from spielbaum.testing.game_laws import LawBroken

TOLERANCE = 1e-4  # of sums that a library may order as it likes


def check_evaluator(
    evaluator: Evaluator, rules: Game | str, *, positions: int = 64, seed: int = 0
) -> int:
    """Evaluate positions alone and in batches; returns how many. Raises `LawBroken`.

    Values are numbers in [-1, 1], logits have a place for every action, and the answer for a
    position does not depend on what else is in the batch, nor on earlier questions.

    >>> import numpy as np
    >>> class Even:
    ...     def evaluate(self, planes, legal):
    ...         return np.zeros(len(planes)), np.zeros(legal.shape)
    >>> check_evaluator(Even(), "connect4", positions=8)
    8
    """
    chosen = game(rules) if isinstance(rules, str) else rules
    asked = BatchedSearch(chosen, evaluator)
    states = _random_states(chosen, positions, seed)
    name = getattr(evaluator, "encoding", chosen.encodings[0])
    planes = np.stack([state.planes(encoding=name) for state in states])
    legal = np.zeros((len(states), chosen.num_actions), np.bool_)
    for row, state in zip(legal, states, strict=True):
        row[list(state.legal_moves)] = True

    def answer(rows: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.float32], ...]:
        try:
            return asked.ask(planes[rows].copy(), legal[rows].copy())
        except ValueError as error:
            raise LawBroken(f"{chosen}: {error}") from None

    everything = np.arange(len(states))
    values, logits = answer(everything)
    if np.abs(values).max() > 1.0:
        raise LawBroken(f"{chosen}: a value of {np.abs(values).max():g} is not in [-1, 1]")
    backwards = everything[::-1]
    again = answer(backwards)
    _compare(chosen, "in another order", (values[backwards], logits[backwards]), again)
    for row in everything[:8]:
        alone = answer(everything[row : row + 1])
        _compare(chosen, "alone", (values[row : row + 1], logits[row : row + 1]), alone)
    return len(states)


def _compare(
    rules: Game,
    how: str,
    expected: tuple[npt.NDArray[np.float32], ...],
    found: tuple[npt.NDArray[np.float32], ...],
) -> None:
    for name, before, after in zip(("values", "logits"), expected, found, strict=True):
        if not np.allclose(before, after, atol=TOLERANCE):
            raise LawBroken(f"{rules}: {name} are others when positions are evaluated {how}")


def _random_states(rules: Game, count: int, seed: int) -> list[State]:
    rng = Rng(seed)
    states: list[State] = []
    state = rules.initial()
    while len(states) < count:
        if state.outcome is not None:
            state = rules.initial()
        states.append(state)
        moves = state.legal_moves
        state = state.play(moves[rng.below(len(moves))])
    return states
