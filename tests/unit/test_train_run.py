"""The one run around all training methods, shown by one that learns nothing."""

import json
import signal
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

import spielbaum as sb
from commands import assert_one_clear_line
from spielbaum.base.bounded import typed
from spielbaum.base.errors import SpecError, StoreError, WorkerError
from spielbaum.base.lock import is_running
from spielbaum.train import run as runs
from spielbaum.train.config import TrainConfig, parse_values
from spielbaum.train.method import Method, Phase, check_needs, method, methods
from spielbaum.train.rows import LOSSES, Column, Row, read_rows
from spielbaum.train.run import Desk, Meter, Run, read_run
from spielbaum.train.run_folder import RunStatus, read_status


class Config(TrainConfig):
    free = ("rounds",)
    configs = Path("toy") / "configs"
    game: str = "tictactoe"
    seed: int = 1
    rounds: int = 4
    name: str = "toy"


@dataclass(frozen=True, kw_only=True)
class ToyRow(Row):
    columns = (
        Column("points", "{:.2f} points", "points", LOSSES, "points", strength=True),
        Column("steps", tag="steps"),
    )
    round: int
    seconds: float = 0.0
    steps: int = 0
    points: float | None = None

    @property
    def score(self):
        return self.points

    @property
    def is_news(self):
        return self.points is not None


