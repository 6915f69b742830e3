"""`VectorGame`: many games of one kind, stepped together in the core."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from spielbaum import _core
from spielbaum.base.errors import IllegalMove, SpecError
from spielbaum.base.rng import Rng
from spielbaum.games.game import Game, game
from spielbaum.games.state import State


class VectorGame:
    """Many games of one kind that are stepped together, for learners that bring their own loop.

    A step plays one action in every game and writes planes, legal actions, rewards and whose turn
    it is into arrays, one row for each game; no Python runs per move. A game that ends is marked in
    `over`, its rewards are in `rewards`, and it starts again in the same step: its planes, legal
    actions and turn are those of the new game. The arrays are the caller's, if given, and are
    written in place by every step; they must be C-contiguous.

    >>> import spielbaum as sb
    >>> games = sb.VectorGame("connect4", 3)
    >>> for column in (3, 2, 3, 2, 3, 2, 3):
    ...     games.step([column, column, games.random_moves()[2]])
    >>> games.over[:2], games.rewards[0], games.planes.shape
    (array([ True,  True]), array([ 1., -1.], dtype=float32), (3, 3, 6, 7))
    """

    def __init__(
        self,
        rules: Game | str,
        count: int,
        *,
        encoding: str | None = "own",
        seed: int = 0,
        planes: npt.NDArray[np.float32] | None = None,
        legal: npt.NDArray[np.bool_] | None = None,
        rewards: npt.NDArray[np.float32] | None = None,
        over: npt.NDArray[np.bool_] | None = None,
        to_move: npt.NDArray[np.int32] | None = None,
    ) -> None:
        self.game = rules if isinstance(rules, Game) else game(rules)
        self.count = count
        if count < 1:
            raise SpecError(f"count {count}: expected at least one game")
        shape = None if encoding is None else self.game.plane_shape(encoding)
        if shape is None and planes is not None:
            raise SpecError("planes are given, but encoding=None leaves them out")
        self.planes: npt.NDArray[np.float32] | None = (
            None if shape is None else _array("planes", planes, (count, *shape), np.float32)
        )
        """Feature planes of every game, in the given encoding; None without one."""
        actions, players = self.game.num_actions, self.game.num_players
        self.legal: npt.NDArray[np.bool_] = _array("legal", legal, (count, actions), np.bool_)
        """Which actions are legal in every game."""
        self.rewards: npt.NDArray[np.float32] = _array(
            "rewards", rewards, (count, players), np.float32
        )
        """What every player got in the last step: 0 unless the game ended."""
        self.over: npt.NDArray[np.bool_] = _array("over", over, (count,), np.bool_)
        """Which games ended in the last step."""
        self.to_move: npt.NDArray[np.int32] = _array("to_move", to_move, (count,), np.int32)
        """Whose turn it is in every game."""
        self._rng = Rng(seed)
        self._games = _core.VectorGame(
            self.game._core,
            -1 if encoding is None else self.game.encodings.index(encoding),
            *(self.planes, self.legal, self.rewards, self.over, self.to_move),
        )
        self.reset()

    def reset(self) -> None:
        """Start every game again."""
        self._games.reset()

    def step(self, actions: npt.ArrayLike) -> None:
        """Play an action in every game; `IllegalMove`, and nothing changes, if one is not legal."""
        given = np.asarray(actions)
        moves = np.ascontiguousarray(given, dtype=np.int32)
        if moves.shape != (self.count,) or not np.array_equal(moves, given):
            raise IllegalMove(
                f"actions of shape {moves.shape}: expected {self.count} whole numbers, one for "
                "each game"
            )
        self._games.step(moves)

    def random_moves(self, out: npt.NDArray[np.int32] | None = None) -> npt.NDArray[np.int32]:
        """A uniformly random legal action for every game, from the seed on the same everywhere."""
        moves: npt.NDArray[np.int32] = _array("out", out, (self.count,), np.int32)
        self._games.draw(self._rng, moves)
        return moves

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> State:
        """The position of one game, without the moves that led to it."""
        if not 0 <= index < self.count:
            raise IndexError(f"game {index}: expected a number from 0 to {self.count - 1}")
        return State(self.game, self._games.state(index))


def _array(name: str, given: Any, shape: tuple[int, ...], kind: type[np.generic]) -> Any:
    """A new array, or the caller's if the games can write into it."""
    if given is None:
        return np.zeros(shape, dtype=kind)
    fits = isinstance(given, np.ndarray) and given.shape == shape and given.dtype == kind
    if not fits or not given.flags.c_contiguous or not given.flags.writeable:
        raise SpecError(
            f"{name}: expected a writable, C-contiguous array of {kind.__name__} "
            f"and of shape {shape}"
        )
    return given
