"""Fuzzing of every parser: parse, print, parse again; rubbish gets a sentence, never a crash."""

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import spielbaum as sb
from helpers import check_message, random_state

SPECS = [
    "tictactoe",
    "connect4",
    "connect4:rows=3,columns=16,inarow=3",
    "connect4:rows=15,columns=8",
    "yavalath",
    "yavalath:players=3",
    "yavalath:swap=on",
    "reversi",
    "reversi:size=4",
    "reversi:size=10",
    "reversixt",
    "reversixt:map=map11",
    "chess",
]
GAMES = {spec: sb.game(spec) for spec in SPECS}

# Characters that mean something in some notation, so that rubbish comes close to sense.
ALPHABET = "abcdefghi123456789 ./-xozXOZKQRBNPkqrbnpwA,;0\n\t+pas wé"

EXAMPLES = {
    "tictactoe": ["", "b2 a1 c3", "b2a1c3", ".../.x./... o", "xxx/oo./... o"],
    "connect4": ["", "4453", "D1,D2;C1,E1", "......./......./......./......./...o.../...x... x"],
    "yavalath": ["", "e5 d4", "e5 swap", "e5 e6 e4 a1 e7"],
    "reversi": ["---------------------------OX------XO--------------------------- X"],
    "reversixt": [
        "4,2 5,2",
        "00000000/00000000/00000000/00012000/00021000/00000000/00000000/00000000 1 phase=1 last=2 "
        "overrides=0,0 bombs=0,0 out=-",
    ],
    "chess": [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/8/k2pP3/8/8/4K3 b - e3 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 99 80",
    ],
}


YAVALATH_ROWS = (5, 6, 7, 8, 9, 8, 7, 6, 5)


def board_text(state):
    """The position alone: rows from the top joined by "/", a space, and who is to move."""
    cells = "".join(".xoz"[cell] for cell in state.cells)
    if state.game.name == "yavalath":
        ends = [sum(YAVALATH_ROWS[: row + 1]) for row in range(9)]
        rows = [cells[end - width : end] for end, width in zip(ends, YAVALATH_ROWS, strict=True)]
    else:
        width = state.game.options.get("columns", 3)
        rows = [cells[start : start + width] for start in range(0, len(cells), width)][::-1]
    return "/".join(rows) + " " + "xoz"[state.to_move]


WITH_BOARD_TEXTS = [
    spec for spec in SPECS if GAMES[spec].name not in ("chess", "reversi", "reversixt")
]


@pytest.mark.parametrize("spec", WITH_BOARD_TEXTS)
def test_board_texts(spec):
    """A position given by its stones is equal to the one that was played."""
    game, rng = GAMES[spec], random.Random(17)
    for _ in range(30):
        state = game.initial()
        while state.legal_moves:
            again = game.state(board_text(state))
            assert again.cells == state.cells
            assert again.to_move == state.to_move
            assert sorted(again.legal_moves) == sorted(state.legal_moves)
            assert again == state
            assert again.key == state.key
            state = state.play(rng.choice(state.legal_moves))


@st.composite
def near_texts(draw, game):
    """The notation of some position, with a few characters changed."""
    if draw(st.booleans()):
        text = draw(st.sampled_from(EXAMPLES[game.name]))
    else:
        plies = draw(st.integers(0, 40))
        rng = random.Random(draw(st.integers(0, 10**6)))
        state = random_state(game, rng, plies)
        as_board = str(game) in WITH_BOARD_TEXTS and draw(st.booleans())
        text = board_text(state) if as_board else state.notation
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        character = draw(st.sampled_from(ALPHABET))
        kind = draw(st.sampled_from(["insert", "delete", "replace", "double"]))
        rest = text[at + 1 :]
        if kind == "insert":
            text = text[:at] + character + text[at:]
        elif kind == "delete":
            text = text[:at] + rest
        elif kind == "replace":
            text = text[:at] + character + rest
        else:
            text = text[:at] + text[at : at + 5] + text[at:]
    return text


def check_state_text(game, text):
    """Either an equal state comes back from its own notation, or the error is a sentence."""
    try:
        state = game.state(text)
    except sb.NotationError as error:
        check_message(error, text)
        return
    again = game.state(state.notation)
    assert again == state
    assert hash(again) == hash(state)
    assert again.notation == state.notation
    assert again.key == state.key
    assert again.to_move == state.to_move
    assert again.legal_moves == state.legal_moves
    assert again.outcome == state.outcome
    assert (state.outcome is not None) == (state.legal_moves == ())
    for move in state.legal_moves[:3]:
        check_state_is_playable(state, move)


