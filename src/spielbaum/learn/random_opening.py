"""How games begin differently: with random moves, from which nothing is learnt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spielbaum.learn.alphazero.games_file import PlayedGame

if TYPE_CHECKING:
    from spielbaum.games import Game, State


def begin_game(game: Game, most: int, rng: np.random.Generator) -> tuple[State, PlayedGame]:
    """A position after up to ``most`` random moves that is not over, and the game so far.

    >>> import spielbaum as sb
    >>> state, played = begin_game(sb.game("tictactoe"), 3, np.random.default_rng(1))
    >>> list(state.history) == played.moves, played.first == len(played.moves)
    (True, True)
    """
    while True:
        state, moves = game.initial(), []
        for _ in range(int(rng.integers(most + 1))):
            if state.outcome is None:
                moves.append(int(rng.choice(state.legal_moves)))
                state = state.play(moves[-1])
        if state.outcome is None:
            return state, PlayedGame(len(moves), moves)
