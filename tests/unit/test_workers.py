"""Who plays games: what is done about processes that die or hang, without starting any."""

import os
import signal
import threading
from collections import deque
from dataclasses import replace
from multiprocessing import Pipe
from types import SimpleNamespace

import pytest

import spielbaum as sb
from spielbaum.arena import relative, workers
from spielbaum.arena.relative import relative_limits
from spielbaum.arena.workers import Attempt, LocalExecutor, end_with_parent, lost_game
from spielbaum.base.errors import SpecError, WorkerError
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Opening
from spielbaum.play.referee import GameRecord, GameTask, Seat


def task(number=0, limits=None, game="tictactoe"):
    names = ("a", "b", "c")[: sb.game(game).num_players]
    seats = tuple(Seat(name, limits or Limits()) for name in names)
    return GameTask(game, seats, number=number)


def record_of(given, ended_by="rules"):
    return GameRecord(given, (), (0.0, 0.0), ended_by, "", started=0.0)


# ---- the executor, with workers that are no processes ----
class Pretended:
    """A worker whose games end as `script` says: a record, a death, or no end at all."""

    hired: list["Pretended"] = []  # noqa: RUF012
    script = staticmethod(lambda given: "plays")
    begun = True

    room = 1  # games that it may have, with the one that it plays

    def __init__(self, imports, megabytes=None):
        self.imports, self.megabytes, self.pipe, self.killed = imports, megabytes, self, False
        self.attempts, self.given = deque(), []
        Pretended.hired.append(self)

    @property
    def does(self):
        return Pretended.script(self.attempts[0])

    def wants_more(self):
        return len(self.attempts) < Pretended.room

    def give(self, attempt):
        self.attempts.append(attempt)
        self.given.append(attempt.task.number)

    def take(self):
        return None if self.does == "dies" else record_of(self.attempts.popleft().task)

    def not_begun(self):
        return list(self.attempts)[:0:-1]

    def is_late(self, hang):
        self.hang = hang
        return bool(self.attempts) and self.does == "hangs"

    def thinking(self):
        return 61.4

    def lost(self, ended_by, reason):
        return GameRecord(self.attempts[0].task, (), (-1.0, 1.0), ended_by, reason)

    def has_begun(self):
        return Pretended.begun

    def exit_code(self):
        return -9

    def kill(self):
        self.killed = True


@pytest.fixture
def pretended(monkeypatch):
    """Workers without processes, all of which end their games at once unless they hang."""
    monkeypatch.setattr(workers, "_Worker", Pretended)
    monkeypatch.setattr(Pretended, "hired", [])
    monkeypatch.setattr(Pretended, "script", staticmethod(lambda attempt: "plays"))
    monkeypatch.setattr(Pretended, "begun", True)
    monkeypatch.setattr(Pretended, "room", 1)

    def ready(pipes, seconds):
        return [each for each in pipes if each.attempts and each.does != "hangs"]

    monkeypatch.setattr(workers, "wait", ready)
    return Pretended


def test_workers_take_turns(pretended):
    executor = LocalExecutor(jobs=2, imports=["one", "two"], megabytes=512)
    records = list(executor.run(task(number) for number in range(5)))
    assert sorted(record.task.number for record in records) == [0, 1, 2, 3, 4]
    assert [each.given for each in pretended.hired] == [[0, 2, 4], [1, 3]]
    assert all(each.imports == ("one", "two") for each in pretended.hired)
    assert all(each.megabytes == 512 for each in pretended.hired)
    assert all(each.killed for each in pretended.hired)


def test_there_are_no_more_workers_than_games(pretended, monkeypatch):
    list(LocalExecutor(jobs=8).run([task(0), task(1)]))
    assert len(pretended.hired) == 2
    assert list(LocalExecutor(jobs=8).run([])) == []
    assert len(pretended.hired) == 2
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    list(LocalExecutor().run(map(task, range(9))))
    assert len(pretended.hired) == 2 + 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)  # where nobody knows
    list(LocalExecutor().run(map(task, range(9))))
    assert len(pretended.hired) == 2 + 3 + 1


