"""Nine Men's Morris in Python: its rules against OpenSpiel's, and all that it declares in use."""

import importlib
import random

import numpy as np
import pyspiel
import pytest

import spielbaum as sb
from learning import ntuple_training
from spielbaum.models.ntuple_file import load_network
from spielbaum.testing import check_game
from spielbaum.train.methods.ntuple.config import read_config

TURNS = 200
"""OpenSpiel calls a game a draw at this turn; we do not."""
POINTS = 24


@pytest.fixture(scope="module")
def board():
    """The module, which registers the game: not before a test needs it."""
    return importlib.import_module("examples.morris")


@pytest.fixture(scope="module")
def morris(board):
    return sb.game("morris")


def test_the_board(board):
    assert len(board.MILLS) == len(set(board.MILLS)) == 16
    assert sum(map(len, board.NEIGHBOURS)) == 2 * 32
    assert len(set(board.IMAGES)) == 16
    for image in board.IMAGES:
        moved = {sum(1 << image[i] for i in board.points_of(mill)) for mill in board.MILLS}
        assert moved == set(board.MILLS)


def test_laws(morris):
    assert check_game("morris:quiet=15", games=1, alternates=False) > 20
    assert check_game("morris:flying=off,quiet=10", games=1, alternates=False) > 20


def test_rules_are_those_of_open_spiel(board):
    """Actions have the same numbers. OpenSpiel knows no repetition, and ends a game at turn 200."""
    rules = board.Morris(flying=True, quiet=100)
    rng = random.Random(3)
    reasons = set()
    for _ in range(40):
        theirs = pyspiel.load_game("nine_mens_morris").new_initial_state()
        ours = rules.initial()
        while not theirs.is_terminal():
            assert rules.outcome(ours) is None
            assert rules.to_move(ours) == theirs.current_player()
            moves = rules.legal_moves(ours)
            assert sorted(moves) == sorted(theirs.legal_actions())
            assert len(moves) <= rules.max_moves
            action = rng.choice(moves)
            theirs.apply_action(action)
            ours = rules.play(ours, action)
        outcome = rules.outcome(ours)
        if outcome is None:
            assert theirs.returns() == [0, 0]
            assert theirs.move_number() >= TURNS
        else:
            assert tuple(theirs.returns()) == outcome.rewards
            reasons.add(outcome.reason)
    assert reasons == {"two men left"}


def test_a_mill_removes_a_man(morris):
    state = morris.state("a7 d6 d7 b4 g7")
    assert state.to_move == 0  # the same side again
    assert [state.text(move) for move in state.legal_moves] == ["xd6", "xb4"]
    after = state.play("xd6")
    assert after.to_move == 1
    assert after.cells[4] == 0


def test_men_in_mills_are_safe_unless_all_are(morris):
    safe = morris.state("xxx......ooo..o......... 6 5 x!")
    assert [safe.text(move) for move in safe.legal_moves] == ["xg4"]
    none = morris.state("xxx......ooo............ 6 6 x!")
    assert [none.text(move) for move in none.legal_moves] == ["xa4", "xb4", "xc4"]


def test_three_men_fly_if_they_may(morris):
    position = "x.xooo...o........x..... 0 0 x"
    assert len(morris.state(position).legal_moves) == 3 * (POINTS - 7)
    walking = sb.game("morris:flying=off").state(position)
    texts = {walking.text(move) for move in walking.legal_moves}
    assert texts == {"a7-d7", "g7-d7", "g7-g4", "b2-b4", "b2-d2"}


def test_a_side_without_a_move_loses(morris):
    blocked = morris.state("xxx.o....o....o......xo. 0 0 x")
    assert blocked.outcome == sb.Outcome((-1.0, 1.0), 1, "no move left")
    assert morris.state("xxx.o....o....o......xo. 0 0 o").outcome is None
    assert morris.state("xx.o.oo................. 0 0 x").outcome.reason == "two men left"


SHUFFLE = "x.oo.x............xox..o 0 0 x"
CYCLE = ("a7-a4", "g7-g4", "a4-a7", "g4-g7")


def played(state, moves):
    for move in moves:
        state = state.play(move)
    return state


