"""States as values: immutable, hashable, comparable, copyable, picklable, cheap, thread-safe."""

import copy
import pickle
import random
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

import spielbaum as sb
from helpers import random_game, random_state

SPECS = [
    "tictactoe",
    "connect4",
    "connect4:rows=15,columns=8",
    "yavalath",
    "yavalath:players=3",
    "yavalath:swap=on",
    "hex",
    "hex:size=5,swap=on",
    "reversi",
    "reversi:size=10",
    "chess",
]
KNIGHTS = ["g1f3", "g8f6", "f3g1", "f6g8"]


def look(state):
    """All that a state shows, to see that it has not changed."""
    return (
        state.notation, state.key, hash(state), state.to_move, state.legal_moves, state.cells,
        state.outcome, state.last_move, state.last_cells, state.history, str(state),
        state.planes().tobytes(), str(state.game),
    )  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_playing_leaves_a_state_as_it_was(spec):
    states = random_game(sb.game(spec), seed=11)[:60]
    before = [look(state) for state in states]
    for state in states:
        children = [state.play(move) for move in state.legal_moves]
        assert len(set(children)) == len(children)
        for move, child in zip(state.legal_moves, children, strict=True):
            assert child != state
            assert child.history == (*state.history, move)
            assert child.last_cells == state.cells_of(move)
    assert [look(state) for state in states] == before


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(
    "name", ["to_move", "legal_moves", "notation", "outcome", "key", "history", "game", "colour"]
)
def test_attributes_cannot_be_set(spec, name):
    state = sb.game(spec).initial()
    with pytest.raises(AttributeError):
        setattr(state, name, 0)
    with pytest.raises(AttributeError):
        delattr(state, name)


@pytest.mark.parametrize("spec", SPECS)
def test_outcome_and_game_are_immutable_too(spec):
    game = sb.game(spec)
    end = random_game(game, seed=1)[-1]
    with pytest.raises(AttributeError):
        end.outcome.winner = 0
    assert isinstance(end.outcome.rewards, tuple)
    with pytest.raises((AttributeError, TypeError)):
        game.name = "other"
    options = game.options
    for name in list(options):
        try:
            options[name] = 3
        except TypeError:
            continue  # a read-only view is as good as a copy
    assert str(game) == spec
    assert game == sb.game(spec)


@pytest.mark.parametrize("spec", SPECS)
def test_equality_and_hash(spec):
    game = sb.game(spec)
    one, two = random_game(game, seed=5), random_game(sb.game(spec), seed=5)
    for left, right in zip(one, two, strict=True):
        assert left == right
        assert hash(left) == hash(right)
        assert (left != right) is False
        assert left.key == right.key
        assert 0 <= left.key < 2**64
    assert len(set(one)) == len(one)
    assert one[0] != one[1]
    assert one[0] != "text"
    assert one[0] is not None
    assert (one[0] == 5) is False


def test_states_of_different_games_differ():
    empty = [sb.game(spec).initial() for spec in SPECS]
    assert len(set(empty)) == len(SPECS)
    assert sb.game("connect4:inarow=3").initial() != sb.game("connect4:inarow=5").initial()
    with_swap, without = sb.game("yavalath:swap=on").initial(), sb.game("yavalath").initial()
    assert with_swap != without


def test_equal_positions_by_different_ways_are_equal():
    connect4 = sb.game("connect4")
    assert connect4.state("1234") == connect4.state("3214")
    assert connect4.state("1234") != connect4.state("1243")
    chess = sb.game("chess").initial()
    one = chess.play("e2e3").play("e7e6").play("d2d3")
    two = chess.play("d2d3").play("e7e6").play("e2e3")
    assert one == two
    assert hash(one) == hash(two)
    assert one.history != two.history


def test_chess_equality_knows_clock_and_repeats():
    start = sb.game("chess").initial()
    state = start
    for text in KNIGHTS:
        state = state.play(text)
    assert state.key == start.key, "the key ignores clock and repeats"
    assert state.cells == start.cells
    assert state != start
    fresh = sb.game("chess").state(state.notation)  # the same clock, but nothing before
    assert fresh.notation == state.notation
    assert fresh.key == state.key
    assert fresh != state, "the position has occurred twice on one path, once on the other"