def test_a_game_whose_process_dies_is_begun_again_first(pretended):
    pretended.script = lambda attempt: "dies" if attempt.task.number + attempt.count == 0 else ""
    records = list(LocalExecutor(jobs=1).run([task(0), task(1)]))
    assert [(each.task.number, each.ended_by) for each in records] == [(0, "rules"), (1, "rules")]
    assert [each.given for each in pretended.hired] == [[0], [0, 1]]
    assert all(each.killed for each in pretended.hired)


def test_a_game_whose_process_dies_twice_is_lost(pretended):
    pretended.script = lambda attempt: "dies" if attempt.task.number == 0 else ""
    records = list(LocalExecutor(jobs=1).run([task(0), task(1)]))
    assert [(each.task.number, each.ended_by) for each in records] == [(0, "crash"), (1, "rules")]
    assert records[0].reason == "its process died (SIGKILL)"
    assert [each.given for each in pretended.hired] == [[0], [0], [1]]


def test_processes_that_cannot_start_are_an_error(pretended):
    pretended.script, pretended.begun = lambda attempt: "dies", False
    with pytest.raises(WorkerError, match=r"ended before its first game \(SIGKILL\)"):
        list(LocalExecutor(jobs=1).run([task(0)]))
    assert all(each.killed for each in pretended.hired)


@pytest.mark.parametrize("does", ["dies", "hangs"])
def test_games_sent_ahead_of_a_lost_one_go_to_another_in_their_order(pretended, does):
    pretended.room = 3
    pretended.script = lambda attempt: does if attempt.task.number + attempt.count == 1 else ""
    records = list(LocalExecutor(jobs=1).run(map(task, range(6))))
    assert [each.task.number for each in records] == [0, 1, 2, 3, 4, 5]
    first, second = (each.given for each in pretended.hired)
    assert first == [0, 1, 2, 3]
    assert second == ([1, 2, 3, 4, 5] if does == "dies" else [2, 3, 4, 5])


def test_a_process_that_dies_without_a_game_is_replaced(pretended):
    executor = LocalExecutor(jobs=1)
    idle, waiting = Pretended(()), deque()
    following, record = executor._replace(idle, waiting)
    assert (record, list(waiting), idle.killed) == (None, [], True)
    assert following is not idle


def test_an_agent_that_hangs_loses_and_its_process_is_replaced(pretended):
    pretended.script = lambda attempt: "hangs" if attempt.task.number == 0 else ""
    records = list(LocalExecutor(jobs=1, hang=7.0).run([task(0), task(1)]))
    assert [(each.task.number, each.ended_by) for each in records] == [(0, "hang"), (1, "rules")]
    assert records[0].reason == "no move after 61 s"
    first, second = pretended.hired
    assert (first.killed, first.hang, second.given) == (True, 7.0, [1])


def test_games_end_when_nobody_listens_any_more(pretended):
    games = LocalExecutor(jobs=2).run(map(task, range(9)))
    next(games)
    assert not any(each.killed for each in pretended.hired)
    games.close()
    assert all(each.killed for each in pretended.hired)


def test_stop_ends_the_games_for_good(pretended):
    executor = LocalExecutor(jobs=1)
    seen = []
    for record in executor.run(map(task, range(9))):
        seen.append(record.task.number)
        executor.stop()
    assert seen == [0]
    assert all(each.killed for each in pretended.hired)
    assert list(executor.run([task(0)])) == []


def test_an_agent_may_be_a_minute_late():
    assert LocalExecutor()._hang == workers.HANG_SECONDS == 60
    assert workers.ATTEMPTS == 2


