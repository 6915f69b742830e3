"""Matches end whatever agents do, resume after every kind of end, and count every game once."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import spielbaum as sb
import strange_agents  # noqa: F401  registers the agent
from spielbaum.arena.executor import Workers
from spielbaum.arena.plan import Entrant, Plan, expand_grid
from spielbaum.arena.runner import run_plan
from spielbaum.arena.store import Store
from spielbaum.base.errors import StoreError
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.play.referee import GameTask, Players, Seat, play_game

HERE = Path(__file__).parents[1]
FAST = Limits(iterations=20)


def seats(*specs, limits=FAST):
    return tuple(Seat(spec, limits, number) for number, spec in enumerate(specs))


def test_a_game_is_kept_so_that_it_can_be_replayed():
    record = play_game(GameTask("connect4", seats("uct", "rave"), opening=("d1", "d2")))
    state = sb.game("connect4").initial()
    for move in record.moves:
        state = state.play(move)
    assert state.outcome is not None
    assert state.outcome.rewards == record.rewards
    assert (record.ended_by, record.reason) == ("rules", state.outcome.reason)
    assert len(record.seconds) == len(record.values) == len(record.moves) - 2
    assert play_game(record.task).moves == record.moves  # the same seeds
    players = Players()
    play_game(record.task, players)
    assert play_game(record.task, players).moves == record.moves  # also by agents that were used


@pytest.mark.parametrize(
    ("how", "reason"),
    [("raise", "RuntimeError: no idea"), ("illegal", "move 9999 is not legal")],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_mistakes_lose(how, reason, seat):
    specs = [f"strange:how={how},ply=3", "random"]
    record = play_game(GameTask("connect4", seats(*(specs if seat == 0 else specs[::-1]))))
    assert record.rewards == ((-1.0, 1.0) if seat == 0 else (1.0, -1.0))
    assert record.ended_by == ("crash" if how == "raise" else "illegal")
    assert reason in record.reason
    assert len(record.moves) in (3, 4)


def test_an_agent_that_cannot_be_made_loses():
    record = play_game(GameTask("connect4", seats("random", "uci:path=/nowhere/engine")))
    assert record.rewards == (1.0, -1.0)
    assert record.ended_by == "crash"


def test_clocks():
    slow = Limits(clock=0.05)
    record = play_game(GameTask("connect4", (Seat("uct", slow), Seat("random", FAST))))
    assert record.ended_by in ("rules", "time")
    specs = (Seat("strange:how=sleep,ply=99", Limits(clock=5, increment=1)), Seat("random", FAST))
    assert play_game(GameTask("connect4", specs)).ended_by == "rules"


def test_adjudication():
    start = "44444432222333"
    plain = GameTask("connect4", seats("random", "random"), start=start)
    judged = GameTask("connect4", seats("random", "random"), start=start, adjudicate=True)
    record = play_game(judged)
    assert record.ended_by == "adjudication"
    assert len(record.moves) <= len(play_game(plain).moves)
    value = sb.solve(sb.game("connect4").state(start), exact=False).value
    assert record.rewards == (value, -value) or record.moves


def test_workers_survive_what_agents_do():
    executor = Workers(jobs=2, hang=1.0, imports=["strange_agents"])
    tasks = [
        GameTask("connect4", seats(f"strange:how={how},ply=2", "random"), number=number)
        for number, how in enumerate(("raise", "sleep", "illegal", "die"))
    ]
    tasks += [GameTask("connect4", seats("random", "random"), number=n) for n in range(4, 8)]
    records = {record.task.number: record for record in executor.run(tasks)}
    assert sorted(records) == list(range(8))
    assert [records[n].ended_by for n in range(4)] == ["crash", "hang", "illegal", "crash"]
    assert all(records[n].rewards == (-1.0, 1.0) for n in range(4))
    assert "no move after" in records[1].reason
    assert "SIGKILL" in records[3].reason
    assert len(records[1].moves) >= 2  # what was played before is known
    assert all(records[n].ended_by == "rules" for n in range(4, 8))


def test_workers_that_cannot_start_lose_no_games(tmp_path):
    """A script whose processes would begin the script again must end, and say why."""
    script = tmp_path / "script.py"
    script.write_text(
        "from spielbaum.play.referee import GameTask, Seat\n"
        "from spielbaum.play.limits import Limits\n"
        "from spielbaum.arena.executor import Workers\n"
        "seats = (Seat('random', Limits()), Seat('random', Limits()))\n"
        "print(list(Workers(jobs=1).run([GameTask('tictactoe', seats)])))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "ended before its first task (exit code 1); a script that starts" in done.stderr


def test_brisk_games_that_were_sent_ahead_are_played_once():
    """Whatever happens to a process, the games that wait in it go to another one."""
    strange = {20: "strange:how=die,ply=2", 25: "strange:how=sleep,ply=1", 39: "strange:how=die"}
    tasks = [
        GameTask(
            "tictactoe", (Seat("random", FAST), Seat(strange.get(n, "random"), FAST)), number=n
        )
        for n in range(60)
    ]
    executor = Workers(jobs=2, hang=1.0, imports=["strange_agents"])
    records = list(executor.run(tasks))
    assert sorted(record.task.number for record in records) == list(range(60))
    ended = {record.task.number: record.ended_by for record in records}
    assert [ended.pop(number) for number in strange] == ["crash", "hang", "crash"]
    assert set(ended.values()) == {"rules"}
    lost = {
        record.task.number: len(record.moves) for record in records if record.task.number in strange
    }
    assert lost == {20: 3, 25: 1, 39: 1}


def test_plans():
    entrants = tuple(Entrant(spec, FAST) for spec in ("uct", "rave", "lgr"))
    plan = Plan("connect4", entrants, games=6, seed=3)
    tasks = list(plan.tasks())
    assert len(tasks) == plan.num_games == 18
    assert len({task.id for task in tasks}) == 18
    assert tasks == list(plan.tasks())
    for group in {task.group for task in tasks}:
        first, second = (task for task in tasks if task.group == group)
        assert first.opening == second.opening
        assert [seat.agent for seat in first.seats] == [seat.agent for seat in second.seats][::-1]
    gauntlet = Plan("connect4", entrants, games=2, kind="gauntlet")
    assert gauntlet.pairings() == [(0, 1), (0, 2)]
    three = Plan("yavalath:players=3", entrants, games=3)
    orders = [tuple(seat.agent for seat in task.seats) for task in three.tasks()]
    assert len(set(orders)) == 3
    assert {order[0] for order in orders} == {"uct", "rave", "lgr"}
    with pytest.raises(sb.SpecError, match="2 agents: expected at least 3 for yavalath:players=3"):
        Plan("yavalath:players=3", entrants[:2], games=3)
    with pytest.raises(sb.SpecError, match="expected lists in braces"):
        expand_grid("rave:c={0.2")


def test_openings_are_different():
    rules = sb.game("connect4")
    for rule in ("random", "random:6", "balanced:4"):
        count = 20 if "balanced" in rule else 200
        drawn = Openings.parse(rule).draw(rules, count, seed=1)
        assert len({opening.moves for opening in drawn}) == count
        assert drawn == Openings.parse(rule).draw(rules, count, seed=1)
        assert drawn != Openings.parse(rule).draw(rules, count, seed=2)
    assert len(set(Openings.parse("random:1").draw(rules, 50, seed=1))) == 7


def test_openings_from_a_file(tmp_path):
    path = tmp_path / "positions.txt"
    path.write_text("44  # a comment\n\n4453\n", encoding="utf-8")
    drawn = Openings.parse(f"file:{path}").draw(sb.game("connect4"), 3, seed=0)
    assert [opening.start for opening in drawn] == ["44", "4453", "44"]
    path.write_text("44\n999\n", encoding="utf-8")
    with pytest.raises(sb.SpecError, match=r"positions.txt, line 2"):
        Openings.parse(f"file:{path}").draw(sb.game("connect4"), 1, seed=0)
    with pytest.raises(sb.SpecError, match="No such file"):
        Openings.parse("file:/nowhere").draw(sb.game("connect4"), 1, seed=0)


def small_plan(games=10):
    return Plan("tictactoe", (Entrant("uct", FAST), Entrant("random", FAST)), games, seed=1)


def test_a_stored_run_goes_on(tmp_path):
    plan, path = small_plan(), tmp_path / "games.db"
    with Store(path) as store:
        games = run_plan(plan, Workers(jobs=1), store, "a")
        first = [next(games) for _ in range(4)]
        games.close()
    with Store(path) as store:
        everything = list(run_plan(plan, Workers(jobs=1), store, "a"))
    assert sorted(record.task.number for record in everything) == list(range(10))
    by_number = {record.task.number: record for record in everything}
    assert all(by_number[record.task.number] == record for record in first)
    with Store(path) as store:
        assert [r.task.number for r in run_plan(plan, Workers(jobs=1), store, "a")] == list(
            range(10)
        )
        with pytest.raises(StoreError, match="the run 'a' has another plan"):
            store.open_run("a", small_plan(games=12))
        with pytest.raises(StoreError, match="no run 'b'; there are a"):
            store.plan("b")


PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from spielbaum.play.limits import Limits
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.store import Store
from spielbaum.arena.executor import Workers
if __name__ == "__main__":
    limits = Limits(iterations=300)
    plan = Plan("connect4", (Entrant("uct", limits), Entrant("rave", limits)), 300, seed=1)
    with Store(Path({path!r})) as store:
        for record in run_plan(plan, Workers(jobs=2), store, "t"):
            pass
    print("finished")
"""


