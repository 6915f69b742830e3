"""How good a network is: matches between two networks, and questions that are solved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from spielbaum.agents import Budget, Decision, choose_together
from spielbaum.arena.exams import Question
from spielbaum.play.hall import Hall, SearchBatch
from spielbaum.play.openings import Openings
from spielbaum.play.table import Player, Rules, Table, Turn
from spielbaum.train.methods.alphazero import selfplay

if TYPE_CHECKING:
    from spielbaum.agents.mcts import MctsAgent
    from spielbaum.models.evaluator import NetEvaluator
    from spielbaum.train.methods.alphazero.config import AlphaZeroConfig

TOGETHER = 64
"""Questions that are answered at a time."""


def searcher(config: AlphaZeroConfig, evaluator: NetEvaluator, seed: int = 0) -> MctsAgent:
    """The search of matches and questions: that of self-play, without its noise."""
    quiet = {"root": "same", "epsilon": 0.0, "reuse": False}
    settings = config.self_play.model_copy(update=quiet)
    return selfplay.searcher(settings, evaluator, seed, config.evaluation.simulations)


def answers(
    config: AlphaZeroConfig, evaluator: NetEvaluator, questions: Sequence[Question]
) -> list[int]:
    """The moves that a network chooses, with the simulations of evaluations."""
    game, budget = config.rules(), Budget(iterations=config.evaluation.simulations)
    moves: list[int] = []
    for first in range(0, len(questions), TOGETHER):
        some = questions[first : first + TOGETHER]
        agents = [searcher(config, evaluator) for _ in some]
        states = [game.state(question.notation) for question in some]
        moves += [decision.move for decision in choose_together(agents, states, budget)]
    return moves


def match(
    config: AlphaZeroConfig,
    first: NetEvaluator,
    second: NetEvaluator,
    numbers: Sequence[int],
) -> list[float]:
    """Rewards of the first network in games of two players, played side by side.

    Games ``2 n`` and ``2 n + 1`` have the same random opening and swapped seats. As in self-play,
    moves are drawn for some plies if ``turns_until_not_random`` says so.
    """
    game = config.rules()
    opening = Openings("random", config.evaluation.opening)
    # The first openings are the same, however many there are: processes share out games.
    starts = opening.states(game, max(numbers) // 2 + 1, config.seed)
    batches = [SearchBatch(game, each, len(numbers)) for each in (first, second)]
    budget = Budget(iterations=config.evaluation.simulations)
    rules = Rules("raise", config.self_play.max_plies)
    pick = partial(_drawn, config)

    def begin(number: int) -> Table:
        players = [
            Player(searcher(config, each, number), budget, pick, batch)
            for each, batch in zip((first, second), batches, strict=True)
        ]
        return Table(starts[number // 2], players[:: -1 if number % 2 else 1], rules)

    tables = {number: begin(number) for number in numbers}
    waiting = iter(tables.values())
    Hall(lambda: next(waiting, None), len(tables)).play()
    results = {number: table.result for number, table in tables.items()}
    return [result.rewards[number % 2] for number, result in results.items() if result is not None]


def _drawn(config: AlphaZeroConfig, turn: Turn, decision: Decision) -> int:
    """A move of a match: drawn by its share for some plies, and then the best."""
    if turn.ply >= config.self_play.turns_until_not_random:
        return decision.move
    shares = np.array([entry.policy or 0.0 for entry in decision.moves])
    rng = np.random.default_rng([config.seed, turn.ply, turn.state.key])
    return decision.moves[int(rng.choice(len(shares), p=shares / shares.sum()))].move
