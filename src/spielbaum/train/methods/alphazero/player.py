"""What workers do for a training: games of self-play, matches, questions, games with others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spielbaum.agents import Budget
from spielbaum.agents.net import NetAgent
from spielbaum.arena.exams import Question, make_questions
from spielbaum.arena.strength import measure_agent
from spielbaum.base.statistics import Score
from spielbaum.base.workers import desk
from spielbaum.models.evaluator import NetEvaluator
from spielbaum.train.data.games_file import PlayedGame, Totals
from spielbaum.train.methods.alphazero import judging
from spielbaum.train.methods.alphazero.config import AlphaZeroConfig
from spielbaum.train.methods.alphazero.selfplay import SelfPlayer


@dataclass(frozen=True)
class Played:
    """Games of self-play that have ended, and what they took."""

    games: list[PlayedGame]
    totals: Totals


class Player:
    """Keeps its network, and the games that it has not finished."""

    def __init__(self, config: AlphaZeroConfig, seed: int) -> None:
        self._config = config
        self._self_player = SelfPlayer(config.rules(), config.self_play, seed)
        self._net: Path | None = None
        self._evaluator: NetEvaluator | None = None

    def play(self, net: Path, games: int, seconds: float) -> Played:
        """Play until so many more games are over, or a time has passed."""
        if net != self._net or self._evaluator is None:
            self._evaluator = _evaluator(self._config, net, self._config.self_play.cache)
            self._net = net
            self._self_player.use(self._evaluator)
        evaluator, player = self._evaluator, self._self_player
        asked, hits, began = evaluator.evaluations, evaluator.hits, time.monotonic()
        while time.monotonic() - began < seconds and len(player.finished) < games:
            player.step()
        finished, player.finished = player.finished, []
        totals = Totals(
            len(finished),
            sum(len(each.values) for each in finished),
            evaluator.evaluations - asked,
            evaluator.hits - hits,
            time.monotonic() - began,
        )
        return Played(finished, totals)


def play_on(config: AlphaZeroConfig, seed: int, net: Path, games: int, seconds: float) -> Played:
    """Go on with the games of this worker; ``seed`` is for one that has none yet."""
    return desk().keep(lambda: Player(config, seed)).play(net, games, seconds)


def play_match(
    config: AlphaZeroConfig, first: Path, second: Path, numbers: Sequence[int]
) -> list[float]:
    """Play games between two networks, by their numbers; answers the rewards of the first."""
    return judging.match(config, _evaluator(config, first), _evaluator(config, second), numbers)


def find_questions(config: AlphaZeroConfig, number: int, plies: range, seed: int) -> list[Question]:
    """Find positions that can be solved and have mistakes."""
    return make_questions(config.rules(), number, plies, seed)


def answer(config: AlphaZeroConfig, net: Path, questions: Sequence[Question]) -> list[int]:
    """Answer questions by a network."""
    return judging.answers(config, _evaluator(config, net), questions)


def oppose(config: AlphaZeroConfig, net: Path, opponent: str, numbers: Sequence[int]) -> Score:
    """Play games of a network against an agent, by their numbers."""
    settings, play = config.evaluation, config.self_play
    player = NetAgent.of(
        _evaluator(config, net),
        c=play.const,
        formula=play.formula,
        fpu=play.fpu,
        solver=play.solver,
        batch=1,
    )
    return measure_agent(
        player,
        opponent,
        config.rules(),
        len(numbers),
        first=numbers[0],
        opening=settings.opening,
        budget=Budget(iterations=settings.simulations),
        other_budget=Budget(iterations=settings.opponent_iterations),
    ).score


def _evaluator(config: AlphaZeroConfig, net: Path, cache: int = 0) -> NetEvaluator:
    return NetEvaluator.load(net, cache, config.self_play.precision)
