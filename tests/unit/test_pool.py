"""The pool and the desk without processes: a test says what workers say."""

import os
import pickle
import queue
import signal
import sys
import threading
import time
from multiprocessing import Pipe, resource_tracker

import pytest

import failing_tasks as tasks
from spielbaum.base.errors import SpecError, WorkerError
from spielbaum.base.workers import Done, Failed, File, Lost, Pool, Told, desk, wait_for
from spielbaum.base.workers import pool as pools
from spielbaum.base.workers import process as processes
from spielbaum.base.workers.desks import (
    MOST_KEPT,
    NOBODY,
    NOTES,
    SLATE,
    Desk,
    Note,
    Order,
    Slate,
    Word,
    as_bytes,
)
from spielbaum.base.workers.process import Process, Processes, exit_name, interrupts_held


class Scripted:
    """A worker that says what a test says."""

    def __init__(self, imports, megabytes):
        self.imports, self.megabytes = imports, megabytes
        self.pipe, self.theirs = Pipe()
        self.noted, self.ended, self.patience = Note(NOBODY, (), 0.0, False), False, None
        self.say(Word("done", NOBODY, None))

    def note(self):
        return self.noted

    def end(self, patience=0.0):
        self.ended, self.patience = True, patience
        self.pipe.close()
        return "SIGKILL"

    def say(self, *words):
        self.theirs.send_bytes(as_bytes(words))

    def begin(self, task, *values, late=False, seconds=0.0):
        self.noted = Note(task, values, seconds, late)

    def die(self):
        self.theirs.close()

    def orders(self):
        found = []
        while self.theirs.poll():
            found.append(self.theirs.recv())
        return found

    def given(self):
        return [order.task for each in self.orders() if isinstance(each, list) for order in each]


class Place:
    attempts = 2

    def __init__(self, room=2):
        self.room, self.hired = room, []

    def size(self):
        return self.room

    def hire(self, imports, megabytes):
        self.hired.append(Scripted(imports, megabytes))
        return self.hired[-1]


@pytest.fixture
def place():
    return Place()


def done(task, result=None, seconds=1.0):
    return Word("done", task, result, seconds)


def give(pool, count, **options):
    given = [pool.give(abs, number, **options) for number in range(count)]
    assert pool.events(0) == []
    return given


def test_workers_are_started_when_they_are_needed(place):
    pool = Pool(3, place, imports=["one"], megabytes=512)
    assert (pool.size, pool.open, pool.room, place.hired) == (3, 0, 3, [])
    give(pool, 2)
    assert [worker.given() for worker in place.hired] == [[0], [1]]
    assert [(each.imports, each.megabytes) for each in place.hired] == [(("one",), 512)] * 2
    assert (pool.open, pool.room) == (2, 1)
    pool.close()
    assert all(worker.ended for worker in place.hired)
    assert (pool.open, pool.pipes) == (0, [])
    assert Pool(place=place).size == 2  # as many as there is room for
    begun = Pool(2, place)
    begun.start()
    assert len(place.hired) == 4


def test_tasks_wait_for_their_turn(place):
    pool = Pool(2, place)
    give(pool, 5)
    first, second = place.hired
    assert (first.given(), second.given(), pool.room) == ([0], [1], -3)
    second.say(done(1, "b"))
    assert pool.events() == [Done(1, "b")]
    assert (first.given(), second.given()) == ([], [2])
    first.say(Word("told", 0, "half"), done(0, "a"))
    assert pool.events() == [Told(0, "half"), Done(0, "a")]
    assert (first.given(), pool.room, pool.open) == ([3], -1, 3)


