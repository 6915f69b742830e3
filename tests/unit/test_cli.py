"""The command line: what it prints, its exit codes, and that a mistake costs one clear line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

import spielbaum as sb
from commands import COMMAND, Cli, assert_one_clear_line, process
from spielbaum.base.discover import names
from spielbaum.base.imports import SHARED
from spielbaum.cli.commands.play import Session, fill_seats
from spielbaum.cli.main import COMMANDS, app
from spielbaum.cli.shared.output import board, rate
from spielbaum.models.ntuple import NTupleNetwork
from spielbaum.models.ntuple_file import save_network
from spielbaum.testing import bench
from timing import measures_time

# Mistakes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "connect4:rows=99"], ["rows=99", "from 2 to 16"]),
        (["show", "nosuch"], ["nosuch", "connect4"]),
        (["show", "conect4"], ["did you mean connect4?"]),
        (["show", "connect4:colums=9"], ["colums", "did you mean columns?"]),
        (["show", "connect4", "9"], ["9"]),
        (["show", "connect4", "--nonsense"], ["--nonsense"]),
        (["show", "chess", "not", "a", "fen"], []),
        (["show", "tictactoe", "--planes", "nosuch"], ["nosuch"]),
        (["show", "tictactoe", "--svg", "/no/such/folder/board.svg"], ["/no/such/folder"]),
        (["show"], ["Missing argument"]),
        (["perft", "chess", "--depth", "x"], ["depth=x", "whole number"]),
        (["perft", "chess", "--depth", "-1"], ["depth=-1"]),
        (["perft", "chess", "--depth"], ["--depth"]),
        (["perft", "chess", "--dpeth", "3"], ["--dpeth"]),
        (["play", "nosuch"], ["nosuch"]),
        (["play", "tictactoe", "--as", "3"], ["as=3", "from 1 to 2"]),
        (["play", "tictactoe", "--as", "me"], ["as=me"]),
        (["play", "tictactoe", "--seed", "-4"], ["seed=-4"]),
        (["play", "tictactoe", "--against", "stockfish"], ["stockfish", "human", "random"]),
        (["play", "tictactoe", "--against", "random:seed=x"], ["seed=x"]),
        (["play", "tictactoe", "--position", "b2 b2"], ["b2"]),
        (["play", "tictactoe", "--nonsense"], ["--nonsense"]),
        (["bench", "--seconds", "0"], ["seconds=0"]),
        (["bench", "--seconds", "soon"], ["seconds=soon"]),
        (["bench", "nosuch"], ["nosuch"]),
        (["nosuch"], ["nosuch"]),
        (["--nonsense"], ["--nonsense"]),
        (["games", "superfluous"], ["superfluous"]),
        (["agents", "mtcs"], ["mtcs", "did you mean mcts?"]),
        (["kaggle"], ["Missing command"]),
    ],
)
def test_a_mistake_costs_one_clear_line(cli: Cli, arguments: list[str], words: list[str]) -> None:
    assert_one_clear_line(cli(*arguments), *words)


def test_mistakes_in_a_process_of_its_own() -> None:
    assert_one_clear_line(process("perft", "chess", "--depth", "x"), "depth=x")
    assert_one_clear_line(process("show", "connect4:rows=99"), "rows=99")
    assert_one_clear_line(process("show", "connect4", "\udcff\udcfe"))


# Listing and showing


def test_without_a_command_there_is_help(cli: Cli) -> None:
    ran = cli()
    assert ran.code == 0
    for name in ("games", "agents", "kaggle", "show", "perft", "play", "bench"):
        assert name in ran.out
        assert cli(name, "--help").code == 0


def test_version(cli: Cli) -> None:
    assert re.fullmatch(r"spielbaum \d+\.\d+\.\S+\n", cli("--version").out)


def test_a_core_that_does_not_exist() -> None:
    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *command],
            env={**os.environ, "SPIELBAUM_CORE": "nosuch"},
            capture_output=True,
            text=True,
            check=False,
        )

    problem = "SPIELBAUM_CORE=nosuch: expected baseline or v3"
    command = run("-c", "import spielbaum_command; spielbaum_command.main()", "games")
    assert (command.returncode, command.stderr) == (2, f"spielbaum: {problem}\n")
    module = run("-m", "spielbaum", "games")
    assert module.returncode == 1
    assert module.stderr.count("\n") == 1
    assert problem in module.stderr
    library = run("-c", "import spielbaum")
    assert library.stderr.splitlines()[-1] == f"ImportError: {problem}"


def test_the_typer_application_itself() -> None:
    result = CliRunner().invoke(app, ["games"])
    assert result.exit_code == 0
    assert "connect4" in result.output


def test_games_lists_every_game_with_its_options(cli: Cli) -> None:
    ran = cli("games")
    assert ran.code == 0
    for name in sb.games():
        assert name in ran.out
        for option in sb.game(name).options:
            assert f"{option}=" in ran.out
    assert "4672" in ran.out


def test_agents_lists_every_agent(cli: Cli) -> None:
    ran = cli("agents")
    assert ran.code == 0
    for info in sb.agents():
        assert info.name in ran.out
        assert info.help in ran.out


@pytest.mark.parametrize("name", [info.name for info in sb.agents()])
def test_agents_shows_every_option_of_an_agent(cli: Cli, name: str) -> None:
    ran = cli("agents", name)
    assert ran.code == 0
    info = next(each for each in sb.agents() if each.name == name)
    rows = {cells[1]: cells[2:] for line in ran.out.splitlines() if (cells := cells_of(line))}
    for option in info.options:
        default, may_be, meaning = rows[option.name][:3]
        assert default == option.format(option.default)
        assert option.expected.startswith(may_be)
        assert option.help.startswith(meaning)
    assert ("It has no options" in ran.out) == (not info.options)


def cells_of(line: str) -> list[str]:
    """The cells of a row in a table; empty if it is none, or goes on with the row before."""
    cells = [cell.strip() for cell in line.split("│")]
    return cells if len(cells) > 2 and cells[1] else []


def test_agents_tells_how_a_preset_differs(cli: Cli) -> None:
    out = cli("agents", "mcts-gdk").out
    assert (
        "the same as mcts:select=uct,playout=gdk,c=0.7,final=select,solver=off,reuse=off\n" in out
    )
    assert "the same as" not in cli("agents", "mcts").out


def test_show_prints_everything_about_a_position(cli: Cli) -> None:
    state = sb.game("connect4").state("4453")
    out = cli("show", "connect4", "4453").out
    assert out.startswith(str(state))
    assert "notation  4453\n" in out
    assert f"key       {state.key:016x}\n" in out
    assert "to move   x\n" in out
    assert "7 legal moves: a1 b1 c2 d3 e2 f1 g1" in out


def test_show_prints_a_result(cli: Cli) -> None:
    out = cli("show", "tictactoe", "a1", "a2", "b1", "b2", "c1").out
    assert "outcome   x wins: three in a row (rewards +1, -1)" in out
    assert "legal moves" not in out


def test_a_position_may_need_no_quotes_and_begin_with_dashes(cli: Cli) -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert f"notation  {fen}\n" in cli("show", "chess", *fen.split()).out
    assert f"notation  {fen}\n" in cli("show", "chess", fen).out
    start = sb.game("reversi").initial().notation
    assert start.startswith("-")
    assert f"notation  {start}\n" in cli("show", "reversi", *start.split()).out
    assert cli("perft", "reversi", *start.split(), "--depth", "1").code == 0


def test_show_draws_and_encodes(cli: Cli, tmp_path: Path) -> None:
    picture = tmp_path / "board.svg"
    out = cli("show", "tictactoe", "b2", "--svg", str(picture), "--planes", "own").out
    assert picture.read_text().startswith("<svg")
    assert "plane 0" in out
    assert ". 1 ." in out


# Counting


def test_perft_by_depth(cli: Cli) -> None:
    out = cli("perft", "tictactoe", "--depth", "3").out
    counts = [line.split()[1] for line in out.splitlines()[1:]]
    assert counts == ["1", "9", "72", "504"]


def test_perft_of_a_position_divided(cli: Cli) -> None:
    out = cli("perft", "connect4", "4453", "--depth", "3", "--divide").out
    *moves, total = [line.split() for line in out.splitlines()]
    assert [move for move, _ in moves] == ["a1", "b1", "c2", "d3", "e2", "f1", "g1"]
    expected = sb.perft(sb.game("connect4").state("4453"), 3)
    assert total == ["total", f"{expected:,}"]
    assert sum(int(count.replace(",", "")) for _, count in moves) == expected


def test_perft_to_depth_zero_and_of_a_finished_game(cli: Cli) -> None:
    assert cli("perft", "tictactoe", "--depth", "0").out.splitlines()[1].split()[:2] == ["0", "1"]
    assert cli("perft", "tictactoe", "--depth", "0", "--divide").out.split() == ["total", "1"]
    finished = "a1 a2 b1 b2 c1"
    count = sb.perft(sb.game("tictactoe").state(finished), 2)
    out = cli("perft", "tictactoe", finished, "--depth", "2", "--divide").out
    assert out.split() == ["total", str(count)]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_perft_can_be_interrupted() -> None:
    with subprocess.Popen(
        [*COMMAND, "perft", "chess", "--depth", "20"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if line.strip().startswith("4"):
                break
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert err == "spielbaum: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_closed_pipe_is_quiet() -> None:
    with subprocess.Popen(
        [*COMMAND, "perft", "chess", "--depth", "99"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.stdout.close()
        running.wait(timeout=60)
        assert running.stderr is not None
        assert running.stderr.read() == ""


# Playing


def played(cli: Cli, *arguments: str, typed: str) -> str:
    """The transcript of a game that ends without a complaint."""
    ran = cli("play", *arguments, typed=typed)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def test_the_end_of_the_input_ends_the_game(cli: Cli) -> None:
    out = played(cli, "connect4", typed="")
    assert "to go on" not in out
    out = played(cli, "connect4", "--against", "human", typed="d1\nd2\n")
    assert "to go on: spielbaum play connect4 --against human --position 44\n" in out
    out = played(cli, "connect4:columns=9", "--as", "2", typed="")
    assert re.search(r"to go on: spielbaum play connect4:columns=9 --as 2 --position \d\n", out)


def test_to_go_on_needs_the_same_modules(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHARED, os.pathsep.join([os.getcwd(), "json"]))
    out = played(cli, "connect4", "--against", "human", typed="d1\n")
    assert "spielbaum play connect4 --against human --import json --position 4\n" in out


def test_an_opponent_that_fails_does_not_lose_the_game(cli: Cli) -> None:
    ran = cli("play", "chess", "--against", "uci:path=true", typed="e2e4\n")
    assert ran.code == 2
    assert "true ended before it said uciok" in ran.err
    assert "to go on: spielbaum play chess --against uci:path=true --position" in ran.out


@pytest.mark.parametrize("word", ["quit", "QUIT", "exit", "q"])
def test_quit(cli: Cli, word: str) -> None:
    out = played(cli, "tictactoe", "--against", "human", typed=f"b2\n{word}\na1\n")
    assert "x plays b2" in out
    assert "o plays" not in out


def test_two_people_play_to_the_end(cli: Cli) -> None:
    out = played(cli, "tictactoe", "--against", "human", typed="a1\na2\nb1\nb2\nc1\nquit\n")
    assert "x wins: three in a row" in out
    assert out.count("plays") == 5
    assert "to go on" not in out


def test_after_the_end_there_is_undo_and_new(cli: Cli) -> None:
    moves = "a1\na2\nb1\nb2\nc1\n"
    typed = moves + "c2\nmoves\nundo\nc2\nnotation\nnew\nnotation\nquit\n"
    out = played(cli, "tictactoe", "--against", "human", typed=typed)
    assert "game over> c2\nthe game is over: type undo, new or quit" in out
    assert "a1 a2 b1 b2 c2\n" in out


def test_undo_takes_the_answer_of_the_agent_back_too(cli: Cli) -> None:
    typed = "b2\nnotation\nundo\nnotation\nundo\nredo\nnotation\nredo\nquit\n"
    out = played(cli, "tictactoe", "--seed", "1", typed=typed)
    after_move, after_undo, after_redo = re.findall(r"> notation\n(.*)\n", out)
    assert re.fullmatch(r"b2 \w\d", after_move)
    assert after_undo == ""
    assert after_redo == after_move
    assert "there is no move of yours to take back" in out
    assert "there is nothing to play again" in out


def test_a_new_move_cuts_off_what_was_undone(cli: Cli) -> None:
    typed = "a1\na2\nundo\nb2\nredo\nnotation\nquit\n"
    out = played(cli, "tictactoe", "--against", "human", typed=typed)
    assert "there is nothing to play again" in out
    assert "notation\na1 b2\n" in out


def test_help_and_moves(cli: Cli) -> None:
    out = played(cli, "tictactoe", typed="help\n?\nmoves\nboard\n\n")
    for word in ("moves", "board", "notation", "undo", "redo", "new", "help", "quit"):
        assert len(re.findall(rf"^  {word} ", out, re.MULTILINE)) == 2
    assert "9 legal moves: a1 b1 c1 a2 b2 c2 a3 b3 c3" in out
    assert out.count("x to move") == 2


def test_rubbish_is_answered_and_the_game_goes_on() -> None:
    typed = b"rubbish\nb9\n\xff\xfe\n\x00\n" + b"x" * 10000 + b"\n-1\n99999999999999999999\nb2\n"
    ran = process("play", "tictactoe", "--against", "human", typed=typed)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("(type help for help)") == 7
    assert "x plays b2" in ran.out


def test_a_cell_that_is_taken(cli: Cli) -> None:
    out = played(cli, "tictactoe", "--against", "human", typed="b2\nb2\na1\n")
    assert re.search(r"o> b2\n.*b2.*\(type help for help\)", out)
    assert "o plays a1" in out


@pytest.mark.parametrize("game", ["tictactoe", "connect4:rows=4,columns=4", "reversi:size=4"])
def test_a_whole_game_against_random(game: str) -> None:
    transcript: list[str] = []
    session: Session

    def first_legal_move(prompt: str) -> str:
        state = session.state
        return "quit" if state.outcome is not None else state.text(state.legal_moves[0])

    start = sb.game(game).initial()
    seats = fill_seats(2, person=2, against="random", seed=11)
    session = Session(start, seats, first_legal_move, transcript.append)
    session.run()
    assert session.state.outcome is not None
    assert transcript[-1] == str(session.state)
    again: list[str] = []
    seats = fill_seats(2, person=2, against="random", seed=11)
    session = Session(start, seats, first_legal_move, again.append)
    session.run()
    assert again == transcript


def test_three_players(cli: Cli) -> None:
    out = played(cli, "yavalath:players=3", "--as", "2", "--seed", "4", typed="moves\nundo\n")
    assert re.match(r"(?s).*x plays \w\d.*o> moves\n60 legal moves", out)
    free = re.search(r"60 legal moves: (\w\d)", out)
    assert free is not None
    out = played(
        cli, "yavalath:players=3", "--as", "2", "--seed", "4", typed=f"{free[1]}\nundo\nnotation\n"
    )
    assert re.findall(r"(\w) plays", out) == ["x", "o", "z", "x"]
    notation = re.search(r"> notation\n(.*)\n", out)
    assert notation is not None
    assert len(notation[1].split()) == 1


def test_three_people(cli: Cli) -> None:
    typed = "e5\na1\ni5\nquit\n"
    out = played(cli, "yavalath:players=3", "--against", "human", typed=typed)
    assert re.findall(r"(\w) plays (\w\d)", out) == [("x", "e5"), ("o", "a1"), ("z", "i5")]


def test_a_position_to_begin_with(cli: Cli) -> None:
    start = sb.game("reversi").initial().notation
    out = played(cli, "reversi", "--position", start, "--against", "human", typed="d3\n")
    assert "X plays d3" in out
    command = re.search(r"--position (.*)\n", out)
    assert command is not None


def test_the_seed_of_the_agent_is_respected(cli: Cli) -> None:
    transcripts = {
        played(cli, "connect4", "--as", "2", "--against", "random:seed=9", typed="")
        for _ in range(3)
    }
    assert len(transcripts) == 1


# Measuring


def test_bench_prints_a_table_and_the_signature(cli: Cli) -> None:
    ran = cli("bench", "tictactoe", "connect4", "--seconds", "0.02")
    assert ran.code == 0
    assert "tictactoe" in ran.out
    assert "connect4" in ran.out
    assert "chess" not in ran.out
    assert f"signature {bench.signature():016x}\n" in ran.out


@measures_time
def test_the_signature_covers_every_native_game_and_is_quick() -> None:
    names = {work.spec.partition(":")[0] for work in bench.WORKLOADS}
    assert {"tictactoe", "connect4", "yavalath", "reversi", "chess"} <= names
    assert {str(sb.game(work.spec)) for work in bench.WORKLOADS} == {
        work.spec for work in bench.WORKLOADS
    }
    began = time.perf_counter()
    first = bench.signature()
    assert time.perf_counter() - began < 10
    assert 0 <= first < 2**64
    assert bench.signature(bench.WORKLOADS[:-1]) != first


def test_fnv1a_of_published_examples() -> None:
    assert bench.fnv1a(b"") == 0xCBF29CE484222325
    assert bench.fnv1a(b"foobar") == 0x85944171F73967E8


def test_rates_are_readable() -> None:
    assert [rate(value) for value in (0, 999, 1500, 2.5e6, 3.21e9)] == [
        "0 /s",
        "999 /s",
        "1.5 k/s",
        "2.5 M/s",
        "3.21 G/s",
    ]


def test_undo_goes_back_before_the_given_position(cli: Cli) -> None:
    out = played(
        cli, "connect4", "--against", "human", "--position", "4453", typed="undo\nnotation\n"
    )
    assert "\n445\n" in out


def test_hint_lists_the_moves(cli: Cli) -> None:
    assert "7 legal moves: a1" in played(cli, "connect4", typed="hint\n")


def test_a_bug_in_a_game_is_not_taken_for_a_mistake_of_the_user() -> None:
    script = """
