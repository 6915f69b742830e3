"""Many games at once in one process, whose searches share the batches of one network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from spielbaum.agents.batches import BatchedSearch
from spielbaum.agents.net import puct_search
from spielbaum.train.data.games_file import PlayedGame

if TYPE_CHECKING:
    from spielbaum import _core
    from spielbaum.games import Game, State
    from spielbaum.models.evaluator import NetEvaluator
    from spielbaum.train.methods.alphazero.config import SelfPlay

SIMULATIONS_OF_A_MEGABYTE = 50
"""That fit into it in any case: chess has up to 218 moves, and a tree may be kept from before."""


class SelfPlayer:
    """Plays games against itself, and goes on with unfinished ones when it is asked for more.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import spielbaum as sb
    >>> from spielbaum.train.methods.alphazero.config import SelfPlay
    >>> from spielbaum.models.evaluator import NetEvaluator
    >>> from spielbaum.train.nets.net_config import NetConfig
    >>> from spielbaum.train.nets.onnx_export import save_net
    >>> from spielbaum.train.nets.towers import make_net
    >>> game = sb.game("tictactoe")
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "a.onnx"
    >>> save_net(make_net(game, NetConfig(blocks=1, width=8)), game, path, {})
    >>> player = SelfPlayer(game, SelfPlay(num_simulations=8, concurrent=4), seed=1)
    >>> player.use(NetEvaluator.load(path))
    >>> games = player.play(3)
    >>> len(games) >= 3, all(len(each.moves) >= 5 for each in games)
    (True, True)
    >>> folder.cleanup()
    """

    def __init__(self, game: Game, config: SelfPlay, seed: int) -> None:
        self._game = game
        self._config = config
        self._rng = np.random.default_rng(seed)
        self._tables: list[_Table] = []
        self._batch: BatchedSearch | None = None
        self.finished: list[PlayedGame] = []

    def use(self, evaluator: NetEvaluator) -> None:
        """Let another network play, also in the games that are going on."""
        self._batch = BatchedSearch(self._game, evaluator, rows=self._config.concurrent)
        unfinished = [table.played for table in self._tables]
        self._tables = []
        for index in range(self._config.concurrent):
            seed = int(self._rng.integers(2**31))
            table = _Table(self._game, self._config, evaluator, seed)
            table.start(unfinished[index] if index < len(unfinished) else None)
            self._tables.append(table)

    def play(self, games: int) -> list[PlayedGame]:
        """Play until so many games more are over; answers those."""
        while len(self.finished) < games:
            self.step()
        done, self.finished = self.finished, []
        return done

    def step(self) -> None:
        """Evaluate one batch; games that end are collected in `finished`."""
        assert self._batch is not None
        for table in self._tables:
            while table.search.done:
                over = table.advance()
                if over is not None:
                    self.finished.append(over)
        self._batch.round([table.search for table in self._tables])


class _Table:
    """A game that is going on, and the search for its next move."""

    def __init__(self, game: Game, config: SelfPlay, evaluator: NetEvaluator, seed: int) -> None:
        self._game = game
        self._config = config
        self._rng = np.random.default_rng(seed)
        self._agent = puct_search(
            evaluator,
            seed,
            c=config.const,
            formula=config.formula,
            fpu=config.fpu,
            root=config.root,
            considered=config.considered,
            noise=config.epsilon,
            dirichlet=config.alpha,
            solver=config.solver,
            reuse=config.reuse,
            batch=1,
            memory=tree_megabytes(config.num_simulations),
        )
        self.played = PlayedGame(0)
        self.search: _core.Mcts

    def start(self, unfinished: PlayedGame | None = None) -> None:
        """Begin a game, or go on with one."""
        state = self._game.initial()
        if unfinished is not None:
            self.played = unfinished
            for move in unfinished.moves:
                state = state.play(move)
        else:
            state, self.played = self._opening(state)
        self._begin(state)

    def advance(self) -> PlayedGame | None:
        """Play the move that was searched; the game, if it is over, and another has begun."""
        config, played, state = self._config, self.played, self._state
        found = self.search.finish()
        legal = state.legal_moves
        policy = policy_target(legal, found.moves)
        played.policies.append(policy)
        played.values.append(found.value)
        played.full.append(self._full)
        played.proven.append(found.proven)
        move = found.moves[0].action
        if len(played.moves) < config.turns_until_not_random:
            move = legal[_draw(policy, self._rng)]
        played.moves.append(move)
        state = state.play(move)
        outcome = state.outcome
        if outcome is None and len(played.moves) < config.max_plies:
            self._begin(state)
            return None
        players = self._game.num_players
        played.rewards = (0.0,) * players if outcome is None else outcome.rewards
        self._agent.reset(int(self._rng.integers(2**31)))
        self.start()
        return played

    def _begin(self, state: State) -> None:
        config = self._config
        self._state = state
        self._full = self._rng.random() < config.full_share
        simulations = config.num_simulations if self._full else config.fast_simulations
        self.search = self._agent.begin(state, simulations)

    def _opening(self, state: State) -> tuple[State, PlayedGame]:
        """Random moves, at least one less than end the game."""
        config, played = self._config, PlayedGame(0)
        if self._rng.random() >= config.opening_share:
            return state, played
        for _ in range(int(self._rng.integers(1, config.opening_plies + 1))):
            move = int(self._rng.choice(state.legal_moves))
            following = state.play(move)
            if following.outcome is not None:
                break
            state = following
            played.moves.append(move)
        played.first = len(played.moves)
        return state, played


def policy_target(
    legal: tuple[int, ...], moves: Sequence[_core.MctsMove]
) -> npt.NDArray[np.float32]:
    """What a network should learn from a search: its policy, but only winning moves if it won.

    It is in the order of the legal moves, and not of what the search likes.
    """
    won = [move.proven and move.value == 1.0 for move in moves]
    if any(won):
        shares = {move.action: float(win) for move, win in zip(moves, won, strict=True)}
    else:
        shares = {move.action: move.policy for move in moves}
    target = np.array([shares[action] for action in legal], np.float32)
    total = float(target.sum())
    return target / total if total > 0 else np.full(len(legal), 1 / len(legal), np.float32)


def _draw(shares: npt.NDArray[np.float32], rng: np.random.Generator) -> int:
    sums = np.cumsum(shares, dtype=np.float64)
    return min(int(np.searchsorted(sums, rng.random() * sums[-1], side="right")), len(shares) - 1)


def tree_megabytes(simulations: int) -> int:
    """How large the tree of a search may become; hundreds of them lie side by side.

    >>> tree_megabytes(48), tree_megabytes(800)
    (2, 16)
    """
    return min(32, max(2, simulations // SIMULATIONS_OF_A_MEGABYTE))