def test_brisk_tasks_are_sent_ahead(place):
    pool = Pool(1, place)
    pool.give(abs, 1)
    assert pool.events(0) == []
    [worker] = place.hired
    worker.say(done(0, seconds=0.01))
    pool.events()
    assert pool.room == 1 + round(pools.AHEAD_SECONDS / 0.01)
    give(pool, 30)
    assert worker.given() == [0, *range(1, 12)]
    assert pool.room == -19
    for task in range(1, 30):  # no faster than a worker can be, however brisk the tasks are
        worker.say(done(task, seconds=0.0))
        pool.events()
    assert worker.given() == list(range(12, 31))
    worker.say(done(30, seconds=0.0))
    pool.events()
    assert 30 < pool.room <= pools.MOST_AHEAD + 1
    pool.give(abs, 1)
    pool.events(0)
    worker.say(done(31, seconds=10.0))  # a slow one makes it careful again
    pool.events()
    assert pool.room == 1


def test_brisk_tasks_are_shared_out(place):
    pool = Pool(2, place)
    give(pool, 2)
    for task, worker in enumerate(place.hired):
        worker.say(done(task, seconds=0.001))
    while pool.open:
        pool.events()
    give(pool, 6)
    assert [worker.given()[1:] for worker in place.hired] == [[2, 3, 4], [5, 6, 7]]


def test_errors_of_tasks(place):
    pool = Pool(1, place)
    give(pool, 1)
    place.hired[0].say(Word("failed", 0, SpecError("no")))
    [failed] = pool.events()
    assert isinstance(failed, Failed)
    assert str(failed.error) == "no"
    place.hired[0].say(done(0), Word("told", 0, 1))  # it is over: nobody wants to know
    assert pool.events(0.05) == []


def test_what_a_lost_worker_had_not_begun_is_given_to_the_next(place):
    pool = Pool(1, place)
    give(pool, 1)
    [worker] = place.hired
    worker.say(done(0, seconds=0.001))
    pool.events()
    give(pool, 5)
    worker.say(done(1))
    worker.begin(3, 7)  # the answer to 2 is lost, too
    worker.die()
    events = pool.events() + pool.events(0)
    assert events == [Done(1, None), Lost(3, "death", "SIGKILL", Note(3, (7,), 0.0, False))]
    assert (worker.ended, worker.patience) == (True, pools.DYING_SECONDS)
    pool.events(0)
    assert place.hired[1].given() == [2]  # how long tasks take there is not known
    place.hired[1].say(done(2, seconds=0.001))
    pool.events()
    assert place.hired[1].given() == [4, 5]


def test_workers_that_cannot_start(place):
    pool = Pool(1, place)
    pool.give(abs, 1)
    pool.give(abs, 2)
    pool.hand_out()
    place.hired[0].pipe.recv_bytes()  # it did not say that it could
    place.hired[0].die()
    [failed] = pool.events()
    assert failed.task == 0
    assert str(failed.error).startswith("a worker ended before its first task (SIGKILL); a script")
    assert isinstance(failed.error, WorkerError)
    pool.hand_out()
    place.hired[1].pipe.recv_bytes()
    place.hired[1].say(Word("failed", NOBODY, SpecError("module x")))
    [failed] = pool.events()
    assert (failed.task, str(failed.error)) == (1, "module x")
    assert all(worker.ended for worker in place.hired)
    assert pool.open == 0


def test_a_worker_that_dies_between_tasks(place):
    pool = Pool(1, place)
    give(pool, 1)
    place.hired[0].die()  # it had not begun, and never answered anything
    [failed] = pool.events()
    assert isinstance(failed.error, WorkerError)
    give(pool, 2)
    place.hired[1].say(done(1))
    pool.events()
    place.hired[1].die()  # it has worked before: another one may, too
    assert pool.events(0.05) == []
    assert place.hired[2].given() == [2]
    place.hired[2].die()
    assert isinstance(pool.events()[0], Failed)
    give(pool, 1)
    place.hired[3].say(done(3))
    pool.events()
    place.hired[3].die()  # with nothing to do
    assert pool.events(0.05) == []
    give(pool, 1)
    assert place.hired[4].given() == [4]