def check_state_is_playable(state, move):
    after = state.play(move)
    assert state.parse(state.text(move)) == move
    assert after.last_move == move
    assert state.game.state(after.notation).cells == after.cells


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_mutated_positions(spec, data):
    game = GAMES[spec]
    check_state_text(game, data.draw(near_texts(game)))


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=150, deadline=None)
@given(text=st.one_of(st.text(max_size=100), st.text(alphabet=ALPHABET, max_size=120)))
@example(text="\0")
@example(text="4\x004")
@example(text=" ")
@example(text="/" * 60)
@example(text="1" * 200)
@example(text="e5" * 100)
def test_rubbish_positions(spec, text):
    check_state_text(GAMES[spec], text)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("text", ["x" * 100_000, "é" * 20_000, "\ud800", "a\nb\nc" * 50])
def test_hostile_positions(spec, text):
    """Long texts are not echoed in full, and what is no Unicode is refused like the rest."""
    with pytest.raises(sb.NotationError) as caught:
        GAMES[spec].state(text)
    check_message(caught.value, text)


@pytest.mark.parametrize("spec", SPECS)
def test_every_position_of_random_games_round_trips(spec):
    game, rng = GAMES[spec], random.Random(9)
    for _ in range(20):
        state = game.initial()
        while state.legal_moves:
            again = game.state(state.notation)
            assert again.notation == state.notation
            assert again.cells == state.cells
            assert again.key == state.key
            assert again.to_move == state.to_move
            # Earlier occurrences of a chess position are not part of its FEN.
            assert again == state or game.name == "chess"
            move = rng.choice(state.legal_moves)
            assert state.parse(state.text(move)) == move
            assert state.play(state.text(move)) == state.play(move)
            state = state.play(move)
        assert game.state(state.notation).outcome is not None or game.name == "chess"


def check_move_text(state, text):
    try:
        move = state.parse(text)
    except sb.IllegalMove as error:
        check_message(error, text)
        with pytest.raises(sb.IllegalMove):
            state.play(text)
    else:
        assert move in state.legal_moves
        assert state.parse(state.text(move)) == move
        assert state.play(text) == state.play(move)


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_move_texts(spec, data):
    game = GAMES[spec]
    rng = random.Random(data.draw(st.integers(0, 10**6)))
    state = random_state(game, rng, data.draw(st.integers(0, 60)))
    other = random_state(game, rng, 4)
    names = [other.text(move) for move in other.legal_moves] or [""]
    text = data.draw(
        st.one_of(
            st.text(alphabet=ALPHABET, max_size=6), st.text(max_size=20), st.sampled_from(names)
        )
    )
    check_move_text(state, text)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("text", ["", " ", "x" * 100_000, "\ud800", "a1\n", "\0", "-1", "9" * 50])
def test_hostile_moves(spec, text):
    check_move_text(GAMES[spec].initial(), text)


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=100, deadline=None)
@given(number=st.one_of(st.integers(-10, 5000), st.integers()), seed=st.integers(0, 100))
@example(number=-1, seed=0)
@example(number=2**31, seed=0)
@example(number=2**32, seed=0)
@example(number=2**63, seed=0)
@example(number=2**64, seed=0)
@example(number=2**64 + 3, seed=0)
@example(number=-(2**63), seed=0)
@example(number=2**70, seed=0)
def test_integers(spec, number, seed):
    state = random_state(GAMES[spec], random.Random(seed), seed)
    if number in state.legal_moves:
        assert state.play(number).last_move == number
        return
    with pytest.raises(sb.IllegalMove) as caught:
        state.play(number)
    check_message(caught.value)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("number", [-1, 10**6, 2**70])
def test_integers_that_are_no_action_have_no_text(spec, number):
    state = GAMES[spec].initial()
    with pytest.raises(sb.IllegalMove) as caught:
        state.text(number)
    check_message(caught.value)
    with pytest.raises(sb.IllegalMove):
        state.cells_of(number)


def test_an_integer_too_long_to_print():
    with pytest.raises(sb.IllegalMove) as caught:
        sb.game("chess").initial().play(10**5000)
    check_message(caught.value)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_numpy_integers(kind):
    state = sb.game("connect4").initial()
    assert state.play(kind(3)) == state.play(3)
    assert type(state.play(kind(3)).last_move) is int
    with pytest.raises(sb.IllegalMove):
        state.play(kind(100))


@pytest.mark.parametrize("move", [3.0, None, [3], (3,), b"d1", object()])
def test_what_is_neither_integer_nor_text(move):
    with pytest.raises((TypeError, sb.IllegalMove)):
        sb.game("connect4").initial().play(move)


def test_moves_after_the_end():
    state = sb.game("connect4").state("1212121")
    assert state.outcome.winner == 0
    assert state.legal_moves == ()
    for move in (0, 3, "a5", "4"):
        with pytest.raises(sb.IllegalMove) as caught:
            state.play(move)
        check_message(caught.value)
    with pytest.raises(sb.NotationError):
        sb.game("connect4").state("12121211")


# --- game specs ---

SPEC_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789:=,_- ."


