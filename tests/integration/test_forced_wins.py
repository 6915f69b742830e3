"""The Yavalath positions with forced wins are what their file says."""

from collections import Counter

import pytest

import spielbaum as sb
from helpers import DATA

LINES = (DATA / "yavalath" / "forced_wins.txt").read_text(encoding="utf-8").splitlines()
CASES = [
    (position.strip(), int(plies), moves.split())
    for position, plies, moves in (line.split("|") for line in LINES if not line.startswith("#"))
]
SAMPLE = CASES[::10]
# Seven plies take their time, but less so on a board with many stones.
QUICK = [case for case in SAMPLE if case[1] == 5] + [
    max(SAMPLE[10:], key=lambda case: len(case[0]))
]


def ends_in(state, plies):
    """The plies to the end that a search of so many plies proves; negative for a loss."""
    stats = sb.agent("alphabeta:memory=4").choose(state, sb.Budget(depth=plies)).stats
    return stats.get("plies_to_end", 0) * (1 if stats["score"] > 0 else -1)


def test_the_positions_are_many_and_different():
    game = sb.game("yavalath")
    states = [game.state(position) for position, _, _ in CASES]
    assert Counter(plies for _, plies, _ in CASES) == {5: 100, 7: 100}
    assert all(state.outcome is None for state in states)
    keys = {min(image.state.key for image in state.symmetries()) for state in states}
    assert len(keys) == len(CASES)


def test_the_opponent_threatens_nothing():
    for position, _, _ in CASES:
        state = sb.game("yavalath").state(position)
        for move in state.legal_moves[:3]:
            after = state.play(move)
            if after.outcome is None:
                ends = [after.play(reply).outcome for reply in after.legal_moves]
                assert all(end is None or end.winner == state.to_move for end in ends)


@pytest.mark.parametrize(("position", "plies", "moves"), SAMPLE)
def test_the_win_is_as_far_away_as_is_said(position, plies, moves):
    state = sb.game("yavalath").state(position)
    assert ends_in(state, plies - 1) <= 0
    assert ends_in(state, plies) == plies
    for move in moves:
        assert ends_in(state.play(move), plies - 1) == 1 - plies


@pytest.mark.parametrize(("position", "plies", "moves"), QUICK)
def test_no_other_move_wins_as_fast(position, plies, moves):
    state = sb.game("yavalath").state(position)
    for move in state.legal_moves:
        after = state.play(move)
        if state.text(move) not in moves and after.outcome is None:
            assert ends_in(after, plies - 1) != 1 - plies