import spielbaum as sb
from spielbaum.cli.main import main

class Buggy(sb.PythonGame):
    name = "buggy"
    num_actions = 1
    def initial(self): return 0
    def to_move(self, s): return 0
    def legal_moves(self, s): return [0]
    def play(self, s, a): return int("x")
    def outcome(self, s): return None
    def key(self, s): return s

sb.register_game(Buggy)
main(["perft", "buggy", "--depth", "2"])
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "Traceback" in result.stderr
    assert "invalid literal for int()" in result.stderr


def test_closed_streams_are_no_traceback() -> None:
    for command in ("spielbaum play connect4 <&-", "spielbaum games >&-"):
        shell = command.replace("spielbaum", f"{sys.executable} -m spielbaum")
        result = subprocess.run(shell, shell=True, capture_output=True, text=True)
        assert "Traceback" not in result.stderr


MODULE = """
import spielbaum as sb


class Nim(sb.PythonGame):
    name = "nim"
    num_actions = 3

    def initial(self): return 7
    def to_move(self, s): return (7 - s) % 2
    def legal_moves(self, s): return [a for a in range(3) if a < s]
    def play(self, s, a): return s - a - 1
    def outcome(self, s): return None if s else sb.Outcome.win(0)
    def key(self, s): return s


sb.register_game(Nim)
"""