@pytest.mark.parametrize("how", ["hang", "stop"])
def test_tasks_that_hang_or_do_not_stop(place, how, monkeypatch):
    monkeypatch.setattr(pools, "LOOK_SECONDS", 0.01)
    pool = Pool(1, place)
    give(pool, 2)
    [worker] = place.hired
    worker.begin(0, 4, late=how == "hang", seconds=61.0)
    if how == "stop":
        pool.stop(0, within=0.05)
        pool.stop(0, within=1000.0)  # the first word counts
        assert worker.orders()[1:] == [0, 0]
    [lost] = pool.events(5)
    assert lost == Lost(0, how, "SIGKILL", Note(0, (4,), 61.0, how == "hang"))
    assert worker.patience == 0.0
    assert place.hired[1].given() == [1]


def test_a_task_that_hangs_beside_a_worker_without_one(place, monkeypatch):
    monkeypatch.setattr(pools, "LOOK_SECONDS", 0.01)
    pool = Pool(3, place)
    give(pool, 2)
    idle, busy = place.hired
    idle.say(done(0))
    pool.events()
    busy.begin(1, late=True)
    [lost] = pool.events(5)
    assert (lost.task, lost.how, idle.ended) == (1, "hang", False)


def test_who_answers_at_the_last_moment_does_not_hang(place, monkeypatch):
    monkeypatch.setattr(pools, "LOOK_SECONDS", 0.01)
    pool = Pool(1, place)
    give(pool, 1)
    [worker] = place.hired
    worker.begin(0, late=True)
    heard = pool._hear
    monkeypatch.setattr(pools, "wait", lambda pipes, seconds: time.sleep(0.02) or [])
    worker.say(done(0, "just"))
    assert pool.events(5) == [Done(0, "just")]
    assert not worker.ended
    assert heard is not None
    worker.begin(0, late=True)  # an old note of a task that is over
    pool.give(abs, 1)
    assert pool.events(0.1) == []
    assert not worker.ended


def test_what_has_not_begun_is_stopped_at_once(place):
    pool = Pool(1, place)
    give(pool, 3)
    own = pool.give(abs, 1, keep="a")
    pool.stop(2)
    pool.stop(own)
    pool.stop(99)
    assert [(each.task, each.how, each.ended) for each in pool.events()] == [
        (2, "stop", "it had not begun"),
        (own, "stop", "it had not begun"),
    ]
    place.hired[0].say(done(0))
    pool.events()
    assert place.hired[0].given() == [0, 1]


def test_what_was_told_to_stop_does_not_begin_again(place):
    pool = Pool(1, place)
    give(pool, 1)
    [worker] = place.hired
    worker.say(done(0, seconds=0.001))
    pool.events()
    give(pool, 3)  # sent ahead
    pool.stop(2)
    worker.begin(1)
    worker.die()
    assert [(each.task, each.how) for each in pool.events()] == [(1, "death"), (2, "stop")]
    assert place.hired[1].given() == [3]


def test_a_key_belongs_to_one_worker(place):
    pool = Pool(2, place)
    for key in ("a", "b", "a", "c"):
        pool.give(abs, 1, keep=key)
    pool.events(0)
    first, second = place.hired
    assert (first.given(), second.given()) == ([0], [1])
    second.say(done(1))
    pool.events()
    assert second.given() == []  # the others are not for it
    first.say(done(0))
    pool.events()
    assert first.given() == [2]
    first.begin(2)
    first.die()
    [lost] = pool.events()
    assert lost.task == 2
    pool.give(abs, 1, keep="a")
    pool.events(0)
    third = place.hired[2]
    assert third.given() == [3]  # c, then a: in the place of the first
    third.say(done(3))
    pool.events()
    assert third.given() == [4]


