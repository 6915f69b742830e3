"""What a network learns from games of self-play: positions, policies and values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from spielbaum.base.errors import IllegalMove, ModelError
from spielbaum.models.inputs import encode
from spielbaum.train.data.games_file import PlayedGame, positions_of, read_games
from spielbaum.train.data.samples import PADDING, Samples
from spielbaum.train.nets.net_config import Shape

if TYPE_CHECKING:
    from spielbaum.games import Game


Learn = Literal["both", "first", "second"]
"""Whose moves are learnt in recorded games of two agents."""


def lessons_of(
    path: Path, game: Game, shape: Shape, *, history: int = 0, search_share: float = 0.0
) -> Samples:
    """The positions of a file of games; `ModelError` if its games cannot be played."""
    try:
        return lessons(read_games(path), game, shape, history=history, search_share=search_share)
    except (IllegalMove, IndexError):
        raise ModelError(f"model {path}: its games are not games of {game}") from None


def lessons(
    games: Sequence[PlayedGame],
    game: Game,
    shape: Shape,
    *,
    history: int = 0,
    search_share: float = 0.0,
    learn: Learn = "both",
) -> Samples:
    """The positions of games, or only those in which one of two agents chose the move.

    The value to be learnt is the game's result, with a share of what the search believed; proven
    values are taken as they are.

    >>> import spielbaum as sb
    >>> from spielbaum.train.nets.net_config import NetConfig, shape_of
    >>> rules = sb.game("tictactoe")
    >>> played = PlayedGame(0, [4], (1.0, -1.0), [np.full(9, 1 / 9)], [0.5], [True], [False])
    >>> found = lessons([played], rules, shape_of(rules, NetConfig()), search_share=0.5)
    >>> found.planes.shape, found.values.tolist()
    ((1, 3, 3, 3), [[0.75]])
    >>> len(lessons([played], rules, shape_of(rules, NetConfig()), learn="second"))
    0
    """
    agents = {"both": (0, 1), "first": (0,), "second": (1,)}[learn]
    planes, actions, policies, values, weights = [], [], [], [], []
    players = game.num_players
    for played in games:
        for ply, state in enumerate(positions_of(played, game)):
            index = ply - played.first
            if index >= 0 and played.agent_of(state.to_move) in agents:
                planes.append(encode(state, shape.encoding, history))
                actions.append(state.legal_moves)
                policies.append(played.policies[index])
                turns = [(state.to_move + turn) % players for turn in range(shape.values)]
                target = [played.rewards[player] for player in turns]
                share = 1.0 if played.proven[index] else search_share
                target[0] += share * (played.values[index] - target[0])
                values.append(target)
                weights.append(float(played.full[index]))
    if not planes:
        return Samples.empty((shape.planes, shape.rows, shape.columns), shape.values)
    most = max(map(len, actions))
    padded = np.full((len(actions), most), PADDING, np.int32)
    chances = np.zeros((len(actions), most), np.float16)
    for row, (legal, policy) in enumerate(zip(actions, policies, strict=True)):
        padded[row, : len(legal)] = legal
        chances[row, : len(legal)] = policy
    return Samples(
        np.array(planes, np.float16),
        padded,
        chances,
        np.array(values, np.float32),
        np.array(weights, np.float32),
    )
