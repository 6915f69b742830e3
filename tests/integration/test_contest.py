"""The commands match, tournament and sweep, as a person types them."""

import io
import json
import re
import subprocess
import sys

import pytest

from spielbaum.cli.main import run


@pytest.fixture
def typed(capsys):
    """Run a command; its exit code and what it printed."""

    def call(*arguments):
        code = run([*arguments, "--jobs", "1"])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_a_match(typed):
    code, out, err = typed("match", "tictactoe", "perfect", "random", "--games", "6")
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert rows[1][:2] == ["perfect", "6"]
    assert rows[1][4] == "0"  # never loses
    assert "6 games, " in out
    assert "copies of another one" in out


def test_an_agent_against_itself(typed, tmp_path, capsys):
    file = str(tmp_path / "games.db")
    code, out, err = typed(
        *("match", "tictactoe", "random", "random", "--games", "40", "--store", file),
        *("--openings", "random:1"),
    )
    assert (code, err) == (0, "")
    assert re.search(r"^random +40 ", out, re.MULTILINE)
    assert re.search(r"^random \(2\) +40 ", out, re.MULTILINE)
    assert "9 different openings, each played 4 to 6 times.\n" in out
    for form, wanted in (
        ("markdown", "| `random (2)` |"),
        ("markdown", "\n9 different openings, each played 4 to 6 times.\n"),
        ("csv", "random (2) | random"),
        ("pgn", '[Player1 "random (2)"]'),
        ("json", '"copy": 2'),
    ):
        assert run(["report", file, "--format", form]) == 0
        assert wanted in capsys.readouterr().out


def test_a_tournament_and_a_sweep(typed):
    code, out, _ = typed(
        *("tournament", "tictactoe", "uct:c={0.5,1}", "random"),
        *("--games", "2", "--iterations", "20"),
    )
    assert code == 0
    assert re.search(r"uct:c=0.5 .* 4 ", out)
    assert "6 games" in out
    code, out, _ = typed(
        *("sweep", "tictactoe", "uct:c={0.5,1},seed={1,2}", "--against", "random"),
        *("--games", "2", "--iterations", "20"),
    )
    assert code == 0
    assert "8 games" in out
    assert "uct:c=1,seed=2" in out or "uct:c=1.0,seed=2" in out


def test_three_players(typed):
    code, out, _ = typed(
        *("match", "yavalath:players=3", "uct", "rave", "random"),
        *("--games", "3", "--iterations", "10"),
    )
    assert code == 0
    assert "3 games" in out


def test_a_stored_match_goes_on(typed, tmp_path):
    command = ("match", "tictactoe", "uct", "random", "--iterations", "20", "--games", "4")
    command += ("--store", str(tmp_path / "games.db"), "--name", "mine")
    assert typed(*command)[0] == 0
    code, out, _ = typed(*command)
    assert code == 0
    assert "4 games were in the store already" in out
    code, _, err = typed(*command[:-2], "--name", "mine", "--seed", "5")
    assert code == 2
    assert "the run 'mine' has another plan" in err


def test_agents_with_limits_of_their_own(typed):
    limits = "iterations=300/iterations=2"
    code, out, _ = typed("match", "tictactoe", "uct", "uct", "--limits", limits, "--games", "20")
    assert code == 0
    first, second = (out.index(f"iterations={count})") for count in (300, 2))
    assert first < second  # the better one comes first


def test_sprt_ends_a_match_early(typed):
    command = ("match", "tictactoe", "perfect", "random", "--games", "400")
    code, out, _ = typed(*command, "--sprt", "0,100")
    assert code == 0
    assert "accept H1" in out
    assert int(re.search(r"([\d,]+) games, ", out)[1].replace(",", "")) < 400


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "uct"], "1 agents: expected at least 2 for tictactoe"),
        (["tictactoe", "uct", "utc"], "did you mean uct?"),
        (["tictactoe", "uct", "rave", "--games", "0"], "games=0"),
        (["tictactoe", "uct", "rave", "--openings", "x"], "openings 'x': expected empty"),
        (["tictactoe", "uct", "rave", "--sprt", "5"], "expected two Elo differences"),
        (["tictactoe", "uct", "rave", "lgr", "--sprt", "0,5"], "it compares two agents, not 3"),
        (
            ["tictactoe", "uct", "rave", "--limits", "seconds=1", "--iterations", "5"],
            "--limits 'seconds=1' and --iterations: expected one of them",
        ),
        (
            ["tictactoe", "uct", "rave", "--relative", "9", "--depth", "5"],
            "--relative 9: expected no other limits",
        ),
        (["tictactoe", "uct", "rave", "--limits", "hours=1"], "limit 'hours=1': expected"),
        (
            ["tictactoe", "uct", "rave", "--limits", "depth=1/depth=2/depth=3"],
            "or of each of the 2",
        ),
        (["tictactoe", "uct", "rave", "--limits", "depth=1/hours=2"], "limit 'hours=2': expected"),
        (["tictactoe", "uct", "rave", "--limits", "depth=1/"], "or of each of the 2"),
        (["tictactoe", "uct", "net:connect4"], "the network is for connect4, not for tictactoe"),
        (["tictactoe", "uct", "lgr:eval=net:connect4"], "is for connect4, not for tictactoe"),
        (["tictactoe", "uct", "rave", "--openings", "random:9"], "are over or decided by then"),
        (["tictactoe", "uct", "rave", "--store", "/nowhere/x.db"], "unable to open database"),
    ],
)
def test_mistakes_are_one_line(typed, arguments, message):
    code, out, err = typed("match", *arguments)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert out == ""


