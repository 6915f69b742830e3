"""The conformance laws on every registered game, with random parameters."""

import ast
import math
import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import spielbaum as sb
from cyclic_games import Token
from spielbaum.games.game import declared_options, native_games
from spielbaum.testing import LawBroken, check_game


def values_of(option):
    """Any value within the limits that an option declares."""
    if option.choices:
        return st.sampled_from(option.choices)
    if isinstance(option.default, bool):
        return st.booleans()
    if isinstance(option.default, str):  # a map; random games on large ones take long
        return st.sampled_from(("othello8x8", "map5", "map11", "map20", "map31", "map34", "map52"))
    return st.integers(option.low, option.high)


def options_of(name):
    return st.fixed_dictionaries({each.name: values_of(each) for each in declared_options(name)})


@pytest.mark.parametrize("name", native_games())
def test_native_games(name):
    examples = 2 if name == "chess" else 25

    @settings(max_examples=examples, deadline=None)
    @given(options=options_of(name), seed=st.integers(0, 2**32))
    def check(options, seed):
        try:
            rules = sb.game(name, **options)
        except sb.SpecError:  # some values within the limits do not go together
            reject()
        alternates = None if rules.num_players > 2 or rules.can_disqualify else True
        assert check_game(str(rules), games=1, seed=seed, alternates=alternates) > 0

    check()


def test_turns_are_skipped_with_three_players():
    check_game("yavalath:players=3", games=10, alternates=False)


class Broken(sb.PythonGame):
    """A game of three moves that each subclass breaks in one way."""

    name = "broken"
    num_actions = 2

    def initial(self):
        return ()

    def to_move(self, state):
        return len(state) % 2

    def legal_moves(self, state):
        return [0, 1]

    def play(self, state, action):
        return (*state, action)

    def outcome(self, state):
        return sb.Outcome.win(sum(state) % 2) if len(state) == 3 else None

    def key(self, state):
        return bytes(state)


def breakage(law, **members):
    return pytest.param(type("Breakage", (Broken,), members), law, id=law)


@pytest.mark.parametrize(
    ("kind", "law"),
    [
        breakage("legal moves are different", legal_moves=lambda self, s: [1, 1]),
        breakage("texts of moves are different", text=lambda self, s, a: "move"),
        breakage(
            "a symmetry permutes",
            num_symmetries=2,
            transform_action=lambda self, a, i: a // (i + 1),
        ),
        breakage(
            "symmetries map legal moves",
            num_symmetries=2,
            legal_moves=lambda self, s: [0] if s == () else [1],
            transform_action=lambda self, a, i: a ^ i,
        ),
        breakage(
            "different positions have different keys",
            key=lambda self, s: 7,
        ),
        breakage(
            "planes partition",
            plane_shape=(1, 1, 1),
            partition_planes=1,
            planes=lambda self, s: __import__("numpy").full((1, 1, 1), len(s), dtype="float32"),
        ),
        breakage(
            "contents are below num_contents",
            num_cells=2,
            num_contents=2,
            contents=lambda self, s: (len(s), 0),
            neighbours=lambda self, cell: [1 - cell],
        ),
        breakage(
            "evaluations are from -1 to 1",
            evaluate=lambda self, s: float(len(s)),
        ),
        breakage(
            "an outcome has a reason",
            outcome=lambda self, s: sb.Outcome.draw(reason="") if len(s) == 3 else None,
        ),
        breakage("not over after", outcome=lambda self, s: None),
    ],
)
def test_a_broken_law_is_found(kind, law):
    sb.register_game(kind, replace=True)
    with pytest.raises(LawBroken, match=law):
        check_game("broken", games=4, max_plies=50)


def test_moves_that_can_be_undone_are_not_irreversible():
    class Line(Token):
        name = "broken"
        repetition = True

    sb.register_game(type("Wrong", (Line,), {"irreversible": lambda *_: True}), replace=True)
    law = "no position comes again after an irreversible move; see ''\n.4, 0"  # and both are drawn
    with pytest.raises(LawBroken, match=law):
        check_game("broken", games=4)
    sb.register_game(Line, replace=True)
    check_game("broken", games=4)


def test_broken_symmetries_show_both_positions():
    members = {
        "num_symmetries": 2,
        "num_cells": 2,
        "num_contents": 2,
        "transform": lambda self, s, i: s,
        "contents": lambda self, s: (len(s) % 2, 0),
        "neighbours": lambda self, cell: [1 - cell],
        "transform_cell": lambda self, cell, i: cell ^ i,
        "split_moves": lambda self, text: None if text.startswith("(") else text.split(),
        "parse_state": lambda self, text: ast.literal_eval(text),
    }
    sb.register_game(type("Wrong", (Broken,), members), replace=True)
    law = r"broken at '[01]': symmetry 1 moves contents of cells; see '\([01],\)'\n"
    with pytest.raises(LawBroken, match=law):
        check_game("broken", games=1)
    members["contents"] = lambda self, s: (len(s) % 2, len(s) % 2)
    sb.register_game(type("Right", (Broken,), members), replace=True)
    check_game("broken", games=1)
    members["evaluate"] = lambda self, s: 0.5 if s else math.nan
    sb.register_game(type("Wrong", (Broken,), members), replace=True)
    with pytest.raises(LawBroken, match="evaluations are from -1 to 1"):
        check_game("broken", games=1)


