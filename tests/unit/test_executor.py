"""Who plays games: what is done about workers that are lost, without starting any."""

import threading

import pytest

import spielbaum as sb
from spielbaum.arena import executor as executors
from spielbaum.arena.executor import Here, Workers, lost_game, play_noted
from spielbaum.base.errors import SpecError
from spielbaum.base.workers import Done, Failed, Lost, Note, Processes, Told
from spielbaum.base.workers.desks import NOBODY, SLATE, Desk, Order, Slate
from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameRecord, GameTask, Seat


def task(number=0, limits=None, game="tictactoe"):
    names = ("a", "b", "c")[: sb.game(game).num_players]
    seats = tuple(Seat(name, limits or Limits()) for name in names)
    return GameTask(game, seats, number=number)


def lost(how, *values, number=0, seconds=61.4, ended="SIGKILL"):
    return Lost(number, how, ended, Note(number, values, seconds, is_late=how == "hang"))


class Pretended:
    """A pool that answers at once what `script` says of a task and how often it was given."""

    made: list["Pretended"] = []  # noqa: RUF012
    script = staticmethod(lambda number, attempt: "plays")
    place = Processes()

    def __init__(self, *options):
        self.options, self.closed, self.given, self.waiting = options, False, [], {}
        Pretended.made.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True

    @property
    def room(self):
        return 2 - len(self.waiting)

    def start(self):
        assert not self.given  # before the first opening is drawn
        self.started = True

    def give(self, function, given, hang):
        assert self.started
        assert function is play_noted
        self.hang = hang
        self.given.append(given.number)
        self.waiting[len(self.given)] = given
        return len(self.given)

    def events(self, seconds):
        assert seconds == executors.LOOK_SECONDS
        found = []
        for key, given in self.waiting.items():
            does = Pretended.script(given.number, self.given.count(given.number))
            if does == "dies":
                found.append(lost("death", 4, number=key))
            elif does == "hangs":
                found.append(lost("hang", number=key))
            elif does == "fails":
                found.append(Failed(key, SpecError("it makes no sense")))
            else:
                found += [Told(key, "on the way"), Done(key, ((), (0.0, 0.0), "rules", ""))]
        self.waiting = {}
        return found


@pytest.fixture
def pretended(monkeypatch):
    monkeypatch.setattr(executors, "Pool", Pretended)
    monkeypatch.setattr(Pretended, "made", [])
    monkeypatch.setattr(Pretended, "script", staticmethod(lambda number, attempt: "plays"))
    return Pretended


def test_all_games_are_played(pretended):
    place = Processes()
    executor = Workers(jobs=2, imports=["one"], megabytes=512, place=place)
    batches = list(executor.batches(map(task, range(5))))
    assert [[each.task.number for each in batch] for batch in batches] == [[0, 1], [2, 3], [4]]
    [pool] = pretended.made
    assert pool.options == (2, place, ["one"], 512)
    assert (pool.closed, pool.hang) == (True, 60.0)
    assert list(Workers().run([])) == []


def test_a_game_whose_process_dies_is_begun_again_first(pretended):
    pretended.script = lambda number, attempt: "dies" if (number, attempt) == (0, 1) else "plays"
    records = list(Workers().run(map(task, range(4))))
    assert sorted((each.task.number, each.ended_by) for each in records) == [
        (number, "rules") for number in range(4)
    ]
    assert pretended.made[0].given == [0, 1, 0, 2, 3]


def test_a_game_whose_process_dies_twice_is_lost(pretended):
    pretended.script = lambda number, attempt: "dies" if number == 0 else "plays"
    records = {each.task.number: each for each in Workers().run(map(task, range(3)))}
    assert [records[number].ended_by for number in range(3)] == ["crash", "rules", "rules"]
    assert records[0].reason == "b: its process died (SIGKILL)"
    assert pretended.made[0].given.count(0) == 2


def test_an_agent_that_hangs_loses_at_once(pretended):
    pretended.script = lambda number, attempt: "hangs" if number == 0 else "plays"
    records = {each.task.number: each for each in Workers(hang=7.0).run(map(task, range(2)))}
    assert (records[0].ended_by, records[0].reason) == ("hang", "a: no move after 61 s")
    assert pretended.made[0].given == [0, 1]
    assert pretended.made[0].hang == 7.0


