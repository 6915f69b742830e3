"""Spec strings: grammar, options, defaults and errors."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielbaum.base import options as specs
from spielbaum.base.errors import SpecError
from spielbaum.base.options import (
    Option,
    OptionValue,
    check_name,
    did_you_mean,
    format_spec,
    parse_spec,
    resolve,
)

ROWS = Option("rows", 6, "rows of the board", low=2, high=16)
COLUMNS = Option("columns", 7, "columns of the board", low=2, high=16)
SWAP = Option("swap", False, "the second player may swap")
PLAYERS = Option("players", 2, choices=(2, 3))
EXPLORE = Option("c", 1.4, low=0)
PLAYOUT = Option("playout", "random", choices=("random", "lgr", "mast"))
WEIGHTS = Option("weights", "")
ALL = (ROWS, COLUMNS, SWAP, PLAYERS, EXPLORE, PLAYOUT, WEIGHTS)


def one_sentence(error: BaseException) -> str:
    """The text of an error, after checking that it is a single readable line."""
    text = str(error)
    assert text
    assert "\n" not in text
    assert len(text) < 300
    return text


def test_examples_in_the_module() -> None:
    assert doctest.testmod(specs).failed == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("chess", ("chess", {})),
        ("  chess ", ("chess", {})),
        ("connect4:rows=6", ("connect4", {"rows": "6"})),
        ("connect4: rows = 6 , columns=9", ("connect4", {"rows": "6", "columns": "9"})),
        ("net:weights=models/a-b.onnx", ("net", {"weights": "models/a-b.onnx"})),
        ("search:inner=mcts:fast", ("search", {"inner": "mcts:fast"})),
        ("net:models/a-b.onnx, c=2", ("net", {"": "models/a-b.onnx", "c": "2"})),
    ],
)
def test_parse_spec(text: str, expected: tuple[str, dict[str, str]]) -> None:
    assert parse_spec(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", ":", "4connect", "Chess", "chess:", "chess:a=1,rows", "chess:=3", "chess:a=", "chess:a=1,",
     "chess:a=1,,b=2", "chess:a=1=2", "chess:a=1,a=2", "two words", "chess:A=1", "sch\u00e4ch",
     "\x00", "a" * 500 + "!", "chess:a=" + "=" * 500],
)  # fmt: skip
def test_bad_grammar_is_one_sentence(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert "spec" in one_sentence(caught.value)


def test_a_spec_must_be_text() -> None:
    with pytest.raises(SpecError, match="expected a text"):
        parse_spec(7)  # type: ignore[arg-type]


@given(st.text())
def test_rubbish_gives_a_spec_error_or_parses(text: str) -> None:
    try:
        name, options = parse_spec(text)
    except SpecError as error:
        one_sentence(error)
        return
    written = name + (":" if options else "")
    written += ",".join(f"{key}={value}" for key, value in options.items())
    assert parse_spec(written) == (name, options)


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (ROWS, "2", 2),
        (ROWS, " 16 ", 16),
        (ROWS, "+7", 7),
        (SWAP, "on", True),
        (SWAP, "OFF", False),
        (SWAP, "true", True),
        (SWAP, "no", False),
        (PLAYERS, "3", 3),
        (EXPLORE, "0", 0.0),
        (EXPLORE, "1e-3", 0.001),
        (PLAYOUT, "mast", "mast"),
        (WEIGHTS, "dir/file.npz", "dir/file.npz"),
    ],
)
def test_option_parse(option: Option, text: str, value: OptionValue) -> None:
    parsed = option.parse(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("option", "text", "expected"),
    [
        (ROWS, "1", "a whole number from 2 to 16"),
        (ROWS, "99", "a whole number from 2 to 16"),
        (ROWS, "6.0", "a whole number from 2 to 16"),
        (ROWS, "x", "a whole number from 2 to 16"),
        (ROWS, "", "a whole number from 2 to 16"),
        (ROWS, "1_0", "a whole number from 2 to 16"),
        (ROWS, "\u0667", "a whole number from 2 to 16"),
        (ROWS, "9" * 5000, "a whole number from 2 to 16"),
        (SWAP, "1", "on or off"),
        (SWAP, "maybe", "on or off"),
        (PLAYERS, "4", "2 or 3"),
        (EXPLORE, "-0.5", "a number of at least 0"),
        (EXPLORE, "nan", "a number of at least 0"),
        (EXPLORE, "inf", "a number of at least 0"),
        (EXPLORE, "1_0.5", "a number of at least 0"),
        (PLAYOUT, "uniform", "random, lgr or mast"),
        (WEIGHTS, "a\nb", "a text without ',' and '='"),
        (Option("x", 0.5, high=1), "2", "a number of at most 1"),
        (Option("x", 0.5, low=0.25, high=1), "0.1", "a number from 0.25 to 1"),
        (Option("n", 0), "one", "a whole number"),
    ],
)
def test_option_rejects(option: Option, text: str, expected: str) -> None:
    with pytest.raises(SpecError) as caught:
        option.parse(text)
    message = one_sentence(caught.value)
    assert message.startswith(f"option {option.name}=")
    assert message.endswith(f"expected {expected}")


@pytest.mark.parametrize(
    ("option", "value", "result"),
    [
        (ROWS, 8, 8),
        (ROWS, np.int64(8), 8),
        (EXPLORE, 2, 2.0),
        (EXPLORE, np.float32(0.5), 0.5),
        (EXPLORE, np.float64(0.5), 0.5),
        (EXPLORE, np.int32(3), 3.0),
        (SWAP, True, True),
        (WEIGHTS, "", ""),
    ],
)
def test_option_check(option: Option, value: object, result: OptionValue) -> None:
    checked = option.check(value)
    assert checked == result
    assert type(checked) is type(result)


@pytest.mark.parametrize(
    ("option", "value"),
    [(ROWS, True), (ROWS, 6.0), (ROWS, None), pytest.param(ROWS, 10**5000, id="huge"),
     (ROWS, np.array([6])), (SWAP, 1), (SWAP, 0), (SWAP, "on"), (EXPLORE, True),
     (EXPLORE, math.nan), (EXPLORE, 10**400), (EXPLORE, object()), (PLAYOUT, 3),
     (WEIGHTS, "a,b"), (WEIGHTS, " a"), (WEIGHTS, "a=b"),
     (Option("seed", 0), 2**63), (Option("word", "w"), "")],
)  # fmt: skip
def test_option_check_rejects(option: Option, value: object) -> None:
    with pytest.raises(SpecError) as caught:
        option.check(value)
    one_sentence(caught.value)


def test_a_declaration_is_checked_too() -> None:
    with pytest.raises(SpecError, match="rows=1: expected a whole number from 2 to 16"):
        Option("rows", 1, low=2, high=16)
    with pytest.raises(SpecError, match="option name 'Two Words'"):
        Option("Two Words", 1)


def test_resolve_fills_defaults_and_accepts_texts_and_values() -> None:
    given_options = {"swap": "on", "columns": 9, "c": 1}
    assert resolve("game", "demo", ALL, given_options) == {
        "rows": 6,
        "columns": 9,
        "swap": True,
        "players": 2,
        "c": 1.0,
        "playout": "random",
        "weights": "",
    }


def test_resolve_names_what_is_wrong() -> None:
    with pytest.raises(SpecError) as caught:
        resolve("game", "connect4", [ROWS, COLUMNS], {"colums": 9})
    assert one_sentence(caught.value) == (
        "game connect4 has no option 'colums' (did you mean columns?); "
        "its options are rows, columns"
    )
    with pytest.raises(SpecError, match="agent plain has no option 'x'; it has no options"):
        resolve("agent", "plain", [], {"x": 1})
    with pytest.raises(SpecError) as caught:
        resolve("game", "connect4", [ROWS], {"rows": 99})
    assert one_sentence(caught.value) == (
        "game connect4: option rows=99: expected a whole number from 2 to 16"
    )


def test_format_spec_is_canonical() -> None:
    defaults = resolve("game", "demo", ALL, {})
    assert format_spec("demo", ALL, defaults) == "demo"
    changed = {**defaults, "swap": True, "rows": 8, "c": 2.0}
    assert format_spec("demo", ALL, changed) == "demo:rows=8,swap=on,c=2"


@given(
    st.integers(2, 16),
    st.booleans(),
    st.sampled_from([2, 3]),
    st.floats(0, allow_nan=False, allow_infinity=False),
    st.sampled_from(["random", "lgr", "mast"]),
    st.text(st.characters(codec="ascii", exclude_characters=",=")).map(str.strip),
)
def test_every_spec_round_trips(
    rows: int, swap: bool, players: int, c: float, playout: str, weights: str
) -> None:
    values: dict[str, object] = {
        "rows": rows,
        "swap": swap,
        "players": players,
        "c": c,
        "playout": playout,
    }
    if weights and weights.isprintable():
        values["weights"] = weights
    resolved = resolve("agent", "demo", ALL, values)
    text = format_spec("demo", ALL, resolved)
    name, options = parse_spec(text)
    assert resolve("agent", name, ALL, options) == resolved


def test_names_for_registration() -> None:
    assert check_name("game", "tower_2") == "tower_2"
    for name in ("", "Two", "2two", "-a", "a:b", "a b"):
        with pytest.raises(SpecError, match="game name"):
            check_name("game", name)


def test_did_you_mean() -> None:
    assert did_you_mean("ches", ["chess", "reversi"]) == " (did you mean chess?)"
    assert did_you_mean("nosuch", ["chess", "reversi"]) == ""


def test_a_value_without_its_name() -> None:
    path = Option("path", "none", bare=True)
    values = resolve("agent", "net", [EXPLORE, path], {"": "a.npz", "c": "2"})
    assert values == {"c": 2.0, "path": "a.npz"}
    assert format_spec("net", [EXPLORE, path], values) == "net:a.npz,c=2"
    for written in ({"": "a.npz", "path": "b.npz"}, {"": "x" * 500}):
        options = [EXPLORE, path] if "path" in written else [EXPLORE]
        with pytest.raises(SpecError) as caught:
            resolve("agent", "net", options, written)
        one_sentence(caught.value)
