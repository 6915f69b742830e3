"""The cache of solved positions: what it keeps, and that nothing wrong with it is an error."""

import sqlite3
import subprocess
import sys

import pytest

import spielbaum as sb
from spielbaum.solvers import find
from spielbaum.solvers.cache import TABLE, SolvedCache, cache_path
from spielbaum.solvers.solver import Solver, Wanted

# Takes about a tenth of a second, more than what stays off the disk.
HARD = "4444432655"
ALL = Wanted(exact=True, moves=True, pv=True)
WEAK = Wanted(exact=False, moves=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SPIELBAUM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def at_once(monkeypatch):
    """Even what takes no time goes to the disk, and no table remembers it."""
    monkeypatch.setattr(find, "NOTICEABLE", 1e-9)
    monkeypatch.setattr(find, "shared_solver", lambda game, memory: Solver(game, 1))


@pytest.fixture
def state():
    return sb.game("connect4").state("715371563635542612576371")


def rows(path):
    return sqlite3.connect(path).execute(f"SELECT * FROM {TABLE}").fetchall()


def without_effort(solution):
    return (solution.score, solution.value, solution.moves, solution.pv)


@pytest.mark.usefixtures("at_once")
def test_what_was_solved_is_known_afterwards(folder, state):
    first = sb.solve(state)
    assert (first.source, len(rows(folder / "solved.sqlite"))) == ("solver", 1)
    again = sb.solve(state)
    assert (again.source, again.nodes) == ("cache", 0)
    assert without_effort(again) == without_effort(first)


@pytest.mark.usefixtures("folder", "at_once")
@pytest.mark.parametrize(
    ("spec", "position"),
    [
        ("connect4", "715371563635542612576371"),
        ("reversi", "--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O"),
        ("reversi:size=4", "-OX-OOOXXXXX---- X"),
    ],
)
def test_images_of_a_position_share_an_entry(spec, position):
    start = sb.game(spec).state(position)
    sb.solve(start)
    for symmetry in start.symmetries():
        known = sb.solve(symmetry.state)
        assert known.source == "cache"
        assert (
            without_effort(known)[:3] == without_effort(sb.solve(symmetry.state, lookup=False))[:3]
        )
        end = symmetry.state
        for move in known.pv:
            end = end.play(move)
        assert end.outcome is not None


@pytest.mark.usefixtures("at_once")
def test_scores_answer_what_is_asked_of_win_draw_and_loss(folder, state):
    cache = SolvedCache(folder / "solved.sqlite")
    solution = sb.solve(state, lookup=False)
    cache.put(state, ALL, solution)
    weak = cache.get(state, WEAK)
    assert weak.score == solution.value
    assert [move.score for move in weak.moves] == [move.value for move in solution.moves]
    assert weak.pv == ()


def test_what_is_not_known_is_not_answered(folder, state):
    cache = SolvedCache(folder / "solved.sqlite")
    solution = sb.solve(state, lookup=False)
    cache.put(state, Wanted(exact=False, moves=False), sb.solve(state, exact=False, lookup=False))
    assert cache.get(state, WEAK) is None
    assert cache.get(state, Wanted(exact=True, moves=False)) is None
    cache.put(state, Wanted(exact=True, moves=True), solution)
    assert cache.get(state, ALL) is None
    cache.put(state, Wanted(exact=True, moves=False, pv=True), solution)
    assert without_effort(cache.get(state, ALL)) == without_effort(solution)
    assert cache.get(state.play(0), ALL) is None
    assert cache.get(sb.game("tictactoe").initial(), ALL) is None


@pytest.mark.usefixtures("at_once")
def test_no_look_up_when_told_so_or_when_nodes_are_counted(folder, state):
    sb.solve(state, lookup=False)
    sb.solve(state, budget=sb.Budget(nodes=10**9))
    assert not folder.exists()
    sb.solve(state)
    assert sb.solve(state, lookup=False).source == "solver"
    assert sb.solve(state, budget=sb.Budget(nodes=10**9)).source == "solver"


def test_quick_solutions_stay_off_the_disk(folder):
    sb.solve(sb.game("tictactoe").initial())
    assert not folder.exists()


@pytest.mark.usefixtures("at_once")
def test_off(folder, state, monkeypatch):
    monkeypatch.setenv("SPIELBAUM_CACHE", "off")
    assert cache_path() is None
    assert sb.solve(state).source == "solver"
    assert not folder.exists()


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.delenv("SPIELBAUM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_path() == tmp_path / "spielbaum" / "solved.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_path() == tmp_path / ".cache" / "spielbaum" / "solved.sqlite"


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("damage", ["rubbish", "cut", "overwritten"])
def test_a_damaged_cache_makes_place(folder, state, damage):
    sb.solve(state)
    path = folder / "solved.sqlite"
    whole = path.read_bytes()
    damaged = {
        "rubbish": b"not a database at all" * 500,
        "cut": whole[: len(whole) // 2],
        "overwritten": whole[:4096] + b"\xff" * (len(whole) - 4096),
    }[damage]
    path.write_bytes(damaged)
    assert sb.solve(state).source == "solver"
    assert sb.solve(state).source in ("solver", "cache")
    assert sb.solve(state).source == "cache"
    assert (folder / "solved.sqlite.damaged").read_bytes() == damaged


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    "change",
    [
        "moves = 'rubbish'",
        "moves = '[[0, 1]]'",
        "moves = '[[99, 1]]'",
        "moves = '7'",
        "moves = NULL",
        "line = '[0]'",
        "line = '[77]'",
        "line = NULL",
        "score = 'x'",
        "score = score + 1",
        "score = NULL",
        "score = 9e999",
        "moves = '[[0, 1e999]]'",
        "moves = replace(hex(zeroblob(50000)), '0', '[')",
    ],
)
def test_rows_without_sense_are_passed_over(folder, state, change):
    sb.solve(state)
    with sqlite3.connect(folder / "solved.sqlite") as connection:
        connection.execute(f"UPDATE {TABLE} SET {change}")
    assert sb.solve(state).source == "solver"


@pytest.mark.usefixtures("at_once")
def test_a_table_of_another_program(folder, state):
    folder.mkdir()
    with sqlite3.connect(folder / "solved.sqlite") as connection:
        connection.execute(f"CREATE TABLE {TABLE} (something TEXT)")
    for _ in range(2):
        assert sb.solve(state).source == "solver"


@pytest.mark.usefixtures("at_once")
def test_a_locked_cache_is_not_waited_for(folder, state):
    sb.solve(state)
    with sqlite3.connect(folder / "solved.sqlite", isolation_level=None) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert sb.solve(state).source == "solver"
        connection.execute("ROLLBACK")
    assert sb.solve(state).source == "cache"


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("where", ["a file", "a folder of that name"])
def test_no_place_for_a_cache(folder, state, where):
    if where == "a file":
        folder.write_text("in the way")
    else:
        (folder / "solved.sqlite").mkdir(parents=True)
    for _ in range(2):
        assert sb.solve(state).source == "solver"


def test_two_processes_write_at_once(folder):
    program = (
        "import sys, spielbaum as sb\n"
        "from spielbaum.solvers import find\n"
        "find.NOTICEABLE = 1e-9\n"
        "for a in '1234567':\n"
        "    for b in '1234567':\n"
        "        for c in sys.argv[1]:\n"
        "            sb.solve(sb.game('connect4:rows=4,columns=7').state('4142' + a + b + c))\n"
    )
    command = [sys.executable, "-c", program]
    running = [
        subprocess.Popen([*command, columns], stderr=subprocess.PIPE, text=True)
        for columns in ("123", "567")
    ]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    assert len(rows(folder / "solved.sqlite")) > 50
    check = sqlite3.connect(folder / "solved.sqlite").execute("PRAGMA integrity_check")
    assert check.fetchone() == ("ok",)


def test_the_command_says_where_the_answer_is_from(folder):
    command = [sys.executable, "-m", "spielbaum", "solve", "connect4", HARD, "--weak"]

    def last_line(*options):
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1]

    assert last_line().startswith("nodes ")
    assert (folder / "solved.sqlite").exists()
    assert last_line() == "source the cache on disk, solved earlier"
    assert last_line("--no-lookup").startswith("nodes ")