def test_keys_are_forgotten_and_settle(place):
    pool = Pool(2, place)
    for key in ("a", "b"):
        pool.give(abs, 1, keep=key)
    pool.events(0)
    first, second = place.hired
    assert (first.given(), second.given()) == ([0], [1])
    assert not any(map(pool.free, ("a", "b", "new")))
    second.say(done(1))
    pool.events()
    assert [pool.free(key) for key in ("a", "b", "new")] == [False, True, True]
    pool.settle("b")  # it is where it can begin
    assert second.orders() == first.orders() == []
    pool.settle("a")  # it begins anew elsewhere
    [[dropped]] = first.orders()
    assert (dropped.task, dropped.keep) == (NOBODY, "a")
    pool.give(abs, 1, keep="a")
    pool.events(0)
    assert second.given() == [2]
    pool.settle("c")  # nobody is idle, and nothing happens
    pool.forget("a")
    [[dropped]] = second.orders()
    assert dropped.keep == "a"
    pool.forget("unknown")
    second.say(Word("done", NOBODY, None), done(2))  # the answer of what dropped it
    assert pool.events() == [Done(2, None)]
    pool.give(abs, 1, keep="d")
    pool.events(0)
    assert first.given() == []
    first.say(done(0))
    pool.events()
    assert first.given() == [3]  # it had the fewest keys


def test_waiting(place, monkeypatch):
    pool, other = Pool(1, place), Pool(1, place)
    assert pool.events() == []  # nothing can happen
    began = time.monotonic()
    give(pool, 1)
    assert pool.events(0.3) == []
    assert 0.3 <= time.monotonic() - began < 10
    seen = []
    monkeypatch.setattr(pools, "wait", lambda pipes, seconds: seen.append((list(pipes), seconds)))
    other.give(abs, 1)
    wait_for([pool, other], 0.5)
    assert seen == [([place.hired[0].pipe, place.hired[1].pipe], 0.5)]


def test_how_long_is_waited(place, monkeypatch):
    pool, seen = Pool(1, place), []
    give(pool, 1)
    monkeypatch.setattr(pools, "wait", lambda pipes, seconds: seen.append(seconds) or [])
    assert pool.events(0) == []
    assert seen == [0.0]
    assert pool.events(0.05) == []
    assert 0 < seen[1] <= 0.05
    place.hired[0].say(done(0))
    seen.clear()
    monkeypatch.setattr(pools, "wait", lambda pipes, seconds: seen.append(seconds) or pipes)
    assert pool.events(5) == [Done(0, None)]
    assert seen == [pools.LOOK_SECONDS]  # in between it is looked whether something hangs


def test_answers_in_their_order(place, monkeypatch):
    pool = Pool(1, place)
    following = iter([[Done(1, "b")], [Done(0, "a"), Told(9, 9)], [Done(2, "c")]])
    monkeypatch.setattr(pool, "events", lambda: next(following))
    assert list(pool.map(abs, [1, 2, 3][:1])) == ["a"]


def test_a_worker_that_dies_ends_a_map(place, monkeypatch):
    pool = Pool(1, place)
    lost = Lost(0, "death", "SIGSEGV", Note(0, (), 0.0, False))
    monkeypatch.setattr(pool, "events", lambda: [lost])
    with pytest.raises(WorkerError, match=r"a worker was lost \(SIGSEGV\)"):
        list(pool.map(abs, [1]))


# ---- the desk ----
@pytest.fixture
def said():
    return []


@pytest.fixture
def made(said):
    return Desk(Slate([0] * SLATE), said.append)


def test_slates():
    slate = Slate([0] * SLATE)
    slate.begin(5, within=0.0)
    slate.note((1, 2), within=None)
    slate.note((3,), within=1000.0)
    assert (slate.read().task, slate.read().values, slate.read().is_late) == (5, (1, 2, 3), False)
    slate.note((), within=-1.0)
    assert slate.read().is_late
    assert 0 <= slate.read().seconds < 10
    slate.note(range(NOTES), None)  # as far as there is room
    assert slate.read().values == (1, 2, 3, *range(NOTES - 3))
    slate.begin(NOBODY, within=-1.0)
    found = slate.read()
    assert (found.task, found.values, found.is_late) == (NOBODY, (), False)