def test_relative_iterations(typed):
    code, out, _ = typed("match", "tictactoe", "uct", "rave", "--games", "2", "--relative", "50")
    assert code == 0
    assert "2 games" in out


def test_report_and_replay(typed, tmp_path, capsys, monkeypatch):
    store = str(tmp_path / "games.db")
    typed(
        "match",
        "tictactoe",
        "uct",
        "random",
        "--iterations",
        "20",
        "--games",
        "4",
        "--store",
        store,
    )
    assert run(["report", store]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert "`uct`" in "".join(lines)
    for form, start in (("csv", "number,group"), ("json", "["), ("pgn", "[Event")):
        assert run(["report", store, "--format", form]) == 0
        assert capsys.readouterr().out.startswith(start)
    assert run(["report", store, "--format", "csv", "-o", str(tmp_path / "a.csv")]) == 0
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 5
    monkeypatch.setattr("sys.stdin", io.StringIO("\n\nb\n99\nq\n"))
    assert run(["replay", store, "2"]) == 0
    out = capsys.readouterr().out
    assert "game 2 of tictactoe" in out
    assert "plies go to" in out
    for arguments, message in (
        (["report", "/nowhere.db"], "there is no such file"),
        (["report", store, "--name", "x"], "no run 'x'; there are match"),
        (["report", store, "--format", "xml"], "expected markdown, csv, json, book, ggf, pgn"),
        (["replay", store, "77"], "it has no game 77"),
    ):
        assert run(arguments) == 2
        assert message in capsys.readouterr().err


def test_evaluate(typed):
    code, out, _ = typed("evaluate", "tictactoe", "random", "--games", "3")
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert rows[1][:2] == ["random", "3"]
    assert rows[1][2] == "0"  # nobody wins against perfection
    assert "Measured against perfect:prefer=resist,among=equal" in out
    for against, said in (("perfect", "perfect:among=equal"), ("random:seed=1", "random:seed=1")):
        arguments = ("tictactoe", "random", "--games", "2", "--against", against)
        code, out, _ = typed("evaluate", *arguments)
        assert code == 0
        assert f"Measured against {said}," in out
    code, out, _ = typed(
        *("evaluate", "connect4", "alphabeta", "--positions", "8"),
        *("--plies", "30-31", "--limits", "depth=12"),
    )
    assert code == 0
    assert re.search(r"all +8 +100.0%", out)
    code, _, err = typed("evaluate", "connect4", "uct", "--positions", "8", "--plies", "9-x")
    assert code == 2
    assert "--plies '9-x': expected two numbers" in err


def test_limits_can_be_combined_and_results_read_by_programs(typed):
    command = ("match", "tictactoe", "uct", "random", "--games", "4", "--nodes", "50")
    code, out, _ = typed(*command, "--iterations", "20", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["games"] == 4
    assert {each["agent"]: each["games"] for each in found["agents"]} == {"uct": 4, "random": 4}
    code, out, _ = typed(
        *("evaluate", "tictactoe", "perfect", "--positions", "3", "--plies", "4-5", "--json")
    )
    assert code == 0
    assert [each["keeps"] for each in json.loads(out)] == [True] * 3


def test_agents_of_a_module(tmp_path):
    (tmp_path / "my_agents.py").write_text(
        "import spielbaum as sb\n"
        "class First(sb.Agent):\n"
        "    def choose(self, state, budget=None):\n"
        "        return sb.Decision(state.legal_moves[0])\n"
        "sb.register_agent('first-move', First, help='plays the first move')\n"
    )

    def call(module):
        command = [
            "match",
            "tictactoe",
            "first-move",
            "random",
            "--games",
            "2",
            "--jobs",
            "1",
            "--import",
        ]
        return subprocess.run(
            [sys.executable, "-P", "-m", "spielbaum", *command, module],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )

    done = call("my_agents")
    assert (done.returncode, done.stderr) == (0, "")
    assert "first-move" in done.stdout
    done = call("no_such_module")
    assert done.returncode == 2
    assert "module no_such_module cannot be imported: ModuleNotFoundError" in done.stderr