def test_the_unbroken_game_passes():
    sb.register_game(Broken, replace=True)
    assert check_game("broken", games=4, alternates=True) == 16
    with pytest.raises(LawBroken, match="alternates=False"):
        check_game("broken", games=4, alternates=False)


def test_exceptions_of_a_python_game_propagate_unchanged():
    class Trap(Broken):
        def play(self, state, action):
            raise ZeroDivisionError("my own mistake")

    sb.register_game(Trap, replace=True)
    with pytest.raises(ZeroDivisionError, match="my own mistake"):
        sb.game("broken").initial().play(0)
    with pytest.raises(ZeroDivisionError, match="my own mistake"):
        sb.perft(sb.game("broken").initial(), 2)


def test_states_of_python_games_pickle():
    sb.register_game(Broken, replace=True)
    state = sb.game("broken").state("1 0")
    assert pickle.loads(pickle.dumps(state)) == state
    assert state.notation == "1 0"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"legal_moves": lambda self, s: ["a"]},
            r"legal_moves\(\) gave 'a', which is of the wrong",
        ),
        ({"legal_moves": lambda self, s: [2]}, r"legal_moves\(\) gave 2; expected a number from 0"),
        ({"legal_moves": lambda self, s: []}, r"legal_moves\(\) is empty, but outcome"),
        ({"to_move": lambda self, s: "x"}, r"to_move\(\) gave 'x'"),
        ({"to_move": lambda self, s: 5}, r"to_move\(\) gave 5; expected a number from 0 to 1"),
        ({"text": lambda self, s, a: 3}, r"text\(\) gave 3"),
        ({"key": lambda self, s: 1.5}, r"key\(\) must return an int or bytes"),
        ({"outcome": lambda self, s: sb.Outcome((float("nan"), 0.0), None, "x")}, "reward nan"),
        ({"outcome": lambda self, s: sb.Outcome((1.0, 0.0), 0, "x")}, "sum to 1.0"),
        ({"outcome": lambda self, s: sb.Outcome((0.0,), None, "x")}, "1 rewards for 2 players"),
        ({"outcome": lambda self, s: 3}, r"outcome\(\).rewards gave 3"),
        ({"num_players": 1}, "num_players is 1; expected a number from 2 to 8"),
        ({"num_actions": 70000}, "num_actions is 70000"),
        ({"clock_limit": -1}, "clock_limit is -1; expected a number from 0"),
        ({"num_contents": 3}, "num_contents is set, but num_cells is 0"),
        (
            {"num_contents": 3, "num_cells": 2, "neighbours": lambda self, cell: [1]},
            r"neighbours\(\) lead from cell 1 to 1 of 2 cells; expected all",
        ),
        (
            {"num_contents": 3, "num_cells": 2, "neighbours": lambda self, cell: [2]},
            r"neighbours\(\) gave 2; expected a number from 0 to 1",
        ),
        (
            {"repetition": True, "irreversible": lambda self, s, a: "no"},
            r"irreversible\(\) gave 'no'",
        ),
    ],
)
def test_wrong_answers_of_a_python_game_are_named(members, message):
    sb.register_game(type("Wrong", (Broken,), members), replace=True)
    with pytest.raises((TypeError, ValueError), match=message):
        check_game("broken", games=1)


def test_a_ranking_has_the_best_as_its_winner():
    rewards = (-0.5, 0.75, -0.25)
    members = {
        "num_players": 3,
        "to_move": lambda self, s: len(s) % 3,
        "outcome": lambda self, s: sb.Outcome(rewards, 1, "ranked") if len(s) == 3 else None,
    }
    sb.register_game(type("Ranked", (Broken,), members), replace=True)
    assert sb.game("broken").state("0 0 0").outcome == sb.Outcome(rewards, 1, "ranked")


def test_a_replaced_game_is_another_game():
    sb.register_game(type("Old", (Broken,), {}), replace=True)
    old = sb.game("broken")
    sb.register_game(type("New", (Broken,), {}), replace=True)
    assert old != sb.game("broken")
    assert old.initial() != sb.game("broken").initial()


def test_a_script_with_a_python_game_leaves_nothing_behind():
    script = """
import gc, weakref
import spielbaum as sb

class Mine(sb.PythonGame):
    name = "mine"
    num_actions = 2
    def __init__(self): self.start = None
    def initial(self): return ()
    def to_move(self, s): return len(s) % 2
    def legal_moves(self, s): return [0, 1]
    def play(self, s, a): return (*s, a)
    def outcome(self, s): return sb.Outcome.win(0) if len(s) == 3 else None
    def key(self, s): return bytes(s)

sb.register_game(Mine)
game = sb.game("mine")
game._python.start = game.initial()   # a circle through the game's own start
state = game.state("0 1")
watch = weakref.ref(game._python)
sb.register_game(type("Other", (Mine,), {}), replace=True)
held = sb.game("mine").initial()
del game, state
gc.collect()
assert watch() is None
"""
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "SPIELBAUM_LEAK_WARNINGS": "1"},
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
