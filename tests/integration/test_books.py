"""Opening books: computed, interrupted, resumed, stored and damaged."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import spielbaum as sb
from connect4_threats import have_immediate_win
from spielbaum.solvers import find
from spielbaum.solvers.book import BookError, Connect4Book, build_book, read_book, shipped_book
from spielbaum.solvers.book.build import positions_by_ply
from spielbaum.solvers.book.connect4 import position_code
from spielbaum.solvers.book.library import SHIPPED
from spielbaum.solvers.find import find_solution
from spielbaum.solvers.solver import Wanted, shared_solver

SMALL = "connect4:rows=4,columns=5"


@pytest.fixture
def small():
    return sb.game(SMALL)


def test_positions_without_a_winner_up_to_mirror_images():
    # Positions per ply are known: 1, 7, 49, 238, 1120, 4263; here one of each pair of images.
    levels = positions_by_ply(sb.game("connect4"), 5)
    assert [len(level) for level in levels] == [1, 4, 25, 121, 568, 2144]
    images = {symmetry.state.key for state in levels[5].values() for symmetry in state.symmetries()}
    assert len(images) == 4263


def test_every_value_is_exact(small, tmp_path):
    book = build_book(small, 5, tmp_path / "a.book", jobs=2)
    loaded = Connect4Book.load(tmp_path / "a.book")
    assert len(loaded) == len(book) == sum(len(level) for level in positions_by_ply(small, 5))
    for level in positions_by_ply(small, 5):
        for state in list(level.values())[::7]:
            expected = sb.solve(state, exact=False, moves=False).score
            assert loaded.value(state) == expected
            for symmetry in state.symmetries():
                assert loaded.value(symmetry.state) == expected
    beyond = small.state("123123")
    assert loaded.value(beyond) is None
    with pytest.raises(BookError, match="knows no positions of connect4"):
        loaded.value(sb.game("connect4").initial())


class Interruption(Exception):
    pass


def begin(rules, plies, path, positions):
    """Leave the progress of a book that was interrupted after so many positions."""

    def stop(solved, total):
        if solved == positions:
            raise Interruption

    with pytest.raises(Interruption):
        build_book(rules, plies, path, jobs=1, report=stop)
    return path.with_name(f"{path.name}.part")


def test_interrupted_work_goes_on(small, tmp_path):
    path = tmp_path / "b.book"
    part = begin(small, 4, path, 20)
    title, *lines = part.read_text().splitlines()
    assert (title, len(lines)) == (f"game {SMALL}", 20)
    # A hard stop in the middle of a line; the line is forgotten, the others are kept.
    part.write_text("\n".join([title, *lines[:19]]) + "\n" + lines[19][:3])
    seen = []
    build_book(small, 4, path, jobs=1, report=lambda solved, total: seen.append(solved))
    assert seen == [*range(19, len(positions_by_ply(small, 4)[4]) + 1)]
    other = build_book(small, 4, tmp_path / "c.book", jobs=1)
    assert (tmp_path / "c.book").read_bytes() == path.read_bytes()
    assert other.value(small.initial()) == 0


def test_progress_is_kept_until_the_book_is_written(small, tmp_path, monkeypatch):
    path, part = tmp_path / "b.book", tmp_path / "b.book.part"
    path.write_bytes(b"an older file")

    def fail(*_):
        raise OSError("the disk is full")

    for place, name in ((os, "fsync"), (Path, "replace")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, fail)
            with pytest.raises(OSError, match="the disk is full"):
                build_book(small, 2, path, jobs=1)
        assert len(part.read_text().splitlines()) == 1 + 13
        assert path.read_bytes() == b"an older file"
    seen = []
    build_book(small, 2, path, jobs=1, report=lambda solved, total: seen.append((solved, total)))
    assert seen == [(13, 13)]
    assert len(Connect4Book.load(path)) > 13
    assert [file.name for file in tmp_path.iterdir()] == ["b.book"]


def test_a_finished_book_is_not_computed_again(small, tmp_path):
    path = tmp_path / "b.book"
    build_book(small, 3, path, jobs=1)
    whole = path.read_bytes()
    seen = []
    build_book(small, 3, path, jobs=2, report=lambda solved, total: seen.append(solved == total))
    assert seen == [True]
    assert path.read_bytes() == whole
    build_book(sb.game(f"{SMALL},inarow=3"), 3, path, jobs=1)  # another game: nothing is known
    assert path.read_bytes() != whole


def test_progress_without_a_title_is_from_an_earlier_version(small, tmp_path):
    path = tmp_path / "b.book"
    part = begin(small, 2, path, 13)
    part.write_text(part.read_text().partition("\n")[2])
    seen = []
    build_book(small, 2, path, jobs=1, report=lambda solved, total: seen.append((solved, total)))
    assert seen == [(13, 13)]


def test_progress_of_another_game_is_not_used(small, tmp_path):
    path = tmp_path / "b.book"
    begin(sb.game(f"{SMALL},inarow=3"), 2, path, 2)
    message = f"was begun for game {SMALL},inarow=3, not for game {SMALL}$"
    with pytest.raises(BookError, match=message):
        build_book(small, 2, path, jobs=1)


@pytest.mark.parametrize("content", [b"my notes", b"\xff\xfe\x00", b"12 1\nnotes", b"\n\xff\n"])
def test_a_file_that_is_no_progress_is_left_alone(small, tmp_path, content):
    part = tmp_path / "b.book.part"
    part.write_bytes(content)
    with pytest.raises(BookError, match="is no solved position"):
        build_book(small, 2, tmp_path / "b.book", jobs=1)
    assert part.read_bytes() == content


@pytest.mark.parametrize("name", ["", "/", ".", ".."])
def test_a_book_needs_the_name_of_a_file(small, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BookError, match="expected the name of a file"):
        build_book(small, 1, Path(name), jobs=1)


def test_what_is_not_a_file_is_not_read(tmp_path):
    pipe = tmp_path / "pipe.book"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(BookError, match=f"book {path}: it is not a file"):
            read_book(path)
    with pytest.raises(BookError, match="book ~nobody_of_this_name/a"):
        read_book(Path("~nobody_of_this_name/a.book"))


def test_damaged_books_are_refused(small, tmp_path):
    path = tmp_path / "d.book"
    build_book(small, 2, path, jobs=1)
    whole = path.read_bytes()
    for damaged, message in [
        (b"", "does not begin as a book"),
        (b"rubbish\n" + whole, "does not begin as a book"),
        (whole[:-5], "checksum differs"),
        (whole[:-1] + bytes([whole[-1] ^ 1]), "checksum differs"),
        (whole.replace(b"book 1", b"book 9"), "checksum differs"),
    ]:
        path.write_bytes(damaged)
        with pytest.raises(BookError, match=message):
            Connect4Book.load(path)
    with pytest.raises(BookError, match="No such file"):
        Connect4Book.load(tmp_path / "missing")
    (tmp_path / "d.book.part").write_text("xyz 1\n")
    with pytest.raises(BookError, match="line 1: 'xyz 1' is no solved position"):
        build_book(small, 2, path, jobs=1)


def test_codes_tell_positions_apart(small):
    codes = [
        position_code(state) for level in positions_by_ply(small, 5) for state in level.values()
    ]
    assert len(codes) == len(set(codes))


def test_a_header_that_lies(small, tmp_path):
    path = tmp_path / "e.book"
    build_book(small, 2, path, jobs=1)
    line, _, payload = path.read_bytes().partition(b"\n")
    header = json.loads(line)
    for change in (
        {"positions": 5},
        {"positions": 10**30},
        {"positions": -1},
        {"positions": "many"},
        {"plies": None},
        {"game": "chess"},
        {"game": "nosuch"},
        {"game": "connect4:rows=8,columns=9"},
        {"game": 7},
        {"sha256": 7},
    ):
        path.write_bytes(json.dumps({**header, **change}).encode() + b"\n" + payload)
        with pytest.raises(BookError, match=f"book {path}: it (does not|is damaged)"):
            Connect4Book.load(path)


def test_boards_that_do_not_fit(tmp_path):
    with pytest.raises(BookError, match="needs 81 bits for a position: expected at most 64"):
        build_book(sb.game("connect4:rows=8,columns=9"), 1, tmp_path / "f.book", jobs=1)


def test_a_book_is_read_once_and_again_when_it_changes(small, tmp_path):
    path = tmp_path / "g.book"
    build_book(small, 1, path, jobs=1)
    first = read_book(path)
    assert read_book(path) is first
    build_book(small, 2, path, jobs=1)
    assert len(read_book(path)) > len(first)


def test_solve_asks_the_book(monkeypatch, small, tmp_path):
    path = tmp_path / "h.book"
    build_book(small, 3, path, jobs=1)
    monkeypatch.setattr(find, "shipped_book", lambda game: read_book(path))
    known = sb.solve(small.state("12"), exact=False)
    searched = sb.solve(small.state("12"), exact=False, lookup=False)
    assert (known.source, known.nodes, searched.source) == ("book", 0, "solver")
    assert (known.score, known.moves) == (searched.score, searched.moves)
    assert sb.solve(small.state("123"), exact=False, moves=False).source == "book"
    assert sb.solve(small.state("123"), exact=False).source != "book"
    assert sb.solve(small.state("12")).source != "book"


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A book with exact scores up to three stones."""
    path = tmp_path_factory.mktemp("scores") / "scored.book"
    build_book(sb.game(SMALL), 4, path, scores=3, jobs=1)
    return path