def test_tasks_that_make_no_sense_are_told(pretended):
    pretended.script = lambda number, attempt: "fails"
    with pytest.raises(SpecError, match="it makes no sense"):
        list(Workers().run([task()]))
    assert pretended.made[0].closed


def test_games_end_when_nobody_listens_any_more(pretended):
    games = Workers().run(map(task, range(9)))
    next(games)
    assert not pretended.made[0].closed
    games.close()
    assert pretended.made[0].closed


def test_stop_ends_the_games_for_good(pretended):
    executor = Workers()
    seen = []
    for record in executor.run(map(task, range(9))):
        seen.append(record.task.number)
        threading.Thread(target=executor.stop).run()
    assert seen == [0, 1]
    assert pretended.made[0].closed
    assert list(executor.run([task(0)])) == []


# ---- what is noted of a game ----
@pytest.fixture
def slate():
    return Slate([0] * SLATE)


def noted(slate, given, hang=60.0):
    """The answer to a task at a desk, and what was noted whenever somebody was asked."""
    seen = []

    class Seen(Slate):
        def note(self, values, within):
            super().note(values, within)
            if within is not None:
                seen.append((self.read(), within))

    desk = Desk(Seen(slate._numbers), lambda word: None)
    return desk.run(Order(7, play_noted, (given, hang))), seen


def test_moves_are_noted_before_the_next_is_thought_about(slate):
    seats = (Seat("random", Limits(seconds=2.0), 3), Seat("random", Limits(clock=9.0), 1))
    given = GameTask("tictactoe", seats, opening=("b2",))
    word, seen = noted(slate, given, hang=5.0)
    record = GameRecord(given, *word.what)
    assert record.ended_by == "rules"
    moves = sb.game("tictactoe").state(" ".join(record.moves)).history[1:]
    assert [note.task for note, _ in seen] == [7] * len(moves)
    assert [note.values for note, _ in seen] == [moves[:ply] for ply in range(len(moves))]
    assert [within for _, within in seen[:2]] == [14.0, 7.0]
    assert slate.read().task == NOBODY
    # A game that is lost in the middle is the same as far as it went.
    half = lost_game(record.task, Lost(7, "death", "SIGKILL", seen[2][0]))
    assert half.moves == record.moves[:3]


def test_tasks_with_too_few_seats(slate):
    word, _ = noted(slate, GameTask("tictactoe", (Seat("random", Limits()),)))
    assert "1 agents for tictactoe" in str(word.what)


def test_games_that_are_lost():
    opened = GameTask("tictactoe", task().seats, opening=("b2",))
    record = lost_game(opened, lost("death", 0, 8))
    assert record.moves == ("b2", "a1", "c3")
    assert (record.rewards, record.ended_by) == ((1.0, -1.0), "crash")
    assert record.reason == "b: its process died (SIGKILL)"
    # Before anybody was asked, it is whoever would have been the first.
    assert lost_game(task(), lost("death")).rewards == (-1.0, 1.0)
    three = lost_game(task(game="yavalath:players=3"), lost("hang", 30, 31))
    assert (three.rewards, three.ended_by) == ((0.5, 0.5, -1.0), "hang")
    assert len(three.moves) == 2
    assert three.reason == "c: no move after 61 s"


def test_games_of_this_process(monkeypatch):
    seats = (Seat("random", Limits(), 1), Seat("random", Limits(), 2))
    given = [GameTask("tictactoe", seats, number=number) for number in range(5)]
    assert [each.task.number for each in Here().run(given)] == list(range(5))
    monkeypatch.setattr(executors, "BATCH_SECONDS", 60.0)
    assert [len(batch) for batch in Here().batches(given)] == [5]  # quick games come together
    monkeypatch.setattr(executors, "BATCH_SECONDS", 0.0)
    assert [len(batch) for batch in Here().batches(given)] == [1, 1, 1, 1, 1, 0]