# ---- what is known of a worker's game ----
@pytest.fixture
def worker():
    """A worker without a process: what a process would write is written by the test."""
    made = object.__new__(workers._Worker)
    made.attempts, made._status, made._actions = deque(), [0.0] * 4, [0] * 16
    made._is_brisk = False
    made.sent = []
    made.pipe = SimpleNamespace(send=made.sent.append, recv=lambda: made.answer)
    return made


class Context:
    """Stands for `multiprocessing`, and notes what is done with the only process."""

    def __init__(self):
        self.Pipe, self.done = Pipe, []
        self.start, self.kill, self.join = (
            lambda *_, name=name: self.done.append(name) for name in ("start", "kill", "join")
        )
        self.exitcode = -9

    def RawArray(self, kind, size):  # noqa: N802
        return [0] * size

    def Process(self, **options):  # noqa: N802
        self.options = options
        return self


def test_a_worker_begins_with_nothing(monkeypatch):
    context, ways = Context(), []
    monkeypatch.setattr(
        workers,
        "multiprocessing",
        SimpleNamespace(get_context=lambda way: ways.append(way) or context),
    )
    made = workers._Worker(("one",), 512)
    assert (ways, context.done) == (["spawn"], ["start"])
    assert (context.options["target"], context.options["daemon"]) == (workers._work, True)
    assert context.options["args"][3:] == (("one",), 512)
    assert not made.has_begun()
    assert made.thinking() == 0.0
    assert made.wants_more()
    made.give(Attempt(task()))
    assert not made.wants_more()  # whether its games are brisk is not known
    assert made.take() is None  # nobody else holds the other end of its pipe
    assert made.exit_code() == -9
    made.kill()
    assert context.done == ["start", "join", "kill", "join"]
    assert made.pipe.closed


def test_games_are_sent_ahead_where_they_are_brisk(worker):
    first, *others = (Attempt(task(number)) for number in range(workers.AHEAD + 1))
    assert first.count == 0
    assert worker.wants_more()
    worker.give(first)
    assert list(worker.attempts) == [first]
    assert worker.sent == [first.task]
    assert not worker.wants_more()
    worker.answer = replace(record_of(first.task), seconds=(0.01, workers.BRISK_SECONDS / 2))
    worker.take()
    for attempt in others:
        assert worker.wants_more()
        worker.give(attempt)
    assert worker.wants_more()
    worker.give(first)
    assert not worker.wants_more()
    assert worker.not_begun() == [first, *others[:0:-1]]
    worker.answer = replace(record_of(others[0].task), seconds=(workers.BRISK_SECONDS,))
    worker.take()
    assert not worker.wants_more()


def test_a_pipe_that_is_closed_shows_when_the_answer_is_taken(worker):
    def closed(*_):
        raise OSError("gone")

    worker.pipe = SimpleNamespace(send=closed, recv=closed)
    worker.give(Attempt(task()))
    assert worker.take() is None
    assert len(worker.attempts) == 1  # it is not lost

    def ended():
        raise EOFError

    worker.pipe.recv = ended
    assert worker.take() is None


def test_answers_of_a_worker(worker):
    worker.give(Attempt(task(3)))
    worker.answer = record_of(task(3))
    assert worker.take() == worker.answer
    assert not worker.attempts
    worker.give(Attempt(task(3)))
    worker.answer = SpecError("module x cannot be imported")
    with pytest.raises(SpecError, match="module x"):
        worker.take()


def test_who_thinks_too_long_is_late(worker, monkeypatch):
    now = SimpleNamespace(monotonic=lambda: now.value, value=1000.0)
    monkeypatch.setattr(workers, "time", now)
    limits = Limits(seconds=5.0)
    worker.attempts.append(Attempt(task(limits=limits)))
    for player in (0, 1):  # also the first one
        worker._status[:2] = [player, 990.0]
        now.value = 1000.0
        assert worker.thinking() == 10.0
        assert worker.is_late(4.0)
        assert not worker.is_late(5.0)  # this very moment
        assert not worker.is_late(6.0)
    worker._status[0] = -1.0  # between two games
    assert worker.thinking() == 0.0
    assert not worker.is_late(-100.0)
    worker.attempts.clear()
    worker._status[0] = 0.0
    assert not worker.is_late(0.0)