@pytest.mark.parametrize(
    "command",
    [
        "--import nimgame perft nim --depth 2",
        "show nim --import=nimgame",
        "match nim random random --games 4 --openings empty --jobs 2 --import nimgame",
        "record nim random --positions 20 --jobs 2 --out recorded --import nimgame",
    ],
)
def test_modules_are_imported_by_every_command_and_its_processes(command, tmp_path) -> None:
    (tmp_path / "nimgame.py").write_text(MODULE)
    run = subprocess.run(
        [sys.executable, "-m", "spielbaum", *command.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_what_cannot_be_imported(cli: Cli) -> None:
    assert cli("games", "--import").code == 2
    assert "module nosuch cannot be imported" in cli("games", "--import", "nosuch").err


def test_the_overview_has_all_commands(cli: Cli) -> None:
    code = "import spielbaum_command as c, sys; c.main(); print(sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True)
    for name in names(COMMANDS):
        assert re.search(rf"^  {name} +[A-Z].+\.$", run.stdout, re.M)
    # Nothing is imported for it that takes time.
    assert not {"spielbaum", "typer", "numpy"} & set(eval(run.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("arguments", "key", "value"),
    [
        (["solve", "tictactoe", "a1 b2 c3 a3"], "value", 1),
        (["show", "connect4", "4453"], "to_move", 0),
        (["perft", "tictactoe", "--depth", "3"], "lines", {"0": 1, "1": 9, "2": 72, "3": 504}),
        (["games", "connect4:columns=9"], "actions", 9),
        (["agents", "lgr"], "name", "lgr"),
        (["analyse", "tictactoe", "a1 b2 c3 a3", "--depth", "9"], "value", 1.0),
        (["bench", "--signature"], "speeds", {}),
    ],
)
def test_results_for_programs(cli: Cli, arguments: list[str], key: str, value: object) -> None:
    ran = cli(*arguments, "--json")
    assert ran.code == 0, ran
    assert json.loads(ran.out)[key] == value


def test_lists_for_programs(cli: Cli) -> None:
    assert "chess" in [each["name"] for each in json.loads(cli("games", "--json").out)]
    assert "mcts" in [each["name"] for each in json.loads(cli("agents", "--json").out)]
    assert "S0.table7" in [each["id"] for each in json.loads(cli("lab", "list", "--json").out)]


def test_every_table_is_there_for_programs(cli: Cli, tmp_path: Path) -> None:
    def found(*arguments: str) -> Any:
        ran = cli(*arguments, "--json")
        assert ran.code == 0, ran
        return json.loads(ran.out)

    network = str(tmp_path / "a.npz")
    made = NTupleNetwork(sb.game("tictactoe"), [[0, 1], [4, 8, 2]])
    made.weights[-1, 0] = 0.5  # three stones of the second player
    save_network(made, Path(network))
    shown = found("inspect", "ntuple", network, "--top", "1")
    assert (shown["num_tuples"], shown["tuples"][0]["cells"]) == (2, "a1 b1")
    assert {each["tuple"] for each in found("inspect", "ntuple", network, "--worth")} == {0, 1}
    position = found("inspect", "ntuple", network, "--position", "a1 b2")
    assert len(position["moves"]) == 7
    assert position["sum"] == 0
    assert found("inspect", "ntuple", network, "--tuple", "1") == [
        {"contents": "o o o", "weight 0": 0.5, "weight 1": 0.0}
    ]
    entry = found("inspect", "ntuple", network, "--tuple", "1", "--contents", "x.o")
    assert entry["contents"] == "x . o"
    assert set(entry["weights"].values()) == {0.0}

    assert found("runs", str(tmp_path)) == []
    store = str(tmp_path / "games.db")
    cli("match", "tictactoe", "random", "random", "--games", "2", "--store", store)
    assert found("report", store)["games"] == 2
    [report] = found("lab", "report", "S0.table7", "--store", str(tmp_path / "lab.db"))
    assert report["rows"][0]["measured"] is None
    assert found("games", "reversixt")["maps"][0]["players"] >= 2


def test_help_has_no_types_that_say_nothing(cli: Cli) -> None:
    for command in (["solve"], ["lab"], ["lab", "run"], ["match"], ["games"]):
        said = cli(*command, "--help").out
        assert "--help" in said
        assert not re.search(r"<(bool|str|list)", said)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["pl"], ["play"]),
        (["play", "conn"], ["connect4"]),
        (["match", "connect4", "rave-"], ["rave-lgr"]),
        (["play", "chess", "--against", "alp"], ["alphabeta"]),
        (["play", "--ag"], ["--against"]),
        (["lab", "re"], ["report"]),
        (["nosuch", ""], []),
    ],
)
def test_completion(cli: Cli, words: list[str], found: list[str]) -> None:
    ran = cli("completion", "words", "--", *words)
    assert (ran.code, ran.out.split()) == (0, found)