def test_every_score_is_exact(small, scored):
    book = Connect4Book.load(scored)
    assert (book.plies, book.scores) == (4, 3)
    for ply, level in enumerate(positions_by_ply(small, 4)):
        for state in list(level.values())[::5]:
            for image in (symmetry.state for symmetry in state.symmetries()):
                solution = sb.solve(image, lookup=False)
                assert book.value(image) == solution.value
                if ply > 3:
                    assert book.score(image) is book.line(image) is None
                    continue
                assert book.score(image) == solution.score
                scores = [(each.move, each.score) for each in solution.moves]
                assert book.moves(image, exact=True) == (scores if ply < 3 else None)
                assert score_of_line(image, book.line(image)) == solution.score


def score_of_line(state, line):
    """What a line that ends the game promises the side to move, each move of which must be best."""
    sign, score = 1, sb.solve(state, lookup=False, moves=False).score
    for move in line:
        state, sign = state.play(move), -sign
        assert sign * sb.solve(state, lookup=False, moves=False, pv=False).score == score
    assert state.outcome is not None
    return score


def test_solve_asks_the_book_for_scores(monkeypatch, small, scored):
    monkeypatch.setattr(find, "shipped_book", lambda game: read_book(scored))
    for notation in ("", "3", "15"):
        state = small.state(notation)
        known, searched = sb.solve(state), sb.solve(state, lookup=False)
        assert (known.source, known.nodes) == ("book", 0)
        assert (known.score, known.value, known.moves) == (
            searched.score,
            searched.value,
            searched.moves,
        )
        assert score_of_line(state, known.pv) == known.score
    assert sb.solve(small.state("153"), moves=False).source == "book"
    assert sb.solve(small.state("153")).source != "book"
    perfect = sb.agent(f"perfect:prefer=distance,book={scored}").choose(small.initial())
    assert (perfect.stats["source"], perfect.stats["exact"]) == ("book", True)
    assert perfect.stats["nodes"] == 0