class Toy(Method):
    """Measures what `points` says for each round, and writes down what is done with it."""

    name = "toy"
    help = "nothing"
    titles: ClassVar = {"en": "Toy", "de": "Spielzeug"}
    config_type = Config
    row_type = ToyRow
    needs = ()
    points = (None, 0.5, None, 0.25)
    dies = 0
    """The round in which it is interrupted."""
    quiet = ()
    """Rounds in which nothing is measured at all."""

    def __init__(self, config, desk):
        super().__init__(config, desk)
        self.calls = []

    @classmethod
    def default(cls, game):
        return Config(game=str(game))

    def start(self):
        self.calls.append("start")
        self.done = 0

    def load(self):
        path = self.desk.folder / "checkpoint.json"
        if path.exists():
            self.calls.append("load")
            told = json.loads(path.read_text())
            self.done = told["done"]
            self.desk.rows = [typed(ToyRow, row) for row in told["rows"]]

    def prepare(self):
        self.calls.append(f"prepare after {self.done}")

    def phase(self):
        left = self.done < self.config.rounds
        return Phase("rounds", "rounds", self.done, self.config.rounds) if left else None

    def step(self):
        number = self.done + 1
        self.calls.append(number)
        if number == self.dies:
            raise KeyboardInterrupt
        self.desk.tell("learning", steps=10 * self.done)
        self.clock.now += 5.0
        self.done = number
        points = self.points[number - 1]
        self.calls.append("best" if self.desk.is_best(points) else "not")
        if number in self.quiet:
            return []
        seconds = self.desk.seconds()
        return [ToyRow(round=number, seconds=seconds, steps=10 * number, points=points)]

    def save(self):
        self.calls.append("save")
        told = {"done": self.done, "rows": [asdict(row) for row in self.desk.rows]}
        (self.desk.folder / "checkpoint.json").write_text(json.dumps(told))

    def draw(self):
        self.calls.append("draw")

    def close(self):
        self.calls.append("close")


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Time passes only in rounds, five seconds in each."""
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(runs, "time", clock)
    monkeypatch.setattr(Toy, "clock", clock, raising=False)
    return clock


def toy(folder, dies=0, points=None, quiet=(), kind=Toy, **changes):
    run = Run(kind, Config(**changes), folder)
    run.method.dies, run.method.points, run.method.quiet = dies, points or Toy.points, quiet
    return run


# ---- from the first step to the last ----
def test_a_run_from_start_to_end(tmp_path):
    run = toy(tmp_path / "a" / "b")
    rows = run.run()
    assert [(row.round, row.points, row.seconds) for row in rows] == [
        (1, None, 5.0),
        (2, 0.5, 10.0),
        (3, None, 15.0),
        (4, 0.25, 20.0),
    ]
    assert run.method.calls == [
        *("start", "prepare after 0", 1, "not", "save", 2, "best", "save"),
        *(3, "not", "save", 4, "not", "save", "close", "draw"),
    ]
    assert run.finished
    assert not is_running(run.folder)
    assert read_run(run.folder) == "toy"
    assert read_rows(run.folder / "metrics.csv", ToyRow) == rows
    assert (run.folder / "losses.svg").exists()
    status = read_status(run.folder)
    assert (status.activity, status.step, status.of, status.unit) == ("finished", 4, 4, "rounds")


def test_a_run_goes_on_after_the_last_step_that_was_committed(tmp_path, clock):
    first = toy(tmp_path, dies=4)
    with pytest.raises(KeyboardInterrupt):
        first.run()
    assert first.method.calls[-3:] == [4, "close", "draw"]  # what there is can be seen
    assert not first.finished
    status = read_status(tmp_path)
    assert (status.activity, status.step) == ("stopped", 3)
    clock.now += 500.0  # nobody trains meanwhile
    again = toy(tmp_path)
    rows = again.run()
    assert again.method.calls[:3] == ["start", "load", "prepare after 3"]
    assert [row.seconds for row in rows] == [5.0, 10.0, 15.0, 20.0]
    assert again.method.calls[-4] == "not"  # the best is remembered
    assert read_status(tmp_path).activity == "finished"


def test_a_run_that_is_interrupted_at_once_has_nothing_to_draw(tmp_path):
    run = toy(tmp_path, dies=1)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert run.method.calls == ["start", "prepare after 0", 1, "close"]
    assert read_status(tmp_path).activity == "stopped"
    assert not (tmp_path / "metrics.csv").exists()


def test_a_finished_run_is_only_drawn_again(tmp_path):
    toy(tmp_path).run()
    again = toy(tmp_path)
    assert len(again.run()) == 4
    assert again.method.calls == ["start", "load", "close", "draw"]
    status = read_status(tmp_path)
    assert (status.activity, status.step, status.of, status.unit) == ("finished", 4, 4, "rounds")
    longer = toy(tmp_path, points=(*Toy.points, 0.5), rounds=5)
    assert len(longer.run()) == 5
    assert longer.method.calls == [
        *("start", "load", "prepare after 4", 5, "best", "save", "close", "draw"),
    ]


def test_one_training_in_a_folder(tmp_path):
    run = toy(tmp_path)
    with pytest.raises(SpecError, match="running already"):
        toy(tmp_path)
    run.run()
    with pytest.raises(SpecError, match=r"another configuration \(name = 'toy', here 'other'\)"):
        toy(tmp_path, name="other")
    other = type("Other", (Toy,), {"name": "other"})
    with pytest.raises(SpecError, match="another kind"):
        toy(tmp_path, kind=other)


def test_steps_without_rows_are_committed_now_and_then(tmp_path, clock):
    run = toy(tmp_path, points=(None,) * 60, quiet=range(1, 60), rounds=60)
    run.run()
    saved = [
        next(each for each in run.method.calls[place::-1] if isinstance(each, int))
        for place, call in enumerate(run.method.calls)
        if call == "save"
    ]
    assert saved == [25, 50, 60]  # after more than two minutes, and at the end


def test_a_run_that_is_stopped_is_committed(tmp_path):
    run = toy(tmp_path, points=(None,) * 60, quiet=range(1, 61), rounds=60)

    def report(now, lines):
        if now.step == 7:
            run.stop()

    run.run(report)
    assert run.method.calls[-3:] == ["not", "save", "close"]
    assert not run.finished
    assert json.loads((tmp_path / "checkpoint.json").read_text())["done"] == 7
    assert read_status(tmp_path).activity == "stopped"
    again = toy(tmp_path, points=(None,) * 60, rounds=60)
    assert [row.round for row in again.run()] == list(range(8, 61))


def test_the_first_interrupt_stops_a_step_that_heeds_it(tmp_path, monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    for heeds in (True, False):
        run = toy(tmp_path / str(heeds))
        step = run.method.step

        def interrupted(step=step):
            signal.raise_signal(signal.SIGINT)
            return step()

        monkeypatch.setattr(run.method, "step", interrupted)
        monkeypatch.setattr(Toy, "heeds_stop", heeds)
        if heeds:
            assert len(run.run()) == 1
        else:
            with pytest.raises(KeyboardInterrupt):
                run.run()
        assert signal.getsignal(signal.SIGINT) is before


# ---- what is missing or damaged ----
def test_what_is_missing_is_told_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(Toy, "needs", ("nosuchpackage",))
    with pytest.raises(WorkerError, match=r"needs nosuchpackage: pip install spielbaum\[train\]"):
        toy(tmp_path / "run")
    assert not (tmp_path / "run").exists()
    for name in methods():
        check_needs(method(name))


def test_what_cannot_be_imported_is_told(tmp_path, monkeypatch):
    def start(self):
        raise ImportError(name="torch")

    monkeypatch.setattr(Toy, "start", start)
    with pytest.raises(WorkerError, match="training needs torch"):
        toy(tmp_path).run()
    assert not is_running(tmp_path)


@pytest.mark.parametrize("change", [{"done": "x"}, {"rows": [{"nonsense": 1}]}, {"rows": 3}])
def test_damaged_checkpoints(tmp_path, change, monkeypatch):
    toy(tmp_path).run()
    path = tmp_path / "checkpoint.json"
    told = {**json.loads(path.read_text()), **change}
    told["done"] = told["done"] if told["done"] != "x" else {}
    path.write_text(json.dumps(told) if change != {"done": "x"} else "[]")
    with pytest.raises(StoreError, match="its checkpoint is damaged"):
        toy(tmp_path).run()


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "other", "method": "toy"}', "{}"])
def test_damaged_names_of_methods(tmp_path, text):
    toy(tmp_path).run()
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(StoreError, match=r"its run\.json is damaged"):
        toy(tmp_path)


def test_configurations_that_are_damaged_or_missing(tmp_path):
    toy(tmp_path).run()
    path = tmp_path / "config.toml"
    for text in ("game = ", 'game = "tictactoe"\nnosuch = 3\n'):
        path.write_text(text)
        with pytest.raises(StoreError, match=r"its config\.toml is damaged"):
            toy(tmp_path)
    path.unlink()
    with pytest.raises(StoreError, match=r"its config\.toml is missing"):
        toy(tmp_path)


def test_a_full_disk_is_told_and_not_what_comes_of_it(tmp_path, monkeypatch):
    run = toy(tmp_path)
    save = run.method.save

    def full():
        if len(run.desk.rows) == 2:
            raise OSError("no space left")
        save()

    def cannot_draw():
        raise OSError("no drawing either")

    monkeypatch.setattr(run.method, "save", full)
    monkeypatch.setattr(run.method, "draw", cannot_draw)
    with pytest.raises(OSError, match="no space left"):
        run.run()


# ---- what is measured, and what is the best ----
def test_the_best_is_the_last_of_those_that_are_equally_good(tmp_path):
    desk, found = Desk(tmp_path, None), []
    for points in (None, -5.0, 0.5, 0.25, 0.5, 0.6):
        found.append(desk.is_best(points))
        desk.rows.append(ToyRow(round=1, points=points))
    assert found == [False, True, True, False, True, True]


def test_a_row_in_words_and_numbers():
    row = ToyRow(round=12, seconds=60 * 3600 + 25 * 60 + 7.9, steps=3, points=0.5)
    assert row.line() == "   12: 60:25:07  0.50 points"
    assert row.numbers() == {"points": 0.5, "steps": 3.0}
    assert ToyRow(round=1, seconds=59.9).line() == "    1: 0:00:59"
    assert (ToyRow(round=1).strength(), ToyRow(round=1).strengths()) == ("", {})


# ---- progress ----
def test_reports_say_how_far_it_is(tmp_path):
    told, lines = [], []

    def report(now, new):
        assert isinstance(now, RunStatus)
        told.append(now)
        lines.extend(new)

    toy(tmp_path).run(report)
    seen = list(dict.fromkeys((each.activity, each.step) for each in told))
    assert seen == [
        *(("starting", 0), ("learning", 0), ("learning", 1), ("learning", 2), ("learning", 3)),
        *(("learning", 4), ("finished", 4)),
    ]
    assert {(each.of, each.unit) for each in told} == {(4, "rounds")}
    assert [line.rpartition("  ")[2] for line in lines] == ["0.50 points", "0.25 points"]
    last = told[-1]
    assert last.counts == {"steps": 30}
    # A round takes five seconds, and ten steps are told in each.
    assert (last.rate, last.rates["steps"]) == (pytest.approx(0.2), pytest.approx(2.0))
    lefts = [each.seconds_left for each in told if each.seconds_left is not None]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[-1] == 0.0


def test_rates_are_those_of_recent_steps():
    meter = Meter()
    assert meter.rate("games", 7, now=0.0) == 0.0
    for number in range(1, 11):
        slow = meter.rate("games", 7 + number, now=1000.0 * number)
    assert slow == pytest.approx(0.001)
    for number in range(1, 51):
        quick = meter.rate("games", 17 + number, now=10_000.0 + number)
    assert quick == pytest.approx(1.0)
    assert meter.rate("others", 3, now=1.0) == 0.0
    assert meter.rate("others", 4, now=1.0) == pytest.approx(1e6)  # of no time at all


def test_drawings_are_made_now_and_then(tmp_path):
    run = toy(tmp_path, points=(None, *[0.5] * 11), rounds=12)
    run.run()
    calls = run.method.calls
    drawn = [place for place, call in enumerate(calls) if call == "draw"]
    rounds_before = [sum(isinstance(each, int) for each in calls[:place]) for place in drawn]
    # More than thirty seconds lie between two, and the last is at the end.
    assert rounds_before == [7, 12]


# ---- values by name ----
def test_values_by_name():
    config = Config().with_values(parse_values(["rounds=9", "name=a b"]))
    assert (config.rounds, config.name) == (9, "a b")
    with pytest.raises(SpecError, match=r"there is no 'round'.*did you mean rounds"):
        config.with_values({"round": 1})
    with pytest.raises(SpecError, match="expected KEY=VALUE"):
        parse_values(["rounds"])


def test_methods_by_name():
    assert method("imitate") is method("imitation")
    with pytest.raises(SpecError, match=r"no training method 'dqm' .did you mean dqn"):
        method("dqm")
    for name in methods():
        found = method(name)
        assert found.name == name
        assert set(found.titles) == {"en", "de"}
        assert found.help


# ---- what is trained by default ----
GAMES = ("tictactoe", "connect4", "reversi:size=6", "yavalath:players=3", "chess", "pyhex:size=4")


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("name", methods())
def test_every_method_has_a_default_for_every_game_that_it_fits(name, spec, page_games):
    game, wanted = sb.game(spec), method(name)
    if (name, spec) in UNFIT:
        with pytest.raises(SpecError, match=UNFIT[name, spec]):
            wanted.default(game)
        return
    config = wanted.default(game)
    assert str(config.rules()) == str(game)
    assert wanted.config_type.read(config.dump()) == config
    tiny = config.dry()
    assert wanted.config_type.read(tiny.dump()) == tiny != config
    wanted.check(config, {}, None)


UNFIT = {
    ("dqn", "yavalath:players=3"): "Q-values need a head for moves and two players",
    ("expert", "yavalath:players=3"): "expert iteration is for two players",
}


def test_the_command_prints_and_keeps_what_it_chose(cli, tmp_path):
    out = tmp_path / "run"
    arguments = ["train", "ntuple", "tictactoe", "games=200", "measure.every=100"]
    ran = cli(*arguments, "measure.games=4", "--out", str(out))
    assert ran.code == 0, ran.err
    assert 'kind = "walk"' in ran.out
    assert "200 games" in ran.out
    told = (out / "run1" / "config.toml").read_text()
    assert 'method = "ntuple"' in told
    assert "games = 200" in told
    # Without a word it goes on with what is there; another value is another training.
    again = cli("train", "ntuple", "tictactoe", "--out", str(out))
    assert again.code == 0, again.err
    assert_one_clear_line(cli(*arguments, "seed=7", "--out", str(out)), "another configuration")
    unknown = cli("train", "ntuple", "tictactoe", "game=3", "learning.alfa=1", "--out", str(out))
    assert_one_clear_line(unknown, "there is no 'learning.alfa'")
    assert_one_clear_line(cli("train", "nosuch", "tictactoe"))


def test_several_runs_of_any_method(cli, tmp_path):
    values = ["rounds=2", "play.games=4", "learning.steps=1", "evaluation.every=1"]
    values += ["evaluation.games=2", "network.width=8", "network.blocks=1"]
    out = tmp_path / "many"
    ran = cli("train", "dqn", "tictactoe", *values, "--runs", "2", "--out", str(out))
    assert ran.code == 0, ran.err
    assert "2 rounds, 2 runs: " in ran.out
    seeds = [(out / f"run{number}" / "config.toml").read_text() for number in (1, 2)]
    assert ["seed = 1\n" in seeds[0], "seed = 2\n" in seeds[1]] == [True, True]
    assert (out / "summary.csv").read_text().startswith("round,opponent,runs,mean,deviation\n1,ra")
    assert (out / "curve.svg").exists()
    listed = cli("runs", str(tmp_path)).out
    assert "2 of 2 rounds of run 2" in listed
    assert "against random" in listed