def test_each_seat_has_the_time_of_its_own_limits(worker, monkeypatch):
    monkeypatch.setattr(workers, "time", SimpleNamespace(monotonic=lambda: 50.0))
    seats = (Seat("a", Limits(clock=100.0)), Seat("b", Limits(seconds=1.0)))
    worker.attempts.append(Attempt(GameTask("tictactoe", seats)))
    worker._status[:2] = [0.0, 0.0]
    assert not worker.is_late(2.0)
    worker._status[0] = 1.0
    assert worker.is_late(2.0)


def test_moves_before_the_end_are_kept(worker):
    worker.attempts.append(Attempt(task()))
    worker._actions[:3] = [4, 0, 8]
    worker._status[:] = [0.0, 0.0, 2.0, 1.0]
    record = worker.lost("hang", "no move")
    assert record.moves == ("b2", "a1")
    assert record.rewards == (-1.0, 1.0)
    assert record.reason == "a: no move"
    assert worker.has_begun() is True
    worker._status[3] = 0.0
    assert worker.has_begun() is False


def test_games_that_are_lost():
    opened = GameTask("tictactoe", task().seats, opening=("b2",))
    record = lost_game(opened, 1, [0], "crash", "its process died")
    assert record.moves == ("b2", "a1")
    assert (record.rewards, record.ended_by) == ((1.0, -1.0), "crash")
    assert record.reason == "b: its process died"
    # Before anybody was asked, it is the first who loses.
    assert lost_game(task(), -1, [], "crash", "died").rewards == (-1.0, 1.0)
    three = lost_game(task(game="yavalath:players=3"), 2, [], "hang", "")
    assert three.rewards == (0.5, 0.5, -1.0)


@pytest.mark.parametrize(
    ("code", "name"), [(-9, "SIGKILL"), (-11, "SIGSEGV"), (0, "exit code 0"), (3, "exit code 3")]
)
def test_how_a_process_ended(code, name):
    assert workers._exit_name(code) == name
    assert workers._exit_name(None) == "exit code None"


# ---- the life of a process, in a thread ----
@pytest.fixture
def life(monkeypatch):
    """Starts `_work` in a thread; answers the other end of its pipe, its status and actions."""
    handled = []
    monkeypatch.setattr(workers, "end_with_parent", lambda: handled.append("parent"))
    monkeypatch.setattr(
        workers,
        "signal",
        SimpleNamespace(signal=lambda *each: handled.append(each), SIGINT=2, SIG_IGN=1),
    )
    threads, ends = [], []

    def start(imports=()):
        ours, theirs = Pipe()
        status, actions = [0.0] * 4, [-1] * 16
        thread = threading.Thread(
            target=workers._work, args=(theirs, status, actions, imports, None)
        )
        thread.start()
        threads.append(thread)
        ends.append(ours)
        return ours, status, actions, handled

    yield start
    for each in ends:
        each.close()
    for each in threads:
        each.join(10)
        assert not each.is_alive()


def receive(pipe):
    assert pipe.poll(30)
    return pipe.recv()


def test_a_process_plays_one_game_after_the_other(life):
    pipe, status, actions, handled = life()
    for number in (3, 4):
        seats = (Seat("random", Limits(), number), Seat("random", Limits(), 1))
        status[2] = 0.0
        pipe.send(GameTask("tictactoe", seats, number=number))
        record = receive(pipe)
        assert (record.task.number, record.ended_by) == (number, "rules")
        start = sb.game("tictactoe").initial()
        assert status[2] == len(record.moves)
        state, texts = start, []
        for action in actions[: int(status[2])]:
            texts.append(state.text(action))
            state = state.play(action)
        assert tuple(texts) == record.moves
        assert status[0] == -1.0
        assert status[1] > 0
    assert status[3] == 1.0
    assert handled == [(2, 1), "parent"]  # Ctrl-C is for the one who gives the tasks


