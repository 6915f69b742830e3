"""Whatever can happen to a task, once for processes of this machine and once for a Ray cluster."""

import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import failing_tasks as tasks
import spielbaum as sb
from spielbaum.arena.executor import Workers
from spielbaum.base.workers import Done, Failed, File, Lost, Pool, Processes, Told
from spielbaum.base.workers import cluster as clusters
from spielbaum.base.workers.cluster import Cluster
from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameTask, Seat

HERE = Path(__file__).parent.parent
PLACES = ("processes", "ray")


@pytest.fixture(scope="module", params=PLACES)
def place(request):
    """Where workers are: two of them."""
    if request.param == "processes":
        yield Processes()
        return
    ray = pytest.importorskip("ray")
    # Pools of tests that need one of their own find room beside the common one.
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield Cluster(workers=2)
    ray.shutdown()


@pytest.fixture(scope="module")
def pool(place):
    """One for all tests: what happens to it in one of them must not matter to the next."""
    with Pool(2, place) as made:
        yield made


def ends(pool, *given):
    """The last event of each task, by what was given."""
    last, told = {}, []
    until = time.monotonic() + 120
    while pool.open:
        assert time.monotonic() < until, f"tasks {sorted(set(given) - set(last))} do not end"
        for event in pool.events(10):
            if isinstance(event, Told):
                told.append(event.what)
            else:
                last[event.task] = event
    found = [last[task] for task in given]
    return (*found, told) if told else found


def test_answers_and_errors(pool):
    good, bad = pool.give(tasks.double, 21), pool.give(tasks.fail, 4)
    done, failed = ends(pool, good, bad)
    assert done == Done(good, 42)
    assert isinstance(failed.error, sb.SpecError)
    assert str(failed.error) == "4 is wrong"
    assert pool.events() == []  # nothing is being done


def test_many_tasks(pool):
    assert list(pool.map(tasks.double, range(60))) == list(range(0, 120, 2))
    assert sorted(pool.map(tasks.double, range(60), in_order=False)) == list(range(0, 120, 2))
    with pytest.raises(sb.SpecError, match="1 is wrong"):
        list(pool.map(tasks.fail, [1, 1]))


def test_what_is_told_on_the_way(pool):
    done, told = ends(pool, pool.give(tasks.tell, 3))
    assert (done.result, told) == (3, [0, 1, 2])


@pytest.mark.parametrize("how", ["crash", "kill"])
def test_a_worker_that_dies(pool, how, place):
    lost = pool.give(tasks.leave, 3) if how == "crash" else pool.give(tasks.be_killed)
    others = [pool.give(tasks.double, number) for number in range(20)]
    first, *rest = ends(pool, lost, *others)
    assert isinstance(first, Lost)
    assert (first.how, first.task) == ("death", lost)
    if isinstance(place, Processes):  # a cluster says it in its own words, and asks now and then
        assert first.ended == ("exit code 3" if how == "crash" else "SIGKILL")
        assert first.note.values == ((7, 8) if how == "crash" else (5,))
    assert [each.result for each in rest] == list(range(0, 40, 2))
    assert ends(pool, pool.give(tasks.double, 4))[0].result == 8


def test_a_task_that_hangs(pool):
    began = time.monotonic()
    lost, done = ends(pool, pool.give(tasks.hang), pool.give(tasks.double, 1))
    assert (lost.how, lost.note.values, done.result) == ("hang", (1, 2), 2)
    assert time.monotonic() - began < 40
    [lost] = ends(pool, pool.give(time.sleep, 3600, within=0.5))
    assert lost.how == "hang"


def test_a_limit_of_memory(place):
    with Pool(1, place, megabytes=3000) as pool:
        fine, much = ends(pool, pool.give(tasks.eat, 100), pool.give(tasks.eat, 4000))
    assert fine.result == 100 << 20
    assert isinstance(much.error, MemoryError)


def test_tasks_are_told_to_stop(pool):
    polite, stubborn = pool.give(tasks.wait_for_the_stop), pool.give(tasks.never_stop)
    waiting = pool.give(tasks.wait_for_the_stop)
    began = time.monotonic()
    while time.monotonic() - began < 3 and not pool.events(0.5):
        pass
    for task in (polite, stubborn, waiting):
        pool.stop(task, within=2.0)
    pool.stop(10**6)  # nobody knows it, and nothing happens
    first, second, third = ends(pool, polite, stubborn, waiting)
    assert first == Done(polite, "stopped")
    assert (second.how, third.how, third.ended) == ("stop", "stop", "it had not begun")