def test_a_finished_book_gets_scores(small, scored, tmp_path):
    path, seen = tmp_path / "b.book", []
    build_book(small, 4, path, jobs=1)
    build_book(small, 4, path, scores=3, jobs=1, report=lambda *counts: seen.append(counts))
    values, scores = (len(positions_by_ply(small, 4)[ply]) for ply in (4, 3))
    assert seen[0] == (values, values + scores)
    assert path.read_bytes() == scored.read_bytes()
    seen.clear()
    build_book(small, 4, path, scores=3, jobs=1, report=lambda *counts: seen.append(counts))
    assert seen == [(values + scores, values + scores)]
    assert path.read_bytes() == scored.read_bytes()
    build_book(small, 3, tmp_path / "c.book", scores=3, jobs=1)  # values follow from scores
    assert Connect4Book.load(tmp_path / "c.book").value(small.state("123")) is not None


def test_scores_that_were_interrupted_go_on(small, scored, tmp_path):
    path, part = tmp_path / "b.book", tmp_path / "b.book.part"

    def stop(solved, total):
        if solved == 20:
            raise Interruption

    with pytest.raises(Interruption):
        build_book(small, 4, path, scores=3, jobs=1, report=stop)
    title, *lines = part.read_text().splitlines()
    assert all(re.fullmatch(r"score [1-5]{3} -?\d+ [1-5]+", line) for line in lines)
    # A hard stop in a line, and lines of other sources: images, another order of moves, more words.
    _, notation, score, moves = lines[0].split()
    mirrored = str.maketrans("12345", "54321")
    lines[0] = f"score {notation.translate(mirrored)} {score} {moves.translate(mirrored)} 9 0.1"
    part.write_text("\n".join([title, *lines[:19]]) + "\n" + lines[19][:8])
    seen = []
    build_book(small, 4, path, scores=3, jobs=1, report=lambda solved, total: seen.append(solved))
    assert seen[0] == 19
    assert path.read_bytes() == scored.read_bytes()


