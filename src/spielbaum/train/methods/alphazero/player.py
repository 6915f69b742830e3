"""What a process that plays does: games of self-play, matches, questions, games with others."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from spielbaum.agents import Budget
from spielbaum.agents.net import NetAgent
from spielbaum.arena.exams import make_questions
from spielbaum.arena.strength import measure_agent
from spielbaum.base.statistics import Score
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.train.data.games_file import Totals
from spielbaum.train.methods.alphazero.config import AlphaZeroConfig
from spielbaum.train.methods.alphazero.judging import answers, match
from spielbaum.train.methods.alphazero.selfplay import SelfPlayer
from spielbaum.train.methods.alphazero.workers import Answer, Ask, Match, Oppose, Play, Played


class Player:
    """Keeps its network, and the games that it has not finished."""

    def __init__(self, config: AlphaZeroConfig, seed: int) -> None:
        self._config = config
        self._self_player = SelfPlayer(config.rules(), config.self_play, seed)
        self._net: Path | None = None
        self._evaluator: NetEvaluator | None = None

    def do(self, task: Play | Match | Ask | Answer | Oppose) -> Any:
        """The answer to a task."""
        if isinstance(task, Play):
            return self._play(task)
        if isinstance(task, Match):
            first, second = NetEvaluator.load(task.first), NetEvaluator.load(task.second)
            return match(self._config, first, second, task.numbers)
        if isinstance(task, Ask):
            return make_questions(self._config.rules(), task.number, task.plies, task.seed)
        if isinstance(task, Answer):
            return answers(self._config, NetEvaluator.load(task.net), task.questions)
        return self._oppose(task)

    def _play(self, task: Play) -> Played:
        if task.net != self._net or self._evaluator is None:
            self._evaluator = NetEvaluator.load(task.net, self._config.self_play.cache)
            self._net = task.net
            self._self_player.use(self._evaluator)
        evaluator, player = self._evaluator, self._self_player
        asked, hits, began = evaluator.evaluations, evaluator.hits, time.monotonic()
        while time.monotonic() - began < task.seconds and len(player.finished) < task.games:
            player.step()
        games, player.finished = player.finished, []
        totals = Totals(
            len(games),
            sum(len(each.values) for each in games),
            evaluator.evaluations - asked,
            evaluator.hits - hits,
            time.monotonic() - began,
        )
        return Played(games, totals)

    def _oppose(self, task: Oppose) -> Score:
        settings, play = self._config.evaluation, self._config.self_play
        player = NetAgent.of(
            NetEvaluator.load(task.net),
            c=play.const,
            formula=play.formula,
            fpu=play.fpu,
            solver=play.solver,
            batch=1,
        )
        return measure_agent(
            player,
            task.opponent,
            self._config.rules(),
            len(task.numbers),
            first=task.numbers[0],
            opening=settings.opening,
            budget=Budget(iterations=settings.simulations),
            other_budget=Budget(iterations=settings.opponent_iterations),
        ).score