def test_what_is_kept(pool):
    keys = ["one", "two", "one", "one", "two"]
    found = ends(pool, *[pool.give(tasks.count_up, keep=key) for key in keys])
    assert [each.result for each in found] == [1, 1, 2, 3, 2]


def test_files_are_there(pool, tmp_path):
    path = tmp_path / "a.txt"
    for text in ("one", "another"):  # changed, it is sent again
        path.write_text(text)
        os.utime(path, ns=(len(text), len(text)))
        for _ in range(2):
            [done] = ends(pool, pool.give(tasks.whereabouts, File(path), keep="a"))
            assert done.result[0] == text
            assert done.result[1].endswith("a.txt")


def test_answers_that_cannot_be_sent(pool):
    [failed] = ends(pool, pool.give(tasks.answer_that_cannot_be_sent))
    assert isinstance(failed, Failed)
    assert "pickle" in str(failed.error)
    assert ends(pool, pool.give(tasks.double, 4))[0].result == 8


def test_modules(place):
    with Pool(1, place, imports=["no_such_module"]) as pool:
        [failed] = ends(pool, pool.give(tasks.double, 4))
    assert isinstance(failed.error, sb.SpecError)
    assert "no_such_module" in str(failed.error)


def test_a_cluster_that_is_full(place, monkeypatch):
    if isinstance(place, Processes):
        pytest.skip("processes of this machine always find room")
    monkeypatch.setattr(clusters, "START_SECONDS", 10.0)
    with Pool(5, place) as pool:  # of which four at most have room
        found = ends(pool, *[pool.give(tasks.double, number) for number in range(5)])
    failed = {str(each.error) for each in found if isinstance(each, Failed)}
    assert failed == {
        "the cluster has had no room for a worker for 10 s; ask for fewer workers than it has cores"
    }


def games(place, *specs, game="connect4", hang=1.0):
    executor = Workers(2, hang, ["strange_agents", "broken_game"], place=place)
    given = [
        GameTask(game, (Seat(spec, Limits()), Seat("random", Limits())), number=number)
        for number, spec in enumerate(specs)
    ]
    return sorted(executor.run(given), key=lambda each: each.task.number)


def test_agents_that_do_what_they_should_not(place):
    kinds = ("raise", "illegal", "sleep", "die")
    found = games(place, *(f"strange:how={how},ply=2" for how in kinds), "random")
    assert [each.ended_by for each in found] == ["crash", "illegal", "hang", "crash", "rules"]
    assert all(each.rewards == (-1.0, 1.0) for each in found[:4])
    assert "RuntimeError: no idea" in found[0].reason
    assert "move 9999 is not legal" in found[1].reason
    assert "no move after" in found[2].reason
    assert "its process died" in found[3].reason
    assert len(found[2].moves) == 2  # what was played before is known


def test_an_exception_in_a_game_in_python(place):
    importlib.import_module("broken_game")
    with pytest.raises(RuntimeError, match="the third move breaks it"):
        games(place, "random", game="broken")


SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import failing_tasks as tasks
from spielbaum.base.workers import Pool, Processes
from spielbaum.base.workers.cluster import Cluster
if __name__ == "__main__":
    place = Processes() if {where!r} == "processes" else Cluster(workers=2)
    with Pool(2, place) as pool:
        for _ in range(2):
            pool.give(tasks.leave_a_mark, {marks!r}, 3600)
        try:
            while pool.open:
                pool.events()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
"""


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("sent", ["ctrl-c", "kill -9"])
def test_nothing_is_left_behind(tmp_path, where, sent):
    """Ctrl-C, which a terminal sends to all processes, and the death of whoever gave the tasks."""
    if where == "ray":
        pytest.importorskip("ray")
    marks, script = tmp_path / "marks", tmp_path / "script.py"
    marks.mkdir()
    script.write_text(SCRIPT.format(tests=str(HERE), where=where, marks=str(marks)))
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 120
    while len(list(marks.iterdir())) < 2 and time.monotonic() < until and process.poll() is None:
        time.sleep(0.1)
    workers = [int(path.name) for path in marks.iterdir()]
    assert len(workers) == 2
    if sent == "ctrl-c":
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.kill()
    said, wrong = process.communicate(timeout=60)
    if sent == "ctrl-c":
        assert said == "interrupted\n"
        assert "Traceback" not in wrong
    until = time.monotonic() + 60
    while any(map(is_alive, workers)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(is_alive, workers))


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
