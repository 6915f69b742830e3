"""OpenSpiel: our agents as its bots (``pip install 'spielbaum[openspiel]'``).

The other way round, its games are games here: see `spielbaum.games.outside.openspiel`.
"""

from __future__ import annotations

from typing import Any

import pyspiel

from spielbaum.agents import Agent, Budget, Decision
from spielbaum.agents import agent as make_agent
from spielbaum.base.errors import SpecError
from spielbaum.games import Game, State, game


class AgentBot(pyspiel.Bot):  # type: ignore[misc]  # OpenSpiel has no types
    """An agent of ours that plays OpenSpiel's games, for `pyspiel.evaluate_bots` and the like.

    It plays by OpenSpiel's own rules, or by those of a native game whose actions have the same
    numbers, which spares the way through Python: ``connect4`` for ``connect_four``, ``reversi`` for
    ``othello``.

    >>> othello = pyspiel.load_game("othello")
    >>> bots = [AgentBot("random:seed=1", rules="reversi"), AgentBot("random:seed=2")]
    >>> sum(pyspiel.evaluate_bots(othello.new_initial_state(), bots, 7))
    0.0
    """

    def __init__(
        self, agent: str | Agent, *, budget: Budget | None = None, rules: Game | str | None = None
    ) -> None:
        super().__init__()
        self._agent = make_agent(agent) if isinstance(agent, str) else agent
        self._budget = budget or Budget()
        self._rules = game(rules) if isinstance(rules, str) else rules
        self._state: State | None = None
        self.decision: Decision | None = None
        """The last decision, with its statistics."""

    def step(self, state: Any) -> int:
        """Choose an action of OpenSpiel's."""
        ours = self._follow(state)
        legal = state.legal_actions()
        if list(ours.legal_moves) != legal:
            raise SpecError(
                f"{ours.game} does not have the legal actions of {state.get_game()} in "
                f"{ours.notation!r:.80}: expected {legal[:8]}, not {list(ours.legal_moves)[:8]}"
            )
        self.decision = self._agent.choose(ours, self._budget)
        return self.decision.move

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Choose an action, and say that no other was considered."""
        move = self.step(state)
        return [(each, float(each == move)) for each in state.legal_actions()], move

    def restart(self) -> None:
        """Begin another game, without what is known of the last."""
        self._state = None
        self._agent.reset()

    def restart_at(self, state: Any) -> None:
        """Begin another game in the middle."""
        self.restart()

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Learn what another player does: nothing to do, for a state has its history."""

    def provides_policy(self) -> bool:
        """Whether `step_with_policy` can be asked."""
        return True

    def _follow(self, state: Any) -> State:
        """Our state of the same moves; those that are known already are not played again."""
        history = tuple(state.history())
        ours = self._state
        if ours is None or history[: len(ours.history)] != ours.history:
            ours = (self._rules or game_of(state.get_game())).initial()
        for move in history[len(ours.history) :]:
            ours = ours.play(move)
        self._state = ours
        return ours


def game_of(spiel: Any) -> Game:
    """The game here that is a game of OpenSpiel's; `SpecError` if it cannot be played here.

    >>> game_of(pyspiel.load_game("go(board_size=5)"))
    spielbaum.game('openspiel:name=go,board_size=5')
    """
    parameters = {
        key: pyspiel.game_parameters_to_string(value) if isinstance(value, dict) else value
        for key, value in spiel.get_parameters().items()
    }
    return game("openspiel", name=spiel.get_type().short_name, **parameters)
