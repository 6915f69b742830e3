"""How good a network is: matches between two networks, and questions that are solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spielbaum.agents import Budget, choose_together
from spielbaum.agents.batches import BatchedSearch
from spielbaum.agents.net import puct_search
from spielbaum.arena.exams import Question
from spielbaum.play.openings import Openings
from spielbaum.train.methods.alphazero.selfplay import tree_megabytes

if TYPE_CHECKING:
    from spielbaum.agents.mcts import MctsAgent
    from spielbaum.games import State
    from spielbaum.models.evaluator import NetEvaluator
    from spielbaum.train.methods.alphazero.config import AlphaZeroConfig

TOGETHER = 64
"""Questions that are answered at a time."""


def searcher(config: AlphaZeroConfig, evaluator: NetEvaluator, seed: int = 0) -> MctsAgent:
    """The search of matches and questions: that of self-play, without its noise."""
    play = config.self_play
    return puct_search(
        evaluator,
        seed,
        c=play.const,
        formula=play.formula,
        fpu=play.fpu,
        solver=play.solver,
        reuse=False,
        batch=1,
        memory=tree_megabytes(config.evaluation.simulations),
    )


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


@dataclass
class _Game:
    state: State
    seat: int
    """Of the first network."""
    agents: list[MctsAgent]
    ply: int = 0


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
    evaluators = (first, second)
    opening = Openings("random", config.evaluation.opening)
    # The first openings are the same, however many there are: processes share out games.
    starts = opening.states(game, max(numbers) // 2 + 1, config.seed)
    games = {
        number: _Game(
            starts[number // 2],
            number % 2,
            [searcher(config, evaluator, number) for evaluator in evaluators],
        )
        for number in numbers
    }
    batches = [BatchedSearch(game, evaluator, rows=len(games)) for evaluator in evaluators]
    rewards: dict[int, float] = {}
    while games:
        for which in (0, 1):
            mine = {n: each for n, each in games.items() if _mover(each) == which}
            if mine:
                _move_all(config, list(mine.values()), which, batches[which])
            for number, each in mine.items():
                outcome = each.state.outcome
                if outcome is not None or each.ply >= config.self_play.max_plies:
                    rewards[number] = 0.0 if outcome is None else outcome.rewards[each.seat]
                    del games[number]
    return [rewards[number] for number in numbers]


def _mover(each: _Game) -> int:
    """Which of the two networks has to move."""
    return 0 if each.state.to_move == each.seat else 1


def _move_all(
    config: AlphaZeroConfig, games: list[_Game], which: int, batch: BatchedSearch
) -> None:
    searches = [
        each.agents[which].begin(each.state, config.evaluation.simulations) for each in games
    ]
    running = searches
    while running:
        batch.round(running)
        running = [search for search in running if not search.done]
    for each in games:
        decision = each.agents[which].decide(each.state)
        move = decision.move
        if each.ply < config.self_play.turns_until_not_random:
            shares = np.array([entry.policy or 0.0 for entry in decision.moves])
            rng = np.random.default_rng([config.seed, each.ply, each.state.key])
            move = decision.moves[int(rng.choice(len(shares), p=shares / shares.sum()))].move
        each.state = each.state.play(move)
        each.ply += 1
