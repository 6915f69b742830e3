"""The memory of deep Q-learning: positions in the order of their games, moves and rewards.

A transition (s, a, r, s') is a position and a later one of the same game, so that every position is
kept once, and how many plies lie between the two can be chosen when they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from spielbaum.models.inputs import encode
from spielbaum.train.data.games_file import PlayedGame
from spielbaum.train.data.samples import PADDING
from spielbaum.train.nets.net_config import Shape

if TYPE_CHECKING:
    from spielbaum.games import Game

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Transitions:
    """Some transitions; the first axis of every array counts them."""

    planes: Floats
    legal: Integers
    """The legal actions of each position, then `PADDING`."""
    actions: Integers
    """What was played."""
    meant: Bools
    """Whether who played wanted to play that, and it was not by chance."""
    rewards: Floats
    """The sum of discounted rewards until the later position, to who played."""
    factors: Floats
    """What the later position's value counts: discounted, and negative if it is the opponent's
    turn there; 0 if the game was over before."""
    next_planes: Floats
    next_legal: Integers

    def __len__(self) -> int:
        return len(self.actions)


class Replay:
    """Remembers games, and forgets the oldest when it is told to.

    >>> import spielbaum as sb
    >>> from spielbaum.train.nets.net_config import NetConfig, shape_of
    >>> rules = sb.game("tictactoe")
    >>> replay = Replay(rules, shape_of(rules, NetConfig(output="linear")))
    >>> moves = list(rules.state("a1 b1 a2 b2 a3").history)
    >>> replay.add([PlayedGame(0, moves, (1.0, -1.0))], reward_plies=1)
    >>> found = replay.take(np.array([3, 4]), n_step=1, discount=0.5, cut=False)
    >>> found.rewards.tolist(), found.factors.tolist()
    ([0.0, 1.0], [-0.5, 0.0])
    >>> found = replay.take(np.array([3]), n_step=2, discount=0.5, cut=False)
    >>> found.rewards.tolist(), found.factors.tolist()
    ([-0.5], [0.0])
    """

    def __init__(self, game: Game, shape: Shape, history: int = 0) -> None:
        self._game = game
        self._shape = shape
        self._history = history
        self._first = 0
        """Where the oldest position is that was not forgotten."""
        self._end = 0
        self._planes = np.zeros((0, shape.planes, shape.rows, shape.columns), np.float16)
        self._legal = np.zeros((0, 1), np.int32)
        self._actions = np.zeros(0, np.int32)
        self._rewards = np.zeros(0, np.float32)
        self._movers = np.zeros(0, np.int8)
        self._left = np.zeros(0, np.int32)
        """Positions of the same game that follow."""
        self._meant = np.zeros(0, np.bool_)
        self._plies = np.zeros(0, np.int32)
        """Since the start of the game, from 1."""

    def __len__(self) -> int:
        return self._end - self._first

    def add(self, games: Iterable[PlayedGame], reward_plies: int = 1) -> None:
        """Remember games; positions of their random openings are left out.

        The last plies are rewarded, rising linearly from 0 to the game's result for who moves; with
        1, the last move alone.
        """
        for played in games:
            self._add(played, reward_plies)

    def forget(self, count: int) -> None:
        """Forget so many of the oldest positions."""
        self._first += count

    def early(self, plies: int) -> Integers:
        """The positions in which one of the first plies of a game was played."""
        found: Integers = np.flatnonzero(self._plies[self._first : self._end] <= plies)
        return found

    def take(self, rows: Integers, *, n_step: int, discount: float, cut: bool) -> Transitions:
        """The transitions that begin at some positions, numbered from the oldest.

        The later position comes ``n_step`` plies later, or with ``cut`` already where a move
        follows that was played by chance.
        """
        now = rows + self._first
        me, left = self._movers[now], self._left[now]
        rewards = np.zeros(len(now), np.float32)
        length = np.zeros(len(now), np.int64)
        going = np.ones(len(now), np.bool_)
        for ply in range(n_step):
            there = np.minimum(now + ply, self._end - 1)
            if ply and cut:
                going &= self._meant[there]
            going &= ply <= left
            sign = np.where(self._movers[there] == me, 1.0, -1.0)
            rewards += np.where(going, discount**ply * sign * self._rewards[there], 0.0).astype(
                "f4"
            )
            length += going
        over = length > left
        then = np.where(over, now, now + length)
        sign = np.where(self._movers[then] == me, 1.0, -1.0)
        factors = np.where(over, 0.0, discount**length * sign).astype(np.float32)
        return Transitions(
            self._planes[now].astype(np.float32),
            self._legal[now].astype(np.int64),
            self._actions[now].astype(np.int64),
            self._meant[now],
            rewards,
            factors,
            self._planes[then].astype(np.float32),
            self._legal[then].astype(np.int64),
        )

    def _add(self, played: PlayedGame, reward_plies: int) -> None:
        count = len(played.moves) - played.first
        self._make_room(count)
        rewards = final_rewards(count, reward_plies)
        state = self._game.initial()
        for ply, move in enumerate(played.moves):
            index = ply - played.first
            if index >= 0:
                place, legal = self._end + index, state.legal_moves
                if len(legal) > self._legal.shape[1]:
                    wider = ((0, 0), (0, len(legal) - self._legal.shape[1]))
                    self._legal = np.pad(self._legal, wider, constant_values=PADDING)
                self._planes[place] = encode(state, self._shape.encoding, self._history)
                self._legal[place] = PADDING
                self._legal[place, : len(legal)] = legal
                self._actions[place] = move
                self._rewards[place] = rewards[index] * played.rewards[state.to_move]
                self._movers[place] = state.to_move
                self._left[place] = count - 1 - index
                self._meant[place] = _was_meant(played, index, legal.index(move))
                self._plies[place] = ply + 1
            state = state.play(move)
        self._end += count

    def _make_room(self, count: int) -> None:
        """Move everything to the front of arrays that are large enough."""
        if self._end + count <= len(self._actions):
            return
        size = max(1024, 2 * (len(self) + count))
        for name, array in vars(self).items():
            if isinstance(array, np.ndarray):
                larger = np.zeros((size, *array.shape[1:]), array.dtype)
                larger[: len(self)] = array[self._first : self._end]
                setattr(self, name, larger)
        self._first, self._end = 0, len(self)


def _was_meant(played: PlayedGame, index: int, place: int) -> bool:
    """Whether who played had the legal move at this place in mind at all, by their policy."""
    return not played.policies or bool(played.policies[index][place] > 0)


def final_rewards(plies: int, rewarded: int) -> Sequence[float]:
    """Shares of a game's result that its moves are rewarded with (S4, 4.2.3).

    >>> [round(share, 2) for share in final_rewards(5, 4)], final_rewards(3, 1)
    ([0.0, 0.0, 0.33, 0.67, 1.0], [0.0, 0.0, 1.0])
    """
    if rewarded == 1:
        return [0.0] * (plies - 1) + [1.0]
    steps = [1 - distance / (rewarded - 1) for distance in range(min(plies, rewarded))]
    return [0.0] * (plies - len(steps)) + steps[::-1]
