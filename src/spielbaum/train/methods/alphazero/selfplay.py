"""Many games at once in one process, whose searches share the batches of one network."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from spielbaum.agents import Budget, Decision
from spielbaum.agents.net import puct_search
from spielbaum.play.hall import Hall, SearchBatch
from spielbaum.play.table import Player, Result, Rules, Table, Turn, Watcher
from spielbaum.train.data.games_file import PlayedGame
from spielbaum.train.data.policy_target import policy_target

if TYPE_CHECKING:
    from spielbaum.agents.mcts import MctsAgent
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
        self._hall: Hall | None = None
        self._free: list[_Seat] = []
        self.finished: list[PlayedGame] = []

    def use(self, evaluator: NetEvaluator) -> None:
        """Let another network play, also in the games that are going on."""
        going = [] if self._hall is None else [_notes(table).game for table in self._hall.tables]
        size = self._config.concurrent
        batch = SearchBatch(self._game, evaluator, size)
        seats = [
            _Seat(self._game, self._config, evaluator, batch, int(self._rng.integers(2**31)))
            for _ in range(size)
        ]
        for seat, unfinished in zip(seats, going, strict=False):
            seat.unfinished = unfinished
        self._free = seats[::-1]
        self._hall = Hall(self._next, size)

    def play(self, games: int) -> list[PlayedGame]:
        """Play until so many games more are over; answers those."""
        while len(self.finished) < games:
            self.step()
        done, self.finished = self.finished, []
        return done

    def step(self) -> None:
        """Evaluate one batch; games that end are collected in `finished`."""
        assert self._hall is not None
        for table in self._hall.step():
            notes = _notes(table)
            self.finished.append(notes.game)
            self._free.append(notes.seat)

    def _next(self) -> Table | None:
        return self._free.pop().begin() if self._free else None


def searcher(config: SelfPlay, evaluator: NetEvaluator, seed: int, simulations: int) -> MctsAgent:
    """The search of self-play, for so many simulations."""
    return puct_search(
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
        memory=tree_megabytes(simulations),
    )


class _Seat(Player):
    """All players of a table: one search that is kept from move to move and game to game."""

    def __init__(
        self,
        game: Game,
        config: SelfPlay,
        evaluator: NetEvaluator,
        batch: SearchBatch,
        seed: int,
    ) -> None:
        self._game = game
        self._config = config
        self._rng = np.random.default_rng(seed)
        self._budgets = [
            Budget(iterations=each) for each in (config.fast_simulations, config.num_simulations)
        ]
        self._searcher = searcher(config, evaluator, seed, config.num_simulations)
        self.full = True
        """Whether the search at hand is a full one, of which the policy is learnt."""
        self.policy = np.zeros(0, np.float32)
        """What a network should learn from the last search."""
        self.unfinished: PlayedGame | None = None
        self._is_new = True
        super().__init__(self._searcher, self._budgets[1], self._pick, batch)

    def begin(self) -> Table:
        """Begin a game, or go on with one."""
        if not self._is_new:
            self._searcher.reset(int(self._rng.integers(2**31)))
        self._is_new = False
        state, played = self._game.initial(), self.unfinished
        if played is None:
            state, played = self._opening(state)
        else:
            for move in played.moves:
                state = state.play(move)
        self.unfinished = None
        end = _proven if self._config.end_at_proof else None
        rules = Rules("raise", self._config.max_plies, end)
        players = [self] * self._game.num_players
        return Table(state, players, rules, [_Notes(self, played)], ply=len(played.moves))

    def budget(self, left: float | None) -> Budget:
        """That of a full search, or of a quick one between them."""
        self.full = self._rng.random() < self._config.full_share
        return self._budgets[self.full]

    def _pick(self, turn: Turn, decision: Decision) -> int:
        self.policy = policy_target(decision, turn.state)
        if turn.ply >= self._config.turns_until_not_random:
            return decision.move
        return turn.state.legal_moves[_draw(self.policy, self._rng)]

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


class _Notes(Watcher):
    """Writes down what is learnt from a game."""

    def __init__(self, seat: _Seat, game: PlayedGame) -> None:
        self.seat = seat
        self.game = game

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        game = self.game
        game.policies.append(self.seat.policy)
        game.values.append(decision.value)
        game.full.append(self.seat.full)
        game.proven.append(bool(decision.stats["proven"]))
        game.moves.append(move)

    def over(self, table: Table) -> None:
        assert table.result is not None
        self.game.rewards = table.result.rewards


def _notes(table: Table) -> _Notes:
    (notes,) = table.watchers
    assert isinstance(notes, _Notes)
    return notes


def _proven(table: Table) -> Result | None:
    """The result that the last search has proven, for whoever searched."""
    game, before = _notes(table).game, table.state.previous
    if before is None or not game.proven or not game.proven[-1]:
        return None
    value = game.values[-1]
    return Result((value, -value) if before.to_move == 0 else (-value, value), "proof", "proven")


def _draw(shares: npt.NDArray[np.float32], rng: np.random.Generator) -> int:
    sums = list(accumulate(shares.tolist()))
    return min(bisect_right(sums, rng.random() * sums[-1]), len(sums) - 1)


def tree_megabytes(simulations: int) -> int:
    """How large the tree of a search may become; hundreds of them lie side by side.

    >>> tree_megabytes(48), tree_megabytes(800)
    (2, 16)
    """
    return min(32, max(2, simulations // SIMULATIONS_OF_A_MEGABYTE))
