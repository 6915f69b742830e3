"""Games of a network of Q-values, side by side: with itself, and with other agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from spielbaum.agents import Decision, stored_agent
from spielbaum.play.hall import Hall
from spielbaum.play.limits import Limits
from spielbaum.play.table import Player, Rules, Table, Turn, Watcher
from spielbaum.train.data.games_file import PlayedGame
from spielbaum.train.data.random_opening import begin_game

if TYPE_CHECKING:
    from spielbaum.agents import Budget
    from spielbaum.games import Game, State
    from spielbaum.train.methods.dqn.config import Play

QValues = Callable[[Sequence["State"]], npt.NDArray[np.float32]]
"""The Q-values of all actions in some positions."""


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
    network = _Network(q_values)

    def explore(turn: Turn, decision: Decision) -> int:
        legal = turn.state.legal_moves
        return legal[int(rng.integers(len(legal)))] if rng.random() < epsilon else decision.move

    def begin(number: int) -> Table:
        state, played = begin_game(game, config.opening, rng)
        players = [Player(network, pick=explore, batch=network) for _ in range(game.num_players)]
        if number < against:
            other = opponents[number % len(opponents)]
            # The network is asked for its opinion of the opponent's positions, too.
            seat = 1 - number // len(opponents) % 2
            players[seat].pick = lambda turn, _: other.choose(turn.state, budget).move
        rules = Rules("raise", config.max_plies)
        return Table(state, players, rules, [_Notes(played)], ply=len(played.moves))

    tables = iter([begin(number) for number in range(config.games)])
    ended = Hall(lambda: next(tables, None), config.games).play()
    return [notes.game for table in ended for notes in table.watchers if isinstance(notes, _Notes)]


class _Network:
    """Decides for all tables at a time, by the highest Q-value of a legal move."""

    def __init__(self, q_values: QValues) -> None:
        self._q_values = q_values
        self._turns: list[Turn] = []

    def begin(self, turn: Turn) -> None:
        self._turns.append(turn)

    def round(self) -> list[tuple[Turn, Decision]]:
        turns, self._turns = self._turns, []
        if not turns:
            return []
        rows = self._q_values([turn.state for turn in turns])
        return [(turn, _best(turn.state, row)) for turn, row in zip(turns, rows, strict=True)]

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        return _best(state, self._q_values([state])[0])


def _best(state: State, row: npt.NDArray[np.float32]) -> Decision:
    move = state.legal_moves[int(np.argmax(row[list(state.legal_moves)]))]
    return Decision(move, float(row[move]))


class _Notes(Watcher):
    """Writes down what the network would have played, and whether that was played."""

    def __init__(self, game: PlayedGame) -> None:
        self.game = game

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        legal = turn.state.legal_moves
        policy = np.zeros(len(legal), np.float32)
        policy[legal.index(decision.move)] = 1.0
        self.game.moves.append(move)
        self.game.policies.append(policy)
        self.game.values.append(min(1.0, max(-1.0, decision.value)))
        self.game.full.append(move == decision.move)
        self.game.proven.append(False)

    def over(self, table: Table) -> None:
        assert table.result is not None
        self.game.rewards = table.result.rewards
