"""Workers of a cluster without a cluster: threads of this process stand for Ray's actors."""

import pickle
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for_all
from pathlib import Path
from types import SimpleNamespace

import pytest

import failing_tasks as tasks
from spielbaum.base.errors import SpecError
from spielbaum.base.workers import Done, Failed, File, Lost, Pool, Told, cluster, desk
from spielbaum.base.workers.cluster import Cluster, RayWorker, RemoteWorker, without_folders
from spielbaum.base.workers.desks import NOBODY, Order, Word


class RayError(Exception):
    pass


class GetTimeoutError(RayError):
    pass


class Actor:
    """An object whose methods are called in threads of its own."""

    def __init__(self, made, threads):
        self.made, self.alive, self.called = made, True, []
        self.threads = ThreadPoolExecutor(threads)

    def __getattr__(self, name):
        return SimpleNamespace(remote=lambda *given: self._call(name, given))

    def _call(self, name, given):
        self.called.append((name, given))
        return self, self.threads.submit(getattr(self.made, name), *given)


class FakeRay:
    """What is used of Ray."""

    exceptions = SimpleNamespace(RayError=RayError, GetTimeoutError=GetTimeoutError)

    def __init__(self, cores=3.0):
        self.cores, self.options, self.actors, self.started = cores, [], [], None
        self.startup = None

    def is_initialized(self):
        return self.started is not None

    def init(self, **options):
        self.started = options

    def cluster_resources(self):
        return {"CPU": self.cores} if self.cores else {}

    def remote(self, **options):
        self.options.append(options)
        return lambda made: SimpleNamespace(remote=lambda *given: self._actor(made, given, options))

    def _actor(self, made, given, options):
        self.actors.append(Actor(made(*given), options["max_concurrency"]))
        return self.actors[-1]

    def get(self, reference, timeout=None):
        actor, future = reference
        if timeout is not None:  # whether it has started at all
            assert timeout == cluster.START_SECONDS
            if self.startup is not None:
                raise self.startup
        if not actor.alive:
            raise RayError("The actor died.\nIts process was killed by somebody.  ")
        return future.result()

    def wait(self, references, timeout):
        [(actor, future)] = references
        if actor.alive:
            wait_for_all([future], timeout)
        ended = future.done() or not actor.alive
        return (references, []) if ended else ([], references)

    def kill(self, actor):
        actor.alive = False


@pytest.fixture
def ray(monkeypatch):
    made = FakeRay()
    monkeypatch.setattr(cluster, "when_needed", lambda name: {"ray": made}[name])
    monkeypatch.setattr(cluster, "PEEK_SECONDS", 0.02)
    yield made
    for actor in made.actors:
        actor.threads.shutdown(wait=False)


def events(pool, *kinds):
    """What happens until everything is over."""
    found, until = [], time.monotonic() + 20
    while pool.open:
        assert time.monotonic() < until
        found += pool.events(0.2)
    return [each for each in found if not kinds or isinstance(each, kinds)]


# ---- the cluster ----
def test_a_cluster_of_this_machine_or_of_others(ray):
    assert Cluster(workers=5).size() == 5
    assert Cluster(workers=5).attempts == 4  # machines are lost more often than tasks kill them
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    own = {"address": None, "num_cpus": 5, "include_dashboard": False}
    assert ray.started == own | quiet
    ray.started = None
    assert Cluster("far:1").size() == 3
    assert ray.started == {"address": "far:1"} | quiet
    ray.started, ray.cores = {"kept": True}, None
    assert Cluster().size() == 1
    assert ray.started == {"kept": True}


def test_workers_are_hired_with_what_they_import(ray, monkeypatch):
    limits, modules = [], []
    monkeypatch.setattr(cluster, "limit_memory", limits.append)
    monkeypatch.setattr(cluster, "used_megabytes", lambda: 1000)
    monkeypatch.setattr(cluster, "import_modules", modules.append)
    monkeypatch.setattr(sys, "path", ["a", "b"])
    worker = Cluster(workers=1).hire(["one", "two"], 500)
    assert ray.options == [{"num_cpus": 1, "max_concurrency": 2}]
    assert (modules, limits, sys.path) == ([("one", "two")], [1500], ["a", "b"])
    assert worker.end() == "it was ended"
    RemoteWorker([], None, ["b", "c"]).close()
    assert (len(limits), sys.path) == (1, ["a", "b", "c"])


# ---- a worker over there ----
def said(answer):
    return [(word.kind, word.task, word.what) for word in pickle.loads(answer)]


def test_files_come_once_and_go_when_others_come():
    worker = RemoteWorker([], None, [])
    order = Order(1, tasks.whereabouts, (File(Path("7-a.txt")),))
    [(kind, task, (text, path))] = said(worker.do(order, {"7-a.txt": b"one"}))
    assert (kind, task, text) == ("done", 1, "one")
    assert path.endswith("7-a.txt")
    assert said(worker.do(order, {}))[0][2][0] == "one"  # it is there
    later = Order(2, tasks.whereabouts, (File(Path("8-a.txt")),))
    assert said(worker.do(later, {"8-a.txt": b"another"}))[0][2][0] == "another"
    [(kind, _, error)] = said(worker.do(order, {}))
    assert (kind, type(error)) == ("failed", FileNotFoundError)
    folder = worker._folder.name
    worker.close()
    assert not Path(folder).exists()