def test_reversible_ways_count_repetition_from_the_root_only():
    """A position given by FEN has no past: its first occurrence is the first."""
    state = sb.game("chess").state("4k3/8/8/8/8/8/8/R3K3 w - - 90 100")
    for plies, text in enumerate(["a1b1", "e8d8", "b1a1", "d8e8"] * 2, start=1):
        state = state.play(text)
        assert (state.outcome is not None) == (plies == 8), plies
    assert len(state.history) == 8


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies(spec, duplicate):
    for state in random_game(sb.game(spec), seed=2)[:40]:
        again = duplicate(state)
        assert again == state
        assert look(again) == look(state)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(spec, protocol):
    states = random_game(sb.game(spec), seed=8)
    for state in [*states[:3], states[len(states) // 2], states[-1]]:
        again = pickle.loads(pickle.dumps(state, protocol))
        assert type(again) is type(state)
        assert again == state
        assert look(again) == look(state)


@pytest.mark.parametrize("spec", SPECS)
def test_games_pickle(spec):
    game = sb.game(spec)
    again = pickle.loads(pickle.dumps(game))
    assert again == game
    assert hash(again) == hash(game)
    assert str(again) == str(game) == spec


def test_pickled_repeats_still_count():
    """A chess state that has repeated ends the game as early as the original does."""
    state = sb.game("chess").initial()
    for text in (KNIGHTS * 2)[:7]:
        state = state.play(text)
        again = pickle.loads(pickle.dumps(state))
        assert again == state
        assert again.history == state.history
        assert (again.planes("s4") == state.planes("s4")).all()
    assert again.outcome is None
    assert again.play("f6g8").outcome == state.play("f6g8").outcome
    assert again.play("f6g8").outcome.winner is None


def test_a_pickle_is_read_in_another_process():
    state = random_state(sb.game("yavalath:players=3"), random.Random(4), 15)
    program = (
        "import pickle, sys; state = pickle.load(sys.stdin.buffer);"
        "print(state.notation, state.key, state.to_move)"
    )
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, input=pickle.dumps(state), capture_output=True)
    assert result.returncode == 0, result.stderr.decode()
    expected = f"{state.notation} {state.key} {state.to_move}"
    assert result.stdout.decode().strip() == expected


def test_a_pickle_is_validated():
    """States pickle as game, notation and moves; what was tampered with is not believed."""
    data = pickle.dumps(sb.game("chess").state("4k3/8/8/8/8/8/8/4K2R w K - 0 1").play("e1g1"))
    assert b"4k3/" in data
    assert b"chess" in data
    with pytest.raises(sb.NotationError, match="king"):
        pickle.loads(data.replace(b"4k3/", b"4K3/"))
    with pytest.raises(sb.SpecError, match="chEss"):
        pickle.loads(data.replace(b"chess", b"chEss"))


# The longest path that a game here allows: a chess game that shuffles, and pushes a pawn or
# captures only when the clock asks for it. Released in a thread with a small stack: freeing a
# path one state inside the other would overflow it.
LONG_CHESS_GAME = """
import random, threading
import spielbaum as sb

def long_game():
    rng = random.Random(1)
    state = sb.game("chess").initial()
    while True:
        clock = int(state.notation.split()[4])
        moves = list(state.legal_moves)
        rng.shuffle(moves)
        quiet = capture = None
        for move in moves:
            child = state.play(move)
            if child.outcome is not None:
                continue
            reset = child.notation.split()[4] == "0"
            if reset and capture is None:
                capture = child
            if not reset and quiet is None:
                quiet = child
            if (capture if clock >= 97 else quiet) is not None:
                break
        chosen = (capture or quiet) if clock >= 97 else (quiet or capture)
        if chosen is None:
            return state
        state = chosen

holder = [long_game()]
length = len(holder[0].history)
threading.stack_size(128 * 1024)
thread = threading.Thread(target=holder.clear)
thread.start()
thread.join()
print(length, len(holder))
"""


def test_a_long_path_is_released_without_recursion():
    command = [sys.executable, "-c", LONG_CHESS_GAME]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, f"exit code {result.returncode}: {result.stderr}"
    length, left = map(int, result.stdout.split())
    assert length > 2000
    assert left == 0


def test_many_states_are_kept_and_released():
    """20,000 states alive at once, of many games, then gone."""
    game, rng, kept = sb.game("reversi"), random.Random(3), []
    while len(kept) < 20_000:
        state = game.initial()
        while state.legal_moves:
            state = state.play(rng.choice(state.legal_moves))
            kept.append(state)
    for state in rng.sample(kept, 200):
        replayed = game.initial()
        for move in state.history:
            replayed = replayed.play(move)
        assert replayed == state
    kept.clear()


@pytest.mark.parametrize("spec", ["tictactoe", "connect4", "yavalath", "reversi", "chess"])
def test_play_is_cheap(spec):
    """About a microsecond of the processor's time; the bound is generous, for slow machines."""
    state = random_state(sb.game(spec), random.Random(6), 3)
    move, loops = state.legal_moves[0], range(2000)
    samples = []
    for _ in range(15):
        begin = time.thread_time()
        for _ in loops:
            state.play(move)
        samples.append((time.thread_time() - begin) / len(loops))
    assert statistics.median(samples) < 5e-6


def digest(spec, seed):
    states = random_game(sb.game(spec), seed)
    return [(state.key, state.notation, state.legal_moves) for state in states]


@pytest.mark.parametrize("spec", ["connect4", "yavalath:players=3", "reversi", "chess"])
def test_threads_see_the_same_games(spec):
    alone = [digest(spec, seed) for seed in range(12)]
    with ThreadPoolExecutor(max_workers=6) as pool:
        together = list(pool.map(lambda seed: digest(spec, seed), range(12)))
    assert together == alone


def test_threads_share_one_state():
    state = sb.game("chess").initial()
    before = look(state)

    def walk(seed):
        rng = random.Random(seed)
        current = state
        for _ in range(300):
            if not current.legal_moves:
                break
            current = current.play(rng.choice(current.legal_moves))
        return current.notation, sb.perft(state, 3)

    with ThreadPoolExecutor(max_workers=8) as pool:
        results = list(pool.map(walk, [seed % 4 for seed in range(32)]))
    assert len(set(results)) == 4
    assert {nodes for _, nodes in results} == {8902}
    assert look(state) == before


def test_a_daemon_thread_at_work_does_not_abort_the_end_of_the_program():
    script = """
import threading, time
import spielbaum as sb
start = sb.game("chess").initial()
threading.Thread(target=lambda: sb.perft(start, 9), daemon=True).start()
time.sleep(0.3)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_pickled_state_keeps_its_move_number():
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 7"
    state = sb.game("chess").state(fen).play("e2e4")
    assert pickle.loads(pickle.dumps(state)).notation == state.notation


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: g.state(None), "position None must be a text"),
        (lambda g: g.initial().parse(5), "move 5 must be a text"),
        (lambda g: g.initial().play(None), "'NoneType' object cannot be interpreted as an integer"),
        (lambda g: sb.perft(g.initial(), 3.0), "'float' object cannot be interpreted"),
    ],
)
def test_wrong_types(call, message):
    with pytest.raises(TypeError, match=message):
        call(sb.game("connect4"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8", "position '8' at its move 1: move '8' is not legal here; legal moves: a1"),
        ("44444444", "at its move 7: move '4' is not legal here; legal moves: a1 b1 c1 e1"),
        ("12121212", r"at its move 8: move '2' cannot be played: the game is over \(four"),
        ("44 53", "at its move 3: move '' is not legal"),
    ],
)
def test_messages_about_moves_in_positions(text, message):
    with pytest.raises(sb.NotationError, match=message):
        sb.game("connect4").state(text)


def test_impossible_yavalath_positions():
    game = sb.game("yavalath")
    empty = [5, 6, 7, 8, 9, 8, 7, 6, 5]

    def board(rows, side):
        lines = ["." * n for n in empty]
        for index, line in rows.items():
            lines[index] = line.ljust(empty[index], ".")
        return f"{'/'.join(lines)} {side}"

    with pytest.raises(sb.NotationError, match="no last stone explains"):
        game.state(board({0: "xxx", 2: "xxx", 4: "oo.oo.o", 6: "o"}, "o"))
    with pytest.raises(sb.NotationError, match="a four and a three"):
        game.state(board({0: "xxxx", 2: "ooo", 4: "o"}, "x"))
    won = game.state(board({0: "xxxx", 2: "oo.o"}, "o"))
    assert won.outcome.winner == 0


def test_threads_that_make_the_same_game_get_the_same_one():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for rows, columns, inarow in product(range(5, 9), range(5, 9), (3, 4)):
            barrier = threading.Barrier(4)

            spec = f"connect4:rows={rows},columns={columns},inarow={inarow}"

            def make(spec=spec, barrier=barrier):
                barrier.wait()
                return sb.game(spec)

            with ThreadPoolExecutor(4) as pool:
                made = [each.result() for each in [pool.submit(make) for _ in range(4)]]
            assert len({id(each) for each in made}) == 1
    finally:
        sys.setswitchinterval(interval)
