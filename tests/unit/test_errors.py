"""Bad input: one clear sentence, exit code 2, no traceback."""

import os
import subprocess
import sys

import pytest

import spielbaum as sb
from helpers import check_message

BAD_SPECS = [
    "nosuch",
    "",
    "connect4:rows=99",
    "connect4:rows=1",
    "connect4:rows=-6",
    "connect4:rows=six",
    "connect4:rows=6.0",
    "connect4:rows=99999999999999999999999",
    "connect4:rows=",
    "connect4:rows",
    "connect4:=6",
    "connect4:height=6",
    "connect4:rows=6,rows=7",
    "connect4:inarow=1",
    "connect4:rows=16,columns=16",  # 17 * 16 bits are more than 128
    "reversi:size=7",
    "reversi:size=2",
    "reversi:size=12",
    "yavalath:players=4",
    "yavalath:players=1",
    "yavalath:swap=maybe",
    "chess:rows=8",
    "tictactoe:size=4",
]


@pytest.mark.parametrize("spec", BAD_SPECS)
def test_bad_game_specs(spec):
    with pytest.raises(sb.SpecError) as caught:
        sb.game(spec)
    check_message(caught.value, spec)


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("connect4:rows=99", ["rows", "99", "16"]),  # the option, the value, the limit
        ("nosuch", ["nosuch", "connect4"]),  # the name, and what there is
        ("conect4", ["conect4", "connect4"]),
        ("connect4:height=6", ["height", "rows"]),
        ("yavalath:swap=maybe", ["swap", "maybe", "on", "off"]),
        ("connect4:rows=16,columns=16", ["128"]),
    ],
)
def test_messages_name_the_problem(spec, named):
    with pytest.raises(sb.SpecError) as caught:
        sb.game(spec)
    for word in named:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"rows": 99}, {"rows": 2**70}, {"rows": 6.5}, {"rows": None}, {"rows": True}, {"hight": 6}],
)
def test_bad_game_options(options):
    with pytest.raises(sb.SpecError) as caught:
        sb.game("connect4", **options)
    check_message(caught.value)


def test_the_errors_are_value_errors():
    assert issubclass(sb.SpecError, ValueError)
    assert issubclass(sb.NotationError, ValueError)
    assert issubclass(sb.IllegalMove, ValueError)


def run(*arguments):
    command = [sys.executable, "-m", "spielbaum", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["perft", "chess", "--depth", "x"], "x"),
        (["perft", "chess", "--depth", "-1"], "-1"),
        (["perft", "nosuch", "--depth", "2"], "nosuch"),
        (["perft", "connect4:rows=99", "--depth", "2"], "99"),
        (["show", "nosuch", "4453"], "nosuch"),
        (["show", "connect4", "4459"], "9"),
        (["show", "chess", "rubbish"], "rubbish"),
        (["show", "chess", os.fsdecode(b"\xff")], ""),  # bytes that are no text
        (["play", "nosuch"], "nosuch"),
        (["nosuchcommand"], "nosuchcommand"),
        (["games", "--nosuchoption"], "nosuchoption"),
    ],
)
def test_commands_with_bad_input(arguments, named):
    result = run(*arguments)
    assert result.returncode == 2, result.stderr
    assert "Traceback" not in result.stderr + result.stdout
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert named in result.stderr
    assert result.stdout == ""


def test_a_good_command_is_quiet_on_stderr():
    result = run("perft", "tictactoe", "--depth", "5")
    assert result.returncode == 0
    assert result.stderr == ""
    assert "15120" in result.stdout.replace(",", "").replace("_", "")
