"""Many games at once: the same as one after the other, and nothing beside the arrays."""

import numpy as np
import pytest

import spielbaum as sb
from spielbaum.games.game import native_games


@pytest.mark.parametrize("spec", [*native_games(), "yavalath:players=3", "connect4:columns=9"])
def test_a_vector_plays_and_shows_what_states_do(spec):
    rules = sb.game(spec)
    games = sb.VectorGame(rules, 3, seed=4)
    states = [rules.initial() for _ in range(3)]
    ended = 0
    for step in range(150):
        moves = games.random_moves()
        games.step(moves)
        for index, move in enumerate(moves):
            state = states[index].play(move)
            assert games.over[index] == (state.outcome is not None)
            rewards = state.outcome.rewards if state.outcome else (0.0,) * rules.num_players
            assert games.rewards[index].tolist() == pytest.approx(rewards)
            if state.outcome:
                ended += 1
                state = rules.initial()
            states[index] = state
            assert games.to_move[index] == state.to_move
            if step % 10 == 0 or games.over[index]:
                assert np.flatnonzero(games.legal[index]).tolist() == list(state.legal_moves)
                assert np.array_equal(games.planes[index], state.planes())
                assert games[index] == state
    assert ended > 0 or rules.name in ("chess", "hex", "reversixt")


def test_games_in_python_are_stepped_as_well():
    class Pair(sb.PythonGame):
        name = "pair"
        num_actions = 2

        def initial(self):
            return ()

        def to_move(self, moves):
            return len(moves) % 2

        def legal_moves(self, moves):
            return [0, 1]

        def play(self, moves, action):
            return (*moves, action)

        def outcome(self, moves):
            return sb.Outcome.win(sum(moves) % 2) if len(moves) == 2 else None

        def key(self, moves):
            return bytes(moves)

    sb.register_game(Pair, replace=True)
    games = sb.VectorGame("pair", 4, encoding=None)
    assert games.planes is None
    games.step([0, 0, 1, 1])
    games.step([0, 1, 0, 1])
    assert games.over.all()
    assert games.rewards[:, 0].tolist() == [1.0, -1.0, -1.0, 1.0]
    with pytest.raises(sb.SpecError, match="pair has no encoding 'own'"):
        sb.VectorGame("pair", 4)


def test_only_one_thread_steps():
    class Nested(sb.PythonGame):
        """Steps its own games while they are being stepped."""

        name = "nested"
        num_actions = 1
        games = None

        def initial(self):
            return 0

        def to_move(self, state):
            return state % 2

        def legal_moves(self, state):
            return [0]

        def play(self, state, action):
            if self.games is not None:
                self.games.step([0])
            return state + 1

        def outcome(self, state):
            return None

        def key(self, state):
            return state

    sb.register_game(Nested, replace=True)
    rules = sb.game("nested")
    games = sb.VectorGame(rules, 1, encoding=None)
    rules._python.games = games
    with pytest.raises(RuntimeError, match="being stepped by another thread"):
        games.step([0])
    rules._python.games = None
    games.step([0])
    assert games.to_move.tolist() == [1]


def test_the_arrays_are_the_callers():
    planes = np.full((3, 2, 3, 3, 3), -7.0, np.float32)
    rewards = np.full((2, 2), -7.0, np.float32)
    games = sb.VectorGame("tictactoe", 2, planes=planes[1], rewards=rewards)
    assert games.planes is not None
    assert (rewards == 0).all()
    games.step([0, 8])
    assert planes[1, :, 1].sum(axis=(1, 2)).tolist() == [1.0, 1.0]
    assert (planes[[0, 2]] == -7.0).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"planes": np.zeros((2, 3, 3, 4), np.float32)}, "planes: expected"),
        ({"planes": np.zeros((2, 3, 3, 3))}, "array of float32"),
        ({"planes": np.zeros((2, 3, 3, 6), np.float32)[..., ::2]}, "C-contiguous"),
        ({"legal": np.zeros((2, 9), np.int8)}, "legal: expected"),
        ({"over": np.zeros(3, np.bool_)}, r"over: .* shape \(2,\)"),
        ({"encoding": "mine"}, "has no encoding 'mine'"),
        ({"encoding": None, "planes": np.zeros((2, 3, 3, 3), np.float32)}, "leaves them out"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(given, words):
    with pytest.raises(sb.SpecError, match=words):
        sb.VectorGame("tictactoe", 2, **given)


def test_an_illegal_action_changes_nothing():
    games = sb.VectorGame("connect4", 2)
    for _ in range(6):
        games.step([3, 3])
    before = games.planes.copy()
    with pytest.raises(sb.IllegalMove, match="action 3 is not legal in game 1"):
        games.step([2, 3])
    for wrong in ([1], [1, 2, 3], [0.5, 1], [[1, 2]], [2**40, 1]):
        with pytest.raises(sb.IllegalMove, match="expected 2 whole numbers"):
            games.step(wrong)
    with pytest.raises(sb.IllegalMove, match="action -1 is not legal in game 0"):
        games.step([-1, 0])
    assert np.array_equal(games.planes, before)
    assert games[0].notation == games[1].notation
    games.reset()
    assert games[0] == sb.game("connect4").initial()


def test_random_moves_follow_from_the_seed():
    one, other = (sb.VectorGame("reversi", 50, seed=9) for _ in range(2))
    third = sb.VectorGame("reversi", 50, seed=10)
    same = np.array_equal(one.random_moves(), other.random_moves())
    assert same
    assert not np.array_equal(one.random_moves(), third.random_moves())


def test_wrong_numbers_of_games_are_refused():
    with pytest.raises(sb.SpecError, match="expected at least one game"):
        sb.VectorGame("connect4", 0)
    with pytest.raises(IndexError, match="from 0 to 1"):
        sb.VectorGame("connect4", 2)[2]
    assert len(sb.VectorGame("connect4", 2)) == 2
