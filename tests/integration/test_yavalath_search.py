"""Alpha-beta's variants on the positions with which they are compared."""

import pytest

import spielbaum as sb
from spielbaum.lab.documents import s2


def test_the_positions_are_what_they_are_said_to_be():
    game = sb.game("yavalath")
    states = [game.state(position) for position in s2.TEN]
    assert [len(state.history) for state in states] == list(range(0, 20, 2))
    for state in states:
        decision = sb.agent("alphabeta:eval=none").choose(state, sb.Budget(depth=6))
        assert decision.value == 0.0
        assert decision.stats["depth"] == 6


@pytest.mark.parametrize("position", s2.TEN, ids=lambda position: f"{len(position.split())}")
def test_the_variants_agree(position):
    state = sb.game("yavalath").state(position)
    switches = ("iterative=off,tt=off", "iterative=off", "tt=off", "tt=on")
    agents = [sb.agent(f"alphabeta:{each},ordering=off,windows=off") for each in switches]
    agents.append(sb.agent("alphabeta:tt=off"))
    values = [agent.choose(state, sb.Budget(depth=4)).value for agent in agents]
    assert len(set(values)) == 1
