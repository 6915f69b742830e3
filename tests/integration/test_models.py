"""The networks that come with the project play as well as their table says."""

from pathlib import Path

import pytest

import spielbaum as sb
from spielbaum.learn.strength import Referee, against_perfect

MODELS = Path(__file__).parents[2] / "models"


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.npz")), ids=lambda path: path.name)
def test_networks_are_small_and_say_how_they_were_made(path):
    agent = sb.agent(f"ntuple:{path}")
    assert path.stat().st_size < 12_000_000
    assert agent.network.training["games"] > 0
    state = agent.network.game.initial()
    assert agent.choose(state).move in state.legal_moves


def test_tictactoe_is_perfect_with_either_side():
    agent = sb.agent(f"ntuple:{MODELS / 'tictactoe.npz'}")
    game = sb.game("tictactoe")
    referee, start = Referee(game), game.initial()
    for seat in (0, 1):
        points = [
            against_perfect(agent.greedy, referee, start, seat=seat, seed=seed)
            for seed in range(100)
        ]
        assert points == [0.5] * 100