def test_kill_nine_again_and_again(tmp_path):
    """No game is lost or repeated, however the program ends.

    SPIELBAUM_KILLS=10 kills it so often; a few times by default.
    """
    kills = int(os.environ.get("SPIELBAUM_KILLS", "4"))
    path, program = tmp_path / "games.db", tmp_path / "run.py"
    program.write_text(PROGRAM.format(tests=str(HERE), path=str(path)), encoding="utf-8")
    seen = 0
    for _ in range(kills):
        process = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while stored(path) < min(seen + 5, 300) and time.monotonic() < deadline:
            if process.poll() is not None:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert stored(path) >= seen
        seen = stored(path)
    assert seen >= min(5 * kills, 300)
    finished = subprocess.run([sys.executable, str(program)], capture_output=True, check=True)
    assert finished.stdout.strip() == b"finished"
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    counts = connection.execute("SELECT COUNT(*), COUNT(DISTINCT number) FROM games").fetchone()
    assert counts == (300, 300)


def stored(path):
    if not path.exists():
        return 0
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        return connection.execute("SELECT COUNT(*) FROM games").fetchone()[0]
    except sqlite3.Error:
        return 0  # it is being made


def test_two_processes_write_at_once(tmp_path):
    path, program = tmp_path / "games.db", tmp_path / "run.py"
    text = PROGRAM.format(tests=str(HERE), path=str(path)).replace("300, seed", "40, seed")
    program.write_text(text, encoding="utf-8")
    processes = [subprocess.Popen([sys.executable, str(program)]) for _ in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    assert stored(path) == 40


def test_stores_that_cannot_be_written(tmp_path):
    path = tmp_path / "games.db"
    record = play_game(next(iter(small_plan().tasks())))
    with Store(path) as store:
        run = store.open_run("a", small_plan())
        assert store.add(run, record)
        assert not store.add(run, record)
        # A disk without room: SQLite is told that the file may not grow.
        store._connection.execute("PRAGMA max_page_count = 1")
        big = [play_game(task) for task in small_plan(games=200).tasks()]
        with pytest.raises(StoreError, match="database or disk is full"):
            add_all(store, run, big)
        assert len(store.done(run)) >= 1
    with Store(path) as store:
        before = store.done(run)
        assert store.add(run, big[-1])
        assert len(store.done(run)) == len(before) + 1
    text = tmp_path / "text.db"
    text.write_text("no database at all, but long enough to look at" * 10, encoding="utf-8")
    with pytest.raises(StoreError, match=r"text.db: file is not a database"):
        Store(text)
    shutil.copy(path, tmp_path / "newer.db")
    connection = sqlite3.connect(tmp_path / "newer.db")
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="written by a newer version of Spielbaum"):
        Store(tmp_path / "newer.db")


def add_all(store, run, records):
    for record in records:
        store.add(run, record)


def test_a_read_only_store(tmp_path):
    """One clear sentence, and the games that were there stay."""
    path = tmp_path / "games.db"
    # Root may write everything, unless it gives its capabilities away.
    weak = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"] if os.geteuid() == 0 else []
    if weak and shutil.which("setpriv") is None:
        pytest.skip("root may write everything, and setpriv is not there")

    def match(games):
        words = f"match tictactoe random random:seed=3 --games {games} --jobs 1 --store {path}"
        return subprocess.run(
            [*weak, sys.executable, "-m", "spielbaum", *words.split()],
            capture_output=True,
            text=True,
            timeout=120,
        )

    assert match(4).returncode == 0
    before = path.read_bytes()
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        done = match(4)
    finally:
        tmp_path.chmod(0o700)
    assert done.returncode == 2
    assert done.stderr.startswith(f"spielbaum: store {path}: attempt to write a readonly database")
    assert len(done.stderr.splitlines()) == 1
    assert path.read_bytes() == before
