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
    path: Path,
    game: Game,
    shape: Shape,
    *,
    history: int = 0,
    search_share: float = 0.0,
    result_share: float = 1.0,
) -> Samples:
    """The positions of a file of games; `ModelError` if its games cannot be played."""
    try:
        return lessons(
            read_games(path),
            game,
            shape,
            history=history,
            search_share=search_share,
            result_share=result_share,
        )
    except (IllegalMove, IndexError):
        raise ModelError(f"model {path}: its games are not games of {game}") from None


def lessons(
    games: Sequence[PlayedGame],
    game: Game,
    shape: Shape,
    *,
    history: int = 0,
    search_share: float = 0.0,
    result_share: float = 1.0,
    learn: Learn = "both",
) -> Samples:
    """The positions of games, or only those in which one of two agents chose the move.

    The value to be learnt is the game's result, or with ``result_share`` below 1 its lambda-return
    (see `returns`), with a share of what the search believed; proven values are taken as they are.

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
        positions = list(positions_of(played, game))
        movers = [state.to_move for state in positions[played.first :]]
        believed = returns(played, movers, result_share)
        for ply, state in enumerate(positions):
            index = ply - played.first
            if index >= 0 and played.agent_of(state.to_move) in agents:
                planes.append(encode(state, shape.encoding, history))
                actions.append(state.legal_moves)
                policies.append(played.policies[index])
                turns = [(state.to_move + turn) % players for turn in range(shape.values)]
                target = [believed[index][player] for player in turns]
                target[0] = with_search(played, index, target[0], search_share)
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


def with_search(played: PlayedGame, index: int, worth: float, search_share: float) -> float:
    """Mix what a position was worth with what its search believed, which is all if it was proven.

    >>> with_search(PlayedGame(0, values=[0.5], proven=[False]), 0, 1.0, search_share=0.5)
    0.75
    """
    share = 1.0 if played.proven[index] else search_share
    return worth + share * (played.values[index] - worth)


def returns(
    played: PlayedGame, movers: Sequence[int], result_share: float
) -> list[tuple[float, ...]]:
    """What each position of a game was worth to all players, from the result backwards.

    Whoever moves takes over ``result_share`` of the next position's worth, and the rest from what
    his search believed, which is all if it was proven: lambda-returns, as TD(lambda) has them.

    >>> played = PlayedGame(0, [4, 0], (1.0, -1.0), [], [0.5, -0.5], [True] * 2, [False] * 2)
    >>> returns(played, [0, 1], 1.0)
    [(1.0, -1.0), (1.0, -1.0)]
    >>> returns(played, [0, 1], 0.5)
    [(0.625, -0.625), (0.75, -0.75)]
    """
    if result_share == 1.0:
        return [played.rewards] * len(movers)
    worth, found = list(played.rewards), []
    turns = list(zip(movers, played.values, played.proven, strict=True))
    for mover, value, proven in reversed(turns):
        worth[mover] = value if proven else value + result_share * (worth[mover] - value)
        if len(worth) == 2:
            worth[1 - mover] = -worth[mover]
        found.append(tuple(worth))
    return found[::-1]