def test_long_games_are_noted_as_far_as_there_is_room(life, monkeypatch):
    monkeypatch.setattr(workers, "MOST_PLIES", 3)
    pipe, status, actions, _ = life()
    seats = (Seat("random", Limits(), 1), Seat("random", Limits(), 1))
    pipe.send(GameTask("tictactoe", seats))
    assert len(receive(pipe).moves) >= 5
    assert status[2] == 3
    assert actions[3] == -1


def test_a_task_that_makes_no_sense_is_told(life):
    pipe, status, _, _ = life()
    pipe.send(GameTask("tictactoe", (Seat("random", Limits()),)))
    assert "1 agents for tictactoe" in str(receive(pipe))
    assert status[0] == -1.0


def test_modules_that_cannot_be_imported_are_told(life):
    pipe, status, _, _ = life(("no_such_module",))
    answer = receive(pipe)
    assert isinstance(answer, SpecError)
    assert "no_such_module" in str(answer)
    assert status[3] == 0.0  # it never began


def test_a_process_ends_with_its_parent(monkeypatch):
    parents, slept, ended = iter([7, 7, 7, 1]), [], threading.Event()
    monkeypatch.setattr(workers.os, "getppid", lambda: next(parents))

    def sleep(seconds):
        slept.append((seconds, threading.current_thread().daemon))

    monkeypatch.setattr(workers, "time", SimpleNamespace(sleep=sleep))
    end_with_parent(ended.set)
    assert ended.wait(10)
    assert slept == [(1.0, True)] * 2  # a process that has nothing to do need not wait for it


def test_signals_have_the_names_of_the_system():
    assert workers._exit_name(-signal.SIGTERM) == "SIGTERM"


# ---- relative iterations ----
class Measured(sb.Agent):
    """Takes the next number of seconds for every move, and counts what it is asked for."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds = clock, iter(seconds)
        self.asked, self.resets = [], 0

    def reset(self, seed=None):
        self.resets += 1

    def choose(self, state, budget=None):
        self.asked.append((len(state.history), budget.iterations))
        self.clock.now += next(self.seconds)
        return sb.Decision(state.legal_moves[0])


def measured(monkeypatch, seconds, openings, game="connect4"):
    clock = SimpleNamespace(now=0.0, perf_counter=lambda: clock.now)
    agent = Measured(clock, seconds)
    monkeypatch.setattr(relative, "time", clock)
    monkeypatch.setattr(relative, "stored_agent", lambda spec: agent)
    return relative_limits(sb.game(game), "uct", 50, openings), agent


def test_everybody_gets_the_median_time_of_a_move(monkeypatch):
    # The first search warms up: its time, which is the longest, does not count.
    times = [100.0, *[1.0] * 5, *[2.0] * 3, *[9.0] * 4]
    limits, agent = measured(monkeypatch, times, [Opening("", ("a1",))])
    assert limits == Limits(seconds=2.0)
    assert agent.asked == [(0, 50), *((ply, 50) for ply in range(1, 13))]
    assert agent.resets == 12  # no tree is kept


def test_a_few_openings_and_a_few_plies_are_enough(monkeypatch):
    limits, agent = measured(monkeypatch, iter(lambda: 0.5, None), [Opening()] * 40)
    assert len(agent.asked) == 1 + 12 * 12
    assert limits.seconds == pytest.approx(0.5)


def test_games_that_end_early_are_no_problem(monkeypatch):
    _, agent = measured(monkeypatch, iter(lambda: 0.5, None), [Opening()], "tictactoe")
    assert len(agent.asked) == 1 + 7  # the first moves one after the other win after seven plies


def test_no_time_at_all_is_next_to_none(monkeypatch):
    limits, _ = measured(monkeypatch, iter(lambda: 0.0, None), [Opening()])
    assert limits.seconds == 1e-6