def test_a_desk_does_tasks(made, said, tmp_path):
    seen = []

    def task(path, number):
        assert desk() is made
        desk().tell(number)
        desk().note(4, 5)
        seen.append((path, made.slate.read()))
        return number + 1

    word = made.run(Order(3, task, (File(tmp_path), 7), within=50.0))
    assert (word.kind, word.task, word.what) == ("done", 3, 8)
    assert 0 <= word.seconds < 10
    assert said == [Word("told", 3, 7)]
    assert (seen[0][0], seen[0][1].task, seen[0][1].values) == (tmp_path, 3, (4, 5))
    assert made.slate.read().task == NOBODY
    assert desk() is not made
    desk().tell("nobody hears it")
    failed = made.run(Order(4, tasks.fail, (1,)))
    assert (failed.kind, str(failed.what)) == ("failed", "1 is wrong")
    assert 0 <= failed.seconds < 10


def test_a_slate_says_from_its_beginning_when_a_task_is_late(made):
    slate = made.slate
    slate.begin(1, within=60.0)
    assert slate.read().seconds < 10
    assert not slate.read().is_late
    slate.begin(2, within=-1.0)
    assert slate.read().is_late


def test_a_task_that_nobody_waits_for(made):
    called = []

    def task(listens):
        if listens:
            desk().when_stopped(lambda: called.append("stopped"))
        return made.leave(), desk().stopped

    assert made.run(Order(1, task, (False,))).what == (False, True)
    assert made.run(Order(2, task, (True,))).what == (True, True)
    assert called == ["stopped"]


def test_what_a_desk_keeps(made):
    def kept(key):
        return made.run(Order(1, lambda: desk().keep(object), (), key)).what

    first = kept("a")
    assert kept("a") is first
    assert kept(None) is not first
    for number in range(MOST_KEPT - 2):
        kept(number)
    assert kept("a") is first  # just used
    kept("one more")
    assert kept("a") is first
    for number in range(MOST_KEPT):
        kept(number)
    assert kept("a") is not first
    second = kept("a")
    made.run(Order(1, lambda: desk().drop(), (), "a"))
    assert kept("a") is not second


def test_stops(made):
    called = []

    def task():
        assert not desk().stopped
        desk().when_stopped(lambda: called.append(threading.current_thread().name))
        made.stop(8)
        assert not desk().stopped
        threading.Thread(target=made.stop, args=(9,), name="other").start()
        while not called:
            time.sleep(0.001)
        return desk().stopped

    assert made.run(Order(9, task, ())).what is True
    made.stop(11)  # before it began
    made.run(Order(11, lambda: desk().when_stopped(lambda: called.append("at once")), ()))
    assert called == ["other", "at once"]

    def interrupted():
        raise KeyboardInterrupt

    assert isinstance(made.run(Order(12, interrupted, ())).what, KeyboardInterrupt)
    assert made.run(Order(11, lambda: desk().stopped, ())).what is False  # that was another time


def test_words_that_cannot_be_sent():
    class Own(Exception):
        def __init__(self, one, two):
            super().__init__(f"{one} {two}")

    words = [Word("done", 1, 5), Word("done", 2, lambda: 0, 0.5), Word("failed", 3, Own(1, 2))]
    fine, unsent, own = pickle.loads(as_bytes(words))
    assert fine == words[0]
    assert (unsent.kind, unsent.task, unsent.seconds) == ("failed", 2, 0.5)
    assert isinstance(unsent.what, WorkerError)
    assert str(own.what) == "Own: 1 2"
    [long] = pickle.loads(as_bytes([Word("failed", 4, Own("x" * 500, 2))]))
    assert len(str(long.what)) == 400


# ---- processes ----
@pytest.mark.parametrize(
    ("code", "name"),
    [
        (-9, "SIGKILL"),
        (-11, "SIGSEGV"),
        (0, "exit code 0"),
        (3, "exit code 3"),
        (None, "exit code None"),
        (-250, "exit code -250"),
    ],
)
def test_how_a_process_ended(code, name):
    assert exit_name(code) == name


