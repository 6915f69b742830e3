"""What several test files share: walking along with an oracle, perft files, error messages."""

import random
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parent / "data"


def play_along(state, oracle, rng, choose=None):
    """Play one game on both sides, compare at every ply, and return the finished state."""

    def where():  # asked for when something is wrong: the moves so far, at every ply, take long
        return f"after {state.history} of {state.game}"

    while True:
        legal = state.legal_moves
        expected = oracle.legal()
        assert len(set(legal)) == len(legal), f"{where()}: a move is listed twice"
        assert sorted(legal) == sorted(expected), where()
        assert state.cells == tuple(oracle.cells()), where()
        if oracle.over():
            assert legal == (), where()
            check_outcome(state.outcome, oracle.rewards(), where())
            return state
        assert legal, where()
        assert state.outcome is None, where()
        assert state.to_move == oracle.to_move, where()
        action = choose(oracle, expected, rng) if choose else rng.choice(expected)
        oracle.play(action)
        state = state.play(action)
        assert state.last_move == action, where()


def check_outcome(outcome, rewards, where):
    assert outcome is not None, f"{where}: the game should be over with {rewards}"
    assert outcome.rewards == rewards, where
    best = max(rewards)
    assert outcome.winner == (rewards.index(best) if best > 0 else None), where
    assert sum(outcome.rewards) == 0, where
    assert outcome.reason.strip(), f"{where}: an outcome names its reason"


def random_state(game, rng, plies):
    """A state after at most `plies` random moves."""
    state = game.initial()
    for _ in range(plies):
        if not state.legal_moves:
            break
        state = state.play(rng.choice(state.legal_moves))
    return state


def random_game(game, seed):
    """Every state of one random game, from the start to the end."""
    rng = random.Random(seed)
    states = [game.initial()]
    while states[-1].legal_moves:
        states.append(states[-1].play(rng.choice(states[-1].legal_moves)))
    return states


class PerftCase(NamedTuple):
    spec: str
    position: str  # "initial", or the notation of the game
    counts: dict[int, int]  # depth -> leaves
    note: str

    def start(self, game):
        return game.initial() if self.position == "initial" else game.state(self.position)


def perft_cases(filename):
    """Lines of `spec | position | depth:count ... | note`; # starts a comment line."""
    cases = []
    for line in (DATA / "perft" / filename).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            spec, position, counts, *note = (field.strip() for field in line.split("|"))
            pairs = (pair.split(":") for pair in counts.split())
            table = {int(depth): int(count) for depth, count in pairs}
            cases.append(PerftCase(spec, position, table, note[0] if note else ""))
    return cases


def check_message(error, culprit=""):
    """A message for people: one line, a sentence rather than an echo, and of bounded length."""
    message = str(error)
    assert len(message.splitlines()) == 1, f"not one line: {message!r}"
    assert message.isprintable(), f"control characters: {message!r}"
    assert 15 <= len(message) <= 500, f"{len(message)} characters: {message[:600]!r}"
    assert " " in message.strip(), f"not a sentence: {message!r}"
    assert message not in (culprit, repr(culprit)), f"a bare echo: {message!r}"
