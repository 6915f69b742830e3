"""How games begin differently: with random moves, from which nothing is learnt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spielbaum.train.data.games_file import PlayedGame

if TYPE_CHECKING:
    from spielbaum.games import Game, State


ATTEMPTS = 100
"""Random games that may end too early before one of them is cut short instead."""


def begin_game(game: Game, most: int, rng: np.random.Generator) -> tuple[State, PlayedGame]:
    """A position after up to ``most`` random moves that is not over, and the game so far.

    If random games keep ending before that, the position is the last one before such an end.

    >>> import spielbaum as sb
    >>> state, played = begin_game(sb.game("tictactoe"), 3, np.random.default_rng(1))
    >>> list(state.history) == played.moves, played.first == len(played.moves)
    (True, True)
    """
    for _ in range(ATTEMPTS):
        before = state = game.initial()
        for _ in range(int(rng.integers(most + 1))):
            if state.outcome is not None:
                break
            before, state = state, state.play(int(rng.choice(state.legal_moves)))
        if state.outcome is None:
            before = state
            break
    moves = list(before.history)
    return before, PlayedGame(len(moves), moves)
