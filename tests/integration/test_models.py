"""The networks that come with the project play as well as their table says."""

from pathlib import Path

import pytest

import spielbaum as sb
from spielbaum.arena.strength import Referee, against_perfect

MODELS = Path(__file__).parents[2] / "models"


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.npz")), ids=lambda path: path.name)
def test_networks_are_small_and_say_how_they_were_made(path):
    agent = sb.agent(f"ntuple:{path}")
    assert path.stat().st_size < 12_000_000
    assert agent.network.training["games"] > 0
    state = agent.network.game.initial()
    assert agent.choose(state).move in state.legal_moves


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.onnx")), ids=lambda path: path.name)
def test_neural_networks_are_small_and_say_how_they_were_made(path):
    agent = sb.agent(f"net:{path}")
    assert path.stat().st_size < 5_000_000
    told = agent.evaluator.net.training
    assert told.get("games", told.get("positions")) > 0  # of others, if it imitated them
    state = agent.evaluator.net.game.initial()
    assert agent.choose(state, sb.Budget(iterations=20)).move in state.legal_moves


@pytest.mark.parametrize(
    "spec", ["ntuple:tictactoe.npz", "net:tictactoe.onnx", "net:tictactoe.onnx,play=policy"]
)
def test_tictactoe_is_perfect_with_either_side(spec):
    kind, _, file = spec.partition(":")
    agent = sb.agent(f"{kind}:{MODELS}/{file}")
    game, budget = sb.game("tictactoe"), sb.Budget(iterations=16)
    referee, start = Referee(game), game.initial()

    def choose(state):
        return agent.choose(state, budget).move

    for seat in (0, 1):
        points = [
            against_perfect(choose, referee, start, seat=seat, seed=seed) for seed in range(100)
        ]
        assert points == [0.5] * 100