@settings(max_examples=500, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=40),
        st.text(alphabet=SPEC_ALPHABET, max_size=40),
        st.tuples(
            st.sampled_from(["connect4", "yavalath", "reversi", "chess", "tictactoe"]),
            st.sampled_from(["rows", "columns", "inarow", "players", "swap", "size", "nosuch"]),
            st.one_of(st.integers(-5, 20).map(str), st.sampled_from(["on", "off", "", "1e1"])),
        ).map(lambda parts: "{}:{}={}".format(*parts)),
    )
)
@example(text="connect4\0")
@example(text="connect4:")
@example(text=":")
@example(text="connect4:rows=6,")
@example(text="connect4:rows=٦")  # a digit, but not of ours
@example(text="Connect4")
def test_game_specs(text):
    try:
        game = sb.game(text)
    except sb.SpecError as error:
        check_message(error, text)
    else:
        assert sb.game(str(game)) == game
        assert str(sb.game(str(game))) == str(game)
        assert game.initial().game == game


# --- Kaggle's boards ---


def kaggle(state):
    """Kaggle's flat list, top row first, and the mark of the side to move."""
    rows, columns = state.game.options["rows"], state.game.options["columns"]
    cells = state.cells
    board = [cells[row * columns + col] for row in reversed(range(rows)) for col in range(columns)]
    return board, 1 + (rows * columns - cells.count(0)) % 2


@pytest.mark.parametrize("spec", ["connect4", "connect4:rows=15,columns=8", "connect4:rows=4"])
def test_kaggle_boards_round_trip(spec):
    game = GAMES.get(spec) or sb.game(spec)
    for seed in range(200):
        state = random_state(game, random.Random(seed), seed % 50)
        board, mark = kaggle(state)
        again = game.state_from_kaggle(board, mark)
        assert again.cells == state.cells
        assert again == state
        assert again.key == state.key
        if state.outcome is None:
            assert again.to_move == state.to_move
        assert again.legal_moves == state.legal_moves
        assert (again.outcome is None) == (state.outcome is None)


EMPTY = [0] * 42


def with_stones(*stones):
    """A board with (index, mark) pairs; index 35 to 41 is the bottom row."""
    board = list(EMPTY)
    for index, mark in stones:
        board[index] = mark
    return board


BAD_KAGGLE = {
    "too short": (EMPTY[:-1], 1),
    "too long": ([*EMPTY, 0], 1),
    "nothing": ([], 1),
    "a value of 3": (with_stones((38, 3)), 2),
    "a negative value": (with_stones((38, -1)), 2),
    "a huge value": (with_stones((38, 2**70)), 2),
    "a value of 256": (with_stones((38, 256)), 1),
    "a value of 257": (with_stones((38, 257)), 2),
    "a floating stone": (with_stones((3, 1)), 2),
    "a stone one above the ground": (with_stones((31, 1)), 2),
    "mark 0": (EMPTY, 0),
    "mark 3": (EMPTY, 3),
    "a huge mark": (EMPTY, 2**70),
    "a negative mark": (EMPTY, -1),
    "mark 2 on the empty board": (EMPTY, 2),
    "mark 1 after one stone": (with_stones((38, 1)), 1),
    "the second player began": (with_stones((38, 2)), 1),
    "two stones against none": (with_stones((38, 1), (39, 1)), 2),
}


@pytest.mark.parametrize("case", BAD_KAGGLE)
def test_bad_kaggle_boards(case):
    with pytest.raises(sb.NotationError) as caught:
        sb.game("connect4").state_from_kaggle(*BAD_KAGGLE[case])
    check_message(caught.value)


@pytest.mark.parametrize("board", [["x"] * 42, [None] * 42, [1.5] + [0] * 41, None, 5, "0" * 42])
def test_kaggle_boards_of_wrong_types(board):
    with pytest.raises((sb.NotationError, TypeError)):
        sb.game("connect4").state_from_kaggle(board, 1)


@settings(max_examples=300, deadline=None)
@given(board=st.lists(st.integers(0, 2), min_size=12, max_size=12), mark=st.integers(1, 2))
def test_random_kaggle_boards(board, mark):
    """On 3x4 most boards are impossible: floating stones or wrong counts."""
    game = sb.game("connect4:rows=3,columns=4,inarow=3")
    # index -> the cell below it is empty although it is not
    floating = any(board[i] and not board[i + 4] for i in range(8))
    ahead = board.count(1) - board.count(2)
    try:
        state = game.state_from_kaggle(board, mark)
    except sb.NotationError as error:
        check_message(error)
        # Boards with a line may be refused for other reasons (both sides, or the wrong one).
        assert floating or ahead != mark - 1 or has_three(board)
    else:
        assert not floating
        assert ahead == mark - 1
        assert kaggle(state)[0] == board


def has_three(board):
    at = {(i // 4, i % 4): mark for i, mark in enumerate(board) if mark}
    vectors = ((0, 1), (1, 0), (1, 1), (1, -1))
    return any(
        at.get((r + v[0], c + v[1])) == mark == at.get((r + 2 * v[0], c + 2 * v[1]))
        for (r, c), mark in at.items()
        for v in vectors
    )