def test_names_of_files_say_when_they_were_written(tmp_path):
    path = tmp_path / "net.onnx"
    path.write_text("x")
    name = f"{path.stat().st_mtime_ns:x}-net.onnx"
    order, files = without_folders(Order(3, tasks.double, (1, File(path)), "key", 2.0))
    assert order == Order(3, tasks.double, (1, File(Path(name))), "key", 2.0)
    assert files == {name: path}


def test_what_was_told_comes_with_the_answer_or_when_asked():
    worker, begun, go_on = RemoteWorker([], None, []), threading.Event(), threading.Event()

    def task():
        desk().note(4, 2)
        desk().tell("half")
        begun.set()
        go_on.wait(10)
        desk().tell("more")
        return desk().stopped

    assert worker.peek()[0].task == NOBODY
    answers = []
    doing = threading.Thread(target=lambda: answers.append(worker.do(Order(5, task, ()), {})))
    doing.start()
    assert begun.wait(10)
    note, told = worker.peek()
    assert (note.task, note.values, said(told)) == (5, (4, 2), [("told", 5, "half")])
    worker.stop(5)
    go_on.set()
    doing.join()
    assert said(answers[0]) == [("told", 5, "more"), ("done", 5, True)]
    worker.close()


# ---- a worker as the pool sees it ----
def test_tasks_in_a_pool(ray, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one")
    with Pool(1, Cluster(workers=1)) as pool:
        assert list(pool.map(tasks.double, range(5))) == [0, 2, 4, 6, 8]
        for _ in range(2):
            pool.give(tasks.whereabouts, File(path))
        assert [each.result[0] for each in events(pool, Done)] == ["one", "one"]
        pool.give(tasks.fail, 3)
        [failed] = events(pool)
        assert str(failed.error) == "3 is wrong"
        [actor] = ray.actors
        sent = [given[1] for name, given in actor.called if name == "do"]
        assert [len(new) for new in sent] == [0] * 5 + [1, 0, 0]
    assert actor.called[-1][0] == "close"
    assert not actor.alive


def tell_and_wait():
    desk().tell("begun")
    return tasks.wait_for_the_stop()


def test_tasks_tell_and_are_stopped(ray):
    with Pool(1, Cluster(workers=1)) as pool:
        task = pool.give(tell_and_wait)
        until, found = time.monotonic() + 20, []
        while not found and time.monotonic() < until:
            found += pool.events(0.2)
        assert found == [Told(task, "begun")]
        pool.stop(task)
        assert events(pool) == [Done(task, "stopped")]
        assert ("stop", (task,)) in ray.actors[0].called


def note_and_wait(seconds):
    desk().note(1, 2, within=0.1)
    time.sleep(seconds)


def test_tasks_that_hang_are_known_by_their_notes(ray, monkeypatch):
    monkeypatch.setattr(cluster, "CLOSING_SECONDS", 0.05)
    with Pool(1, Cluster(workers=1)) as pool:
        pool.give(note_and_wait, 1.5)
        [lost] = events(pool, Lost)
        assert (lost.how, lost.note.values, lost.ended) == ("hang", (1, 2), "it was ended")
        assert not ray.actors[0].alive


def test_workers_that_die_say_why(ray, monkeypatch):
    monkeypatch.setattr(cluster, "CLOSING_SECONDS", 0.05)
    with Pool(1, Cluster(workers=1)) as pool:
        task = pool.give(tell_and_wait)
        while not pool.events(0.2):
            pass
        actor = ray.actors[0]
        ray.kill(actor)
        [lost] = events(pool, Lost)
        actor.made.stop(task)
        assert (lost.how, lost.ended) == ("death", "Its process was killed by somebody.")
        pool.give(tasks.double, 2)  # the next one does it
        assert [each.result for each in events(pool, Done)] == [4]
        assert len(ray.actors) == 2


@pytest.mark.parametrize(
    ("startup", "said"),
    [
        (GetTimeoutError("late"), "the cluster has had no room for a worker for 300 s"),
        (RayError("long\nno module x"), "workers of the cluster cannot start: no module x"),
    ],
)
def test_workers_that_cannot_start(ray, startup, said):
    ray.startup = startup
    with Pool(1, Cluster(workers=1)) as pool:
        pool.give(tasks.double, 1)
        [failed] = events(pool, Failed)
    assert isinstance(failed.error, SpecError)
    assert str(failed.error).startswith(said)


def test_a_worker_without_a_task_has_noted_nothing(ray):
    worker = RayWorker(ray, (), None)
    assert worker.note().task == NOBODY
    assert pickle.loads(worker.pipe.recv_bytes()) == [Word("done", NOBODY, None)]
    worker.end()
