"""Trainings in rounds: what all of them do alike, shown by one that learns nothing."""

import json
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from spielbaum.base.errors import SpecError, StoreError, WorkerError
from spielbaum.base.lock import is_running
from spielbaum.train import rounds
from spielbaum.train.rounds import Progress, RoundRow, RoundRun, Told, read_progress
from spielbaum.train.run_folder import read_status


@dataclass
class Config:
    rounds: int = 4
    name: str = "toy"

    def same_training(self, other):
        return self.name == other.name

    def model_dump(self, *, mode):
        return {"rounds": self.rounds, "name": self.name}


@dataclass(frozen=True, kw_only=True)
class Row(RoundRow):
    points: float | None = None

    @property
    def score(self):
        return self.points

    def strength(self):
        return f"{self.points} points"


class Toy(RoundRun):
    """Measures what `points` says for each round, and writes down what is done with it."""

    method = "toy"
    row_type = Row
    points = (None, 0.5, None, 0.25)
    dies = 0
    """The round in which it is interrupted."""

    def start(self):
        self.calls = ["start"]

    def load(self, path):
        self.calls.append("load")
        return json.loads(path.read_text())

    def save(self, path, header):
        self.calls.append("save")
        path.write_text(json.dumps(header))

    def prepare(self):
        self.calls.append(f"prepare after {len(self.rows)}")
        self.steps = 10 * len(self.rows)

    def round(self, number):
        self.calls.append(number)
        if number == self.dies:
            raise KeyboardInterrupt
        self.show("learning")
        self.steps += 10
        self.clock.now += 5.0
        row = Row(round=number, seconds=self.seconds(), points=self.points[number - 1])
        self.calls.append("best" if self.is_best(row) else "not")
        return row

    def counts(self):
        return {"steps": getattr(self, "steps", 0)}

    def draw(self):
        self.calls.append("draw")

    @classmethod
    def read_config(cls, values):
        return Config(**values)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Time passes only in rounds, five seconds in each."""
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(rounds, "time", clock)
    monkeypatch.setattr(Toy, "clock", clock, raising=False)
    return clock


@pytest.fixture
def idle(tmp_path):
    """A run that is asked, but not run."""
    run = Toy(Config(rounds=100), tmp_path)
    yield run
    run._lock.close()


# ---- from the first round to the last ----
def test_a_run_from_start_to_end(tmp_path):
    run = Toy(Config(), tmp_path / "a" / "b")
    rows = run.run()
    assert [(row.round, row.points, row.seconds) for row in rows] == [
        (1, None, 5.0),
        (2, 0.5, 10.0),
        (3, None, 15.0),
        (4, 0.25, 20.0),
    ]
    assert run.calls == [
        *("start", "prepare after 0", 1, "not", "save", 2, "best", "save"),
        *(3, "not", "save", 4, "not", "save", "draw"),
    ]
    assert run.best_score == 0.5
    assert not is_running(run.folder)
    status = read_status(run.folder)
    assert (status.activity, status.step, status.of, status.unit) == ("finished", 4, 4, "rounds")


def test_a_run_goes_on_after_the_last_round_that_was_finished(tmp_path, clock):
    first = Toy(Config(), tmp_path)
    first.dies = 4
    with pytest.raises(KeyboardInterrupt):
        first.run()
    assert first.calls[-2:] == [4, "draw"]  # what there is can be seen
    status = read_status(tmp_path)
    assert (status.activity, status.step) == ("stopped", 3)
    clock.now += 500.0  # nobody trains meanwhile
    again = Toy(Config(), tmp_path)
    rows = again.run()
    assert again.calls[:3] == ["start", "load", "prepare after 3"]
    assert [row.seconds for row in rows] == [5.0, 10.0, 15.0, 20.0]
    assert (again.best_score, again.calls[-3]) == (0.5, "not")
    assert read_status(tmp_path).activity == "finished"


def test_a_run_that_is_interrupted_at_once_has_nothing_to_draw(tmp_path):
    run = Toy(Config(), tmp_path)
    run.dies = 1
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert run.calls == ["start", "prepare after 0", 1]
    assert read_status(tmp_path).activity == "stopped"
    assert read_progress(tmp_path) is None


def test_a_finished_run_is_only_drawn_again(tmp_path):
    Toy(Config(), tmp_path).run()
    again = Toy(Config(), tmp_path)
    assert len(again.run()) == 4
    assert again.calls == ["start", "load", "draw"]
    longer = Toy(Config(rounds=5), tmp_path)
    longer.points = (*Toy.points, 0.5)
    assert len(longer.run()) == 5
    assert longer.calls == ["start", "load", "prepare after 4", 5, "best", "save", "draw"]


def test_one_training_in_a_folder(tmp_path):
    run = Toy(Config(), tmp_path)
    with pytest.raises(SpecError, match="running already"):
        Toy(Config(), tmp_path)
    run.run()
    with pytest.raises(SpecError, match="another configuration"):
        Toy(Config(name="other"), tmp_path)
    other = type("Other", (Toy,), {"method": "other"})
    with pytest.raises(SpecError, match="another kind"):
        other(Config(), tmp_path)


def test_what_is_missing_is_told(tmp_path):
    run = Toy(Config(), tmp_path)

    def start():
        raise ImportError(name="torch")

    run.start = start
    with pytest.raises(WorkerError, match="training needs torch"):
        run.run()
    assert not is_running(tmp_path)


@pytest.mark.parametrize(
    "change",
    [{"method": "other"}, {"best_score": "high"}, {"rows": [{"nonsense": 1}]}, {"rows": 3}],
)
def test_damaged_checkpoints(tmp_path, change):
    Toy(Config(), tmp_path).run()
    path = tmp_path / "checkpoint.safetensors"
    header = json.loads(path.read_text())
    assert (header["method"], header["best_score"], len(header["rows"])) == ("toy", 0.5, 4)
    path.write_text(json.dumps({**header, **change}))
    with pytest.raises(StoreError, match="its checkpoint is damaged"):
        Toy(Config(), tmp_path).run()


def test_a_full_disk_is_told_and_not_what_comes_of_it(tmp_path):
    run = Toy(Config(), tmp_path)
    save = run.save

    def full(path, header):
        if len(header["rows"]) == 2:
            raise OSError("no space left")
        save(path, header)

    def cannot_draw():
        raise OSError("no drawing either")

    run.save, run.draw = full, cannot_draw
    with pytest.raises(OSError, match="no space left"):
        run.run()


# ---- what is measured, and what is the best ----
def test_rounds_that_are_measured(idle):
    assert [number for number in range(1, 101) if idle.is_due(number, 30)] == [30, 60, 90, 100]
    assert all(idle.is_due(number, 1) for number in range(1, 101))


def test_the_best_is_the_last_of_those_that_are_equally_good(idle):
    found = [idle.is_best(Row(round=1, points=each)) for each in (None, -5.0, 0.5, 0.25, 0.5, 0.6)]
    assert found == [False, True, True, False, True, True]
    assert idle.best_score == 0.6


def test_a_row_without_anything():
    row = RoundRow(round=12, seconds=60 * 3600 + 25 * 60 + 7.9)
    assert row.line() == "   12: 60:25:07"
    assert RoundRow(round=1, seconds=59.9).line() == "    1: 0:00:59"
    assert RoundRow(round=1).seconds == 0
    assert (row.score, row.numbers(), row.strength()) == (None, {}, "")


# ---- progress ----
def test_reports_say_how_far_it_is(tmp_path):
    told = []
    Toy(Config(), tmp_path).run(told.append)
    assert all(isinstance(each, Progress) for each in told)
    assert [(each.round, each.of, each.phase) for each in told] == [
        (1, 4, "starting"),
        *((1, 4, "learning"), (2, 4, "learning"), (2, 4, "learning"), (3, 4, "learning")),
        *((3, 4, "learning"), (4, 4, "learning"), (4, 4, "learning"), (4, 4, "learning")),
    ]
    assert [each.counts["steps"] for each in told] == [0, 0, 10, 10, 20, 20, 30, 30, 40]
    # Two steps a second, from the first round of this sitting on.
    assert [each.rates["steps"] for each in told[2:]] == [2.0] * 7
    assert told[0].rates == {"steps": 0.0}
    assert [each.seconds_left for each in told] == [None] * 4 + [10.0, 10.0, 5.0, 5.0, 0.0]
    assert told[3].lines == ()
    assert [len(each.lines) for each in told] == [0, 0, 0, 0, 1, 1, 1, 1, 2]
    assert told[-1].lines[0].startswith("    2: 0:00:10")


def test_rates_are_those_of_this_sitting(tmp_path, clock):
    first = Toy(Config(), tmp_path)
    first.dies = 3
    with pytest.raises(KeyboardInterrupt):
        first.run()
    clock.now += 500.0
    told = []
    Toy(Config(), tmp_path).run(told.append)
    assert told[0].round == 3
    assert told[-1].rates["steps"] == 2.0
    assert told[-1].counts["steps"] == 40


def test_the_status_has_a_rate_as_soon_as_there_is_one(tmp_path):
    run = Toy(Config(), tmp_path)
    seen = []
    run._status = SimpleNamespace(tell=seen.append)
    run.run()
    assert [(each.activity, each.step) for each in seen] == [
        *(("starting", 0), ("learning", 0), ("learning", 1), ("learning", 1), ("learning", 2)),
        *(("learning", 2), ("learning", 3), ("learning", 3), ("learning", 4), ("finished", 4)),
    ]
    assert [each.rate for each in seen] == [0.0] * 4 + [0.2] * 4 + [0.0, 0.0]
    assert all((each.of, each.unit) == (4, "rounds") for each in seen)


def test_rates_of_no_time_at_all(idle):
    told = []
    idle._report, idle._first, idle.steps = told.append, {"steps": 1}, 4
    idle.show("learning")
    assert told[0].rates["steps"] == pytest.approx(3e6)


def test_the_time_left_is_that_of_recent_rounds(idle):
    slow = [Row(round=number, seconds=1000.0 * number) for number in range(1, 11)]
    quick = [Row(round=10 + number, seconds=10_000.0 + number) for number in range(1, 51)]
    idle.rows = [*slow, *quick]
    assert idle._seconds_left() == 40.0
    idle.rows = slow[:2]
    assert idle._seconds_left() == 98_000.0
    idle.rows = slow[:1]
    assert idle._seconds_left() is None


def test_drawings_are_made_now_and_then(tmp_path, clock):
    run = Toy(Config(rounds=12), tmp_path)
    run.points = (None, *[0.5] * 11)
    run.run()
    drawn = [index for index, call in enumerate(run.calls) if call == "draw"]
    rounds_before = [sum(isinstance(each, int) for each in run.calls[:place]) for place in drawn]
    # More than thirty seconds lie between two, and the last is at the end.
    assert rounds_before == [7, 12]


def test_progress_for_those_who_only_look(tmp_path):
    run = Toy(Config(), tmp_path)
    run.dies = 4
    with pytest.raises(KeyboardInterrupt):
        run.run()
    found = read_progress(tmp_path)
    changed = (tmp_path / "progress.json").stat().st_mtime
    assert found == Told(3, 4, "0.5 points", changed)
    for text in ("{", "[]", '{"round": 1, "of": "x", "strength": ""}', '{"round": 1}'):
        (tmp_path / "progress.json").write_text(text)
        with pytest.raises(StoreError, match=r"its progress\.json is damaged"):
            read_progress(tmp_path)
