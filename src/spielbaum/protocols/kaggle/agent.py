"""Agents for Kaggle's ConnectX, which is Connect Four on a board of any size."""

from __future__ import annotations

import time
from typing import Any

from spielbaum.agents import Budget, Decision
from spielbaum.agents import agent as make_agent
from spielbaum.games import game
from spielbaum.play.clock import LEAST
from spielbaum.protocols.kaggle.submission import Position, read_position, thinking_seconds


class KaggleAgent:
    """An agent of ours as Kaggle calls it; made by `agent`.

    Within a game the agent keeps what it knows, such as its tree; a new game begins with a reset.
    """

    def __init__(self, spec: str, iterations: int | None = None) -> None:
        self._agent = make_agent(spec)
        self._iterations = iterations
        self._last: Position | None = None
        self.decision: Decision | None = None
        """The last decision, with its statistics."""

    def __call__(self, observation: Any, configuration: Any) -> int:
        """The column for the next stone, found in the time that Kaggle allows."""
        began = time.perf_counter()
        position = read_position(observation, configuration)
        if self._last is not None and not position.follows(self._last):
            self._agent.reset()
        self._last = position
        rules = game(
            "connect4", rows=position.rows, columns=position.columns, inarow=position.inarow
        )
        state = rules.state_from_kaggle(position.board, position.mark)
        spent = time.perf_counter() - began
        seconds = max(thinking_seconds(observation, configuration) - spent, LEAST)
        self.decision = self._agent.choose(
            state, Budget(seconds=seconds, iterations=self._iterations)
        )
        # Kaggle refuses every other kind of number.
        return int(self.decision.move)


def agent(spec: str = "mcts", iterations: int | None = None) -> KaggleAgent:
    """An agent for ``kaggle_environments``: call it with an observation and a configuration.

    Both may have attributes or keys. The rules are those of the configuration. ``iterations`` is
    the most for a move; the time that Kaggle allows is kept in any case.

    >>> play = agent("alphabeta:memory=16")
    >>> configuration = {"rows": 4, "columns": 5, "inarow": 3, "actTimeout": 0.1}
    >>> play({"board": [0] * 15 + [2, 2, 0, 1, 1], "mark": 1}, configuration)
    2
    """
    return KaggleAgent(spec, iterations)