@pytest.mark.parametrize(
    "line",
    [
        "score 123",
        "score 123 9 9",
        "score 123 x 1",
        "score 123 0 12",
        "score 123 1 11111",
        "scores",
    ],
)
def test_scores_that_cannot_be_are_refused(small, tmp_path, line):
    (tmp_path / "b.book.part").write_text(f"game {SMALL}\n{line}\n")
    with pytest.raises(BookError, match=r"line 2: .* is no solved position"):
        build_book(small, 4, tmp_path / "b.book", scores=3, jobs=1)


def test_scores_that_contradict_values_are_refused(small, tmp_path):
    path = tmp_path / "b.book"
    build_book(small, 3, path, jobs=1)
    assert Connect4Book.load(path).value(small.state("12")) < 1
    # The line ends as its score says, but is not best play: the second player does not defend.
    (tmp_path / "b.book.part").write_text(f"game {SMALL}\nscore 12 6 3434343\n")
    with pytest.raises(BookError, match="the score of '12' is 6, which contradicts the value"):
        build_book(small, 3, path, scores=2, jobs=1)


def test_numbers_of_stones_with_scores(small, tmp_path):
    with pytest.raises(BookError, match="scores of 3 stones: expected 0 to 2"):
        build_book(small, 2, tmp_path / "b.book", scores=3, jobs=1)
    book = build_book(small, 2, tmp_path / "b.book", scores=0, jobs=1)
    assert book.score(small.initial()) == 0
    assert len(book.line(small.initial())) == 20


def test_headers_of_scores_that_lie(scored, tmp_path):
    path = tmp_path / "e.book"
    line, _, payload = scored.read_bytes().partition(b"\n")
    header = json.loads(line)
    for change in (
        {"scores": None},
        {"scores": True},
        {"scores": 5},
        {"lines": 5},
        {"lines": -1},
        {"lines": 10**30},
        {"positions": 10**9},
        {"format": "spielbaum connect4 book 1"},
    ):
        path.write_bytes(json.dumps({**header, **change}).encode() + b"\n" + payload)
        with pytest.raises(BookError, match=f"book {path}: it (does not|is damaged)"):
            Connect4Book.load(path)


def test_lines_that_are_not_legal_are_not_used(small, scored):
    whole = Connect4Book.load(scored)
    start = small.initial()
    for wrong in ("", "1", "9999", "1111111", "?", "a"):
        lines = dict.fromkeys(whole.lines, wrong)
        book = Connect4Book(small, 4, whole.values(), 3, lines)
        assert book.line(start) is None
        found = find_solution(
            start,
            Wanted(exact=True, moves=True, pv=True),
            shared_solver(small, 16),
            sb.Budget(),
            book=book,
            lookup=False,
        )
        assert (found.source, found.score) == ("solver", 0)


def test_the_scores_of_the_first_moves_are_shipped():
    start = sb.game("connect4").initial()
    assert shipped_book(start.game).scores == 3
    solution = sb.solve(start)
    assert solution.source == "book"
    assert [each.score for each in solution.moves] == [-2, -1, 0, 1, 0, -1, -2]
    assert len(solution.pv) == 41  # wins with the last stone of the first player