def test_the_third_occurrence_of_a_position_is_a_draw(morris):
    start = morris.state(SHUFFLE)
    again = played(start, CYCLE)
    assert again.key == start.key
    assert again != start  # it has occurred once before
    assert again.outcome is None
    third = played(again, CYCLE)
    assert third.outcome == sb.Outcome((0.0, 0.0), None, "threefold repetition")
    assert third.legal_moves == ()
    other = played(played(start, CYCLE), ("a7-a4", "g7-g4", "a4-a7", "d2-d1"))
    assert other.outcome is None


def test_an_image_keeps_its_clock_and_its_repeats_as_text(morris):
    image = played(morris.state(SHUFFLE), CYCLE).image(1)
    assert image.notation.endswith(" 0 0 x @4x1")
    assert morris.state(image.notation) == image
    for text in ("@", "@x1", "@4x3", "@-1", "@4x"):
        with pytest.raises(sb.NotationError, match="expected plies from 0 to 65535"):
            morris.state(f"{SHUFFLE} {text}")


def test_quiet_plies_are_a_draw(morris):
    state = sb.game("morris:quiet=10").state(f"{SHUFFLE} @9")
    assert state.outcome is None
    assert state.play("a7-a4").outcome == sb.Outcome((0.0, 0.0), None, "no progress")
    assert sb.game("morris").state(f"{SHUFFLE} @9").play("a7-a4").outcome is None


def test_searches_see_draws_by_repetition(morris):
    """After one cycle, going on with it is worth nothing to either side."""
    state = played(played(morris.state(SHUFFLE), CYCLE), CYCLE[:3])
    found = sb.agent("alphabeta:analyse=on").choose(state, sb.Budget(depth=1))
    values = {state.text(each.move): each.value for each in found.moves}
    assert values["g4-g7"] == 0.0
    assert any(value != 0.0 for value in values.values())


def test_the_evaluation_is_used(morris):
    ahead = morris.state("xxx.o....o....o......x.. 0 0 o")
    budget = sb.Budget(depth=1)
    assert sb.agent("alphabeta").choose(ahead, budget).value < -0.1
    assert sb.agent("alphabeta:eval=none").choose(ahead, budget).value == 0.0
    cut = sb.agent("mcts:cut=0,seed=1").choose(ahead, sb.Budget(iterations=100))
    assert cut.value < -0.1


def test_the_board_is_drawn(morris):
    state = morris.state("a7 d6")
    assert str(state).splitlines() == [
        "7  x-----.-----.",
        "6  | .---o---. |",
        "5  | | .-.-. | |",
        "4  .-.-.   .-.-.",
        "3  | | .-.-. | |",
        "2  | .---.---. |",
        "1  .-----.-----.",
        "   a b c d e f g",
        "in hand: x 8, o 8",
        "player 1 to move",
    ]
    drawn = state.svg()
    assert drawn.count('class="cell"') == POINTS
    assert drawn.count('class="stone"') == 2
    assert morris.face.cell_name(morris, 4) == "d6"


@pytest.mark.parametrize(
    "text",
    [
        "xx 0 0 x",
        "z" * 24 + " 0 0 x",
        "." * 24 + " 9 9 z",
        "x" * 24 + " 9 9 x",
        "." * 24 + " 9 9 x!",
    ],
)
def test_wrong_positions_are_refused(morris, text):
    with pytest.raises(sb.NotationError):
        morris.state(text)


def test_an_ntuple_network_learns_from_a_few_games(morris, tmp_path):
    written = {
        "game": "morris:quiet=20",
        "games": 20,
        "network": {"tuples": [{"number": 4, "length": 4}]},
        "measure": {"every": 0, "games": 2, "opponents": ["random"]},
    }
    training = ntuple_training(read_config(written), 1, tmp_path)
    rows = training.run()
    assert rows[-1].games == 20
    network = load_network(tmp_path / "last.npz")
    assert network.contents == 4
    assert np.abs(network.weights).sum() > 0
    position = network.game.state("a7 d6 d7 b4 g7")
    for index in range(1, 16):
        assert network.values(position.image(index)) == pytest.approx(network.values(position))