def test_how_many_processes(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert Processes().size() == 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)  # where nobody knows
    assert Processes().size() == 1
    assert Processes.attempts == 2


def test_which_processes_may_have_children():
    for parents in (False, True):
        worker = Processes(parents=parents).hire((), None)
        assert isinstance(worker, Process)
        assert worker._process.daemon is not parents
        assert worker.end() == "SIGKILL"
        assert worker.pipe.closed


def test_interrupts_wait():
    before = signal.getsignal(signal.SIGINT)
    ended = []

    def hold():
        with interrupts_held():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
            ended.append(True)

    with pytest.raises(KeyboardInterrupt):
        hold()
    assert ended
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with interrupts_held():
        pass  # nothing came, and nothing happens


def test_processes_that_are_started_do_not_let_interrupts_through(monkeypatch):
    tracker = resource_tracker.ResourceTracker()  # which lifts the mask when it starts
    monkeypatch.setattr(resource_tracker, "ensure_running", tracker.ensure_running)
    with interrupts_held():
        tracker.ensure_running()
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    tracker._stop()


class Unreadable:
    """Can be sent, and not be read."""

    def __reduce__(self):
        return int, ("no number",)


def test_processes_that_end_by_themselves():
    with Pool(1) as pool:
        pool.give(divmod, 7, 2)
        assert pool.events() == [Done(0, (3, 1))]
        pool.give(sys.exit, 3)  # a task may leave as a program does
        [lost] = pool.events(30)
        assert (lost.how, lost.ended) == ("death", "exit code 3")
        pool.give(abs, Unreadable())
        [failed] = pool.events(30)
        assert "ended before its first task (exit code 1)" in str(failed.error)


@pytest.fixture
def exits(monkeypatch):
    """The codes with which this process would have ended."""
    found = []
    monkeypatch.setattr(processes.os, "_exit", found.append)
    return found


def test_answers_are_sent_together_or_at_once(exits, monkeypatch):
    monkeypatch.setattr(processes, "FLUSH_SECONDS", 0.05)
    ours, theirs = Pipe()
    outbox = processes._Outbox(theirs)
    outbox.flush()  # nothing
    outbox.add(done(1))
    assert not ours.poll()
    outbox.say(Word("told", 2, "half"))
    assert pickle.loads(ours.recv_bytes()) == [done(1), Word("told", 2, "half")]
    threading.Thread(target=outbox.flush_often, daemon=True).start()
    for task in (3, 4):  # by the thread, while something else goes on
        outbox.add(done(task))
        assert ours.poll(10)
        assert pickle.loads(ours.recv_bytes()) == [done(task)]
    flushed = []
    monkeypatch.setattr(outbox, "flush", lambda flush=outbox.flush: flushed.append(flush()))
    time.sleep(0.3)
    assert len(flushed) <= 1  # it sleeps where there is nothing to say
    ours.close()
    assert exits == []
    outbox.say(done(5))
    assert exits == [1]


@pytest.mark.parametrize("listens", [False, True])
def test_a_worker_whose_pool_is_gone(made, exits, monkeypatch, listens):
    slept, inbox = [], queue.SimpleQueue()
    monkeypatch.setattr(processes.time, "sleep", slept.append)
    ours, theirs = Pipe()
    orders = [Order(number, abs, (number,)) for number in range(3)]
    ours.send(orders[:2])
    ours.send(7)
    ours.send(orders[2:])
    ours.close()

    def task():
        if listens:
            desk().when_stopped(lambda: None)
        processes._listen(theirs, made, inbox)
        return desk().stopped

    assert made.run(Order(9, task, ())).what is True
    assert [inbox.get().task for _ in range(3)] == [0, 1, 2]
    assert made.run(Order(7, lambda: desk().stopped, ())).what is True
    assert exits == [1]
    assert slept == ([processes.LEFT_SECONDS] if listens else [])  # it has time to end by itself
