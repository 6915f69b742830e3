"""Games of a network of Q-values, side by side: with itself, and with other agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from spielbaum.agents import Agent, stored_agent
from spielbaum.play.limits import Limits
from spielbaum.train.data.games_file import PlayedGame
from spielbaum.train.data.random_opening import begin_game

if TYPE_CHECKING:
    from spielbaum.games import Game, State
    from spielbaum.train.methods.dqn.config import Play

QValues = Callable[[Sequence["State"]], npt.NDArray[np.float32]]
"""The Q-values of all actions in some positions."""


@dataclass
class _Table:
    """A game that is going on."""

    state: State
    played: PlayedGame
    opponent: Agent | None = None
    seat: int = 0
    """Of the network, if there is an opponent."""


def play_games(
    game: Game, config: Play, q_values: QValues, epsilon: float, seed: Sequence[int]
) -> list[PlayedGame]:
    """Play the games of a round; a share ``epsilon`` of the network's moves is random.

    >>> import spielbaum as sb
    >>> from spielbaum.train.methods.dqn.config import Play
    >>> config = Play(games=4, opponents=("random",), opponents_share=0.5)
    >>> nothing = lambda states: np.zeros((len(states), 9), np.float32)
    >>> games = play_games(sb.game("tictactoe"), config, nothing, 0.5, [1])
    >>> len(games), all(sum(each.rewards) == 0 for each in games)
    (4, True)
    """
    rng = np.random.default_rng(list(seed))
    budget = Limits.parse(config.limits).budget(None)
    opponents = [stored_agent(spec) for spec in config.opponents]
    for each in opponents:
        each.reset(int(rng.integers(2**31)))
    against = round(config.games * config.opponents_share) if opponents else 0
    tables = []
    for number in range(config.games):
        table = _Table(*begin_game(game, config.opening, rng))
        if number < against:
            table.opponent = opponents[number % len(opponents)]
            table.seat = number // len(opponents) % 2
        tables.append(table)
    going, done = tables, []
    while going:
        rows = q_values([table.state for table in going])
        still = []
        for table, row in zip(going, rows, strict=True):
            state, played = table.state, table.played
            legal = state.legal_moves
            best = int(np.argmax(row[list(legal)]))
            move = legal[best]
            if table.opponent is not None and state.to_move != table.seat:
                move = table.opponent.choose(state, budget).move
            elif rng.random() < epsilon:
                move = legal[int(rng.integers(len(legal)))]
            _note(played, move, legal, best, float(row[legal[best]]))
            table.state = state.play(move)
            outcome = table.state.outcome
            if outcome is None and len(played.moves) < config.max_plies:
                still.append(table)
            else:
                played.rewards = (0.0, 0.0) if outcome is None else outcome.rewards
                done.append(table)
        going = still
    return [table.played for table in done]


def _note(played: PlayedGame, move: int, legal: Sequence[int], best: int, value: float) -> None:
    """Write down a move: what the network would have played, and whether that was played."""
    policy = np.zeros(len(legal), np.float32)
    policy[best] = 1.0
    played.moves.append(move)
    played.policies.append(policy)
    played.values.append(min(1.0, max(-1.0, value)))
    played.full.append(move == legal[best])
    played.proven.append(False)