def test_scripts_of_shells(cli: Cli) -> None:
    assert cli("completion", "bash").out.startswith("_spielbaum()")
    assert "shell=tcsh: expected" in cli("completion", "tcsh").err


def test_boards_have_colours_where_the_terminal_has(monkeypatch: pytest.MonkeyPatch) -> None:
    state = sb.game("chess").initial()
    assert board(state) == str(state)
    monkeypatch.setattr("spielbaum.cli.shared.output.console", lambda: Console(color_system="256"))
    coloured = board(state)
    assert "\x1b[1;33mk\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == str(state)
    monkeypatch.setattr(
        "spielbaum.cli.shared.output.console", lambda: Console(color_system="256", no_color=True)
    )
    assert board(state) == str(state)


def test_levels_of_opponents(cli: Cli) -> None:
    ran = cli("play", "tictactoe", "--level", "perfect", "--as", "2", typed="quit\n")
    assert ran.code == 0
    assert "x plays" in ran.out
    assert "--level perfect --as 2 --position" in ran.out
    assert "expected beginner, casual, club or strong" in cli("play", "hex", "--level", "9").err
    both = cli("play", "hex", "--level", "club", "--against", "uct")
    assert "expected one of them" in both.err
    limited = cli("play", "tictactoe", "--against", "uct", "--nodes", "0")
    assert "nodes=0" in limited.err