def test_positions_with_eight_stones_split_as_published():
    # Up to mirroring and without an immediate win for either side (the "connect-4" data set of the
    # UCI repository): 44,473 wins, 6,449 draws and 16,635 losses of the first player.
    states = list(positions_by_ply(sb.game("connect4"), 8)[8].values())
    quiet = ~have_immediate_win([state.cells for state in states])
    assert (len(states), quiet.sum()) == (91_295, 67_557)
    book = read_book(SHIPPED)
    values = Counter(
        book.value(state) for state, chosen in zip(states, quiet, strict=True) if chosen
    )
    assert values == {1: 44_473, 0: 6_449, -1: 16_635}


def test_the_first_moves_of_the_shipped_book():
    start = sb.game("connect4").initial()
    assert [value for _, value in shipped_book(start.game).moves(start)] == [
        -1,
        -1,
        0,
        1,
        0,
        -1,
        -1,
    ]


def test_the_command(tmp_path):
    command = [sys.executable, "-m", "spielbaum", "book", SMALL, "--plies", "3", "--jobs", "2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "positions" in done.stdout
    assert (tmp_path / "connect4-rows4-columns5-3.book").exists()
    wrong = subprocess.run([*command[:4], "chess"], cwd=tmp_path, capture_output=True, text=True)
    assert wrong.returncode == 2
    assert wrong.stderr == "spielbaum: books are made for connect4, not for chess\n"


def test_a_worker_that_fails_says_why(small, tmp_path):
    with pytest.raises(sb.SpecError, match="option memory=0"):
        build_book(small, 2, tmp_path / "a.book", jobs=2, memory=0)


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def long_work(tmp_path):
    """A book that takes a while to compute."""
    command = [sys.executable, "-m", "spielbaum", "book", "connect4:rows=5,columns=6"]
    options = ["--plies", "5", "--jobs", "2", "--memory", "1", "--out", "a.book"]
    running = subprocess.Popen(
        [*command, *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "WORK_OF_TEST": str(tmp_path)},
    )
    yield running
    running.kill()
    running.communicate()


def wait_until(condition):
    ends_at = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends_at
        time.sleep(0.001)


def positions_are_solved(work, folder):
    part = folder / "a.book.part"
    return part.exists() and part.stat().st_size > 200


def imports_are_going_on(work, folder):
    return "numpy" in Path(f"/proc/{work.pid}/maps").read_text()


def workers_are_starting(work, folder):
    return workers_of(work) != []


def workers_of(work):
    children = Path(f"/proc/{work.pid}/task/{work.pid}/children").read_text().split()
    return [int(each) for each in children if b"spawn_main" in of_process(each, "cmdline")]


def of_process(number, what):
    with contextlib.suppress(OSError):  # it has ended
        return Path(f"/proc/{number}/{what}").read_bytes()
    return b""


def nobody_is_left(folder):
    mark = f"WORK_OF_TEST={folder}".encode()
    processes = [each for each in os.listdir("/proc") if each.isdigit()]
    return not any(mark in of_process(each, "environ") for each in processes)


@LINUX
@pytest.mark.parametrize("presses", [1, 2])
@pytest.mark.parametrize(
    "moment", [imports_are_going_on, workers_are_starting, positions_are_solved]
)
def test_ctrl_c_is_one_line(long_work, tmp_path, moment, presses):
    wait_until(lambda: moment(long_work, tmp_path))
    for _ in range(presses):
        os.killpg(long_work.pid, signal.SIGINT)  # as a terminal does: the workers get it, too
        time.sleep(0.05)
    _, err = long_work.communicate(timeout=60)
    assert (long_work.returncode, err) == (130, "spielbaum: interrupted\n")
    wait_until(lambda: nobody_is_left(tmp_path))


@LINUX
def test_a_worker_that_is_killed_is_noticed(long_work, tmp_path):
    wait_until(lambda: positions_are_solved(long_work, tmp_path))
    os.kill(workers_of(long_work)[0], signal.SIGKILL)
    _, err = long_work.communicate(timeout=60)
    assert long_work.returncode == 2
    assert "a process that solves positions was ended" in err
    assert err.count("\n") == 1
    wait_until(lambda: nobody_is_left(tmp_path))
