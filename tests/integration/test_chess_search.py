"""Alpha-beta on chess positions with proven mates."""

import re
from pathlib import Path

import pytest

import spielbaum as sb

DATA = Path(__file__).parents[1] / "data" / "chess"
LINE = re.compile(r'^([^#].*) dm (\d+); id "(.*)";$', re.MULTILINE)
MATES = [
    (position, int(moves), name)
    for position, moves, name in LINE.findall((DATA / "mates.epd").read_text())
]


def test_there_are_mates_of_every_length():
    lengths = [moves for _, moves, _ in MATES]
    assert {moves: lengths.count(moves) for moves in lengths} == {1: 8, 2: 8, 3: 8, 4: 8}


@pytest.mark.parametrize(
    ("position", "moves"), [mate[:2] for mate in MATES], ids=[mate[2] for mate in MATES]
)
def test_the_shortest_mate_is_found(position, moves):
    state = sb.game("chess").state(position)
    plies = 2 * moves - 1
    decision = sb.agent("alphabeta").choose(state, sb.Budget(depth=plies))
    assert (decision.value, decision.stats["plies_to_end"]) == (1.0, plies)
    # The full width to one move less proves that no mate is shorter.
    if moves > 1:
        agent = sb.agent("alphabeta:quiescence=off")
        assert agent.choose(state, sb.Budget(depth=plies - 2)).value < 1.0
    # After the chosen move every defence loses in time.
    defence = state.play(decision.move)
    if moves == 1:
        assert defence.outcome is not None
        assert defence.outcome.winner == state.to_move
    else:
        answer = sb.agent("alphabeta").choose(defence, sb.Budget(depth=plies - 1))
        assert (answer.value, answer.stats["plies_to_end"]) == (-1.0, plies - 1)
