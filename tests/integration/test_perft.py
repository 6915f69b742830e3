"""Node counts: the published numbers for every native game, from the files in data/perft."""

import subprocess
import sys

import pytest

import spielbaum as sb
from helpers import DATA, perft_cases

FILES = sorted(path.name for path in (DATA / "perft").glob("*.perft"))


def all_cases():
    for filename in FILES:
        for number, case in enumerate(perft_cases(filename), start=1):
            yield pytest.param(case, id=case.note or f"{filename.removesuffix('.perft')}-{number}")


@pytest.mark.parametrize("case", list(all_cases()))
def test_perft(case):
    state = case.start(sb.game(case.spec))
    assert {depth: sb.perft(state, depth) for depth in case.counts} == case.counts


def test_perft_of_depth_zero_is_one():
    for name in sb.games():
        assert sb.perft(sb.game(name).initial(), 0) == 1


def test_the_files_hold_what_they_promise():
    assert len(perft_cases("chess_random.perft")) == 600
    assert len(perft_cases("chess_tricky.perft")) == 19
    assert all(set(case.counts) == {1, 2, 3} for case in perft_cases("chess_random.perft"))


def test_every_shipped_game_has_perft_data():
    # A fresh interpreter: other tests of this run may have registered games of their own.
    program = "import spielbaum; print(*spielbaum.games())"
    listing = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert listing.returncode == 0, listing.stderr
    names = set(listing.stdout.split())
    assert {"chess", "connect4", "reversi", "tictactoe", "yavalath"} <= names
    covered = {sb.game(case.spec).name for filename in FILES for case in perft_cases(filename)}
    assert names <= covered, f"no perft data for {sorted(names - covered)}"


def test_tictactoe_in_full():
    """All positions, each once, with the number of games that lead there."""
    layer = {sb.game("tictactoe").initial(): 1}
    positions, keys, running = 0, set(), 0
    games = {0: 0, 1: 0, None: 0}
    while layer:
        positions += len(layer)
        keys.update(state.key for state in layer)
        following = {}
        for state, paths in layer.items():
            if state.outcome is not None:
                games[state.outcome.winner] += paths
                continue
            running += 1
            for move in state.legal_moves:
                child = state.play(move)
                following[child] = following.get(child, 0) + paths
        layer = following
    assert (positions, running, len(keys)) == (5478, 4520, 5478)
    assert games == {0: 131184, 1: 77904, None: 46080}


def test_connect4_distinct_positions():
    layer = {sb.game("connect4").initial()}
    for ply, expected in enumerate([1, 7, 49, 238, 1120, 4263, 16422, 54859]):
        assert len(layer) == expected, f"ply {ply}, by equality"
        assert len({state.key for state in layer}) == expected, f"ply {ply}, by key"
        layer = {state.play(move) for state in layer for move in state.legal_moves}


def test_perft_leaves_its_state_alone():
    state = sb.game("chess").initial()
    before = (state.notation, state.key, state.history)
    sb.perft(state, 3)
    assert (state.notation, state.key, state.history) == before


@pytest.mark.parametrize("depth", [-1, 2**70, 1.5, "x", None])
def test_bad_depth(depth):
    with pytest.raises((ValueError, TypeError)):
        sb.perft(sb.game("tictactoe").initial(), depth)
