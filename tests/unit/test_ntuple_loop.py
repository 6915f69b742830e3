"""The loop of n-tuple training: what happens when, with a trainer that only counts games."""

from dataclasses import asdict
from types import SimpleNamespace

import pytest

from learning import arrays_of, ntuple_training
from spielbaum import _core
from spielbaum.arena.strength import Strength
from spielbaum.base.arrays import write_arrays
from spielbaum.base.errors import ModelError, SpecError, StoreError
from spielbaum.base.statistics import Score
from spielbaum.models.ntuple_file import load_network
from spielbaum.train import run as runs
from spielbaum.train.methods.ntuple import method as ntuple_method
from spielbaum.train.methods.ntuple.config import read_config
from spielbaum.train.methods.ntuple.method import NTuple, NTupleRow, read_log
from spielbaum.train.run_folder import read_status


def config(games=900, every=300, replacement=None, **more):
    return read_config(
        {
            "game": "connect4:rows=4,columns=4",
            "games": games,
            "network": {"tuples": [{"number": 4, "length": 3}]},
            "learning": {
                "alpha": {"kind": "linear", "initial": 0.5, "final": 0.2},
                "epsilon": 0.25,
                **more,
            },
            "replacement": replacement or {},
            "measure": {"every": every, "games": 4, "opponents": ["uct", "random"]},
        }
    )


class Counter:
    """Stands for a trainer that plays a hundred games a second, and is asked to stop at some."""

    def __init__(self, training, clock, stop_at=0):
        self.training, self.clock, self.stop_at = training, clock, stop_at
        self.calls, self.replaced, self.asked = [], [], []
        self.changes, self.uses = training.trainer.changes, training.trainer.uses

    def train(self, first, end, threads, breath, stop):
        self.calls.append((first, end))
        self.options = (threads, breath)
        if self.stop_at and end >= self.stop_at:
            end = self.stop_at
            self.training.stop()
            assert stop.stopped
        self.clock.now += (end - first) / 100
        return end

    def worths(self, games, count):
        self.asked.append((games, count))
        return [5.0, 1.0, 4.0, 3.0]

    def replace(self, index, cells):
        self.replaced.append((index, tuple(cells)))


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=50.0, perf_counter=lambda: clock.now, monotonic=lambda: clock.now)
    for module in (ntuple_method, runs):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def started(clock, tmp_path, monkeypatch):
    """Makes trainings whose games and measurements take no time but that of the clock.

    ``shares`` are what is measured against the first opponent, one after the other.
    """
    shares = iter([0.25, 0.75, 0.5, 0.75, 0.5])

    def measure(self, opponent):
        assert not self.heeds_stop
        clock.now += 2.0
        share = next(shares) if opponent == "uct" else 0.5
        wins = round(4 * share)
        return Strength(opponent, Score(wins, 0, 4 - wins), 2.0)

    monkeypatch.setattr(NTuple, "_measure_against", measure)

    def start(settings, stop_at=0, folder=tmp_path / "run"):
        training = ntuple_training(settings, 1, folder)
        training.trainer = Counter(training, clock, stop_at)
        return training

    return start


# ---- the order of things ----
def test_a_new_training_has_done_nothing(started):
    training = started(config())
    phase = training.phase()
    assert (phase.name, phase.unit, phase.done, phase.of) == ("training", "games", 0, 900)
    assert training.heeds_stop
    assert (training.training_seconds, training.measuring_seconds) == (0.0, 0.0)


def test_measurements_are_made_when_they_are_due(started, tmp_path):
    training = started(config())
    told = []
    rows = training.run(lambda now, lines: told.append((now, len(lines))))
    assert training.trainer.calls == [(0, 300), (300, 600), (600, 900)]
    assert training.trainer.options == (1, 0.25)
    assert [(row.games, row.opponent) for row in rows] == [
        (games, name) for games in (300, 600, 900) for name in ("uct", "random")
    ]
    assert [row.training_seconds for row in rows] == [3.0, 3.0, 6.0, 6.0, 9.0, 9.0]
    assert [row.measuring_seconds for row in rows] == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    assert [row.alpha for row in rows[::2]] == pytest.approx([0.4, 0.3, 0.2])
    assert {row.epsilon for row in rows} == {0.25}
    assert [(row.share, row.wins, row.draws, row.losses, row.seconds) for row in rows[:3]] == [
        (0.25, 1, 0, 3, 2.0),
        (0.5, 2, 0, 2, 2.0),
        (0.75, 3, 0, 1, 2.0),
    ]
    assert list(dict.fromkeys(now.step for now, _ in told)) == [0, 300, 600, 900]
    assert [lines for _, lines in told if lines] == [2, 2, 2]
    assert told[0][0].rate == 0.0
    assert training.heeds_stop
    status = read_status(tmp_path / "run")
    assert (status.activity, status.step, status.of, status.unit) == ("finished", 900, 900, "games")
    assert status.rate == pytest.approx(900 / 17)  # nine seconds of training, eight of measuring
    assert read_log(tmp_path / "run") == rows


def test_what_goes_on_is_told_as_it_changes(started, monkeypatch):
    told = []
    file = SimpleNamespace(tell=lambda status: told.append((status.activity, status.step)))
    monkeypatch.setattr(runs, "StatusFile", lambda folder: file)
    started(config(games=600)).run()
    assert list(dict.fromkeys(told)) == [
        *(("starting", 0), ("training", 0), ("training", 300), ("measuring", 300)),
        *(("training", 600), ("measuring", 600), ("finished", 600)),
    ]


def test_curves_are_written(started, monkeypatch):
    written = []

    class Events:
        def __init__(self, folder):
            pass

        def __enter__(self):
            return SimpleNamespace(add=lambda *each: written.append(each))

        def __exit__(self, *error):
            pass

    monkeypatch.setattr(runs, "EventLog", Events)
    started(config(every=0)).run()
    about = {"alpha": 0.2, "epsilon": 0.25, "games per second": pytest.approx(100)}
    assert written == [
        (900, {"strength against uct": 0.25, **about}),
        (900, {"strength against random": 0.5, **about}),
    ]


def test_the_best_network_is_the_last_of_those_that_are_equally_good(started, tmp_path):
    training = started(config(games=1500))
    training.training_seconds = 0.04  # which nobody wants to know
    training.run()
    facts = load_network(tmp_path / "run" / "best.npz").training
    assert (facts["run"], facts["games"], facts["seconds"]) == (1, 1200, 12.0)
    assert facts["strength"] == [
        {"opponent": "uct", "share": 0.75},
        {"opponent": "random", "share": 0.5},
    ]
    assert load_network(tmp_path / "run" / "last.npz").training["games"] == 1500


def test_without_a_number_there_is_one_measurement_at_the_end(started):
    training = started(config(every=0))
    training.run()
    assert training.trainer.calls == [(0, 900)]
    assert [row.games for row in training.desk.rows] == [900, 900]


def test_every_single_game_may_be_measured(started):
    training = started(config(games=3, every=1))
    training.run()
    assert training.trainer.calls == [(0, 1), (1, 2), (2, 3)]
    assert [row.games for row in training.desk.rows[::2]] == [1, 2, 3]


def test_seconds_of_measurements_are_rounded_to_thousandths(started, monkeypatch):
    training = started(config(every=0))
    monkeypatch.setattr(
        training, "_measure_against", lambda opponent: Strength(opponent, Score(1, 0, 3), 0.12345)
    )
    rows = training.run()
    assert [(row.seconds, row.measuring_seconds) for row in rows] == [
        (0.123, 0.123),
        (0.123, 0.247),
    ]


def test_the_end_is_measured_even_if_it_is_not_a_multiple(started):
    training = started(config(games=700))
    training.run()
    assert training.trainer.calls == [(0, 300), (300, 600), (600, 700)]
    assert [row.games for row in training.desk.rows[::2]] == [300, 600, 700]


def test_a_training_that_is_stopped_goes_on_where_it_was(started, tmp_path):
    first = started(config(), stop_at=450)
    first.run()
    assert first.games == 450
    assert [row.games for row in first.desk.rows] == [300, 300]
    assert read_status(tmp_path / "run").activity == "stopped"
    again = started(config())
    assert (again.games, again.training_seconds, again.measuring_seconds) == (450, 4.5, 4.0)
    assert again.desk.rows == first.desk.rows
    assert again.network.training["games"] == 450
    again.run()
    assert again.trainer.calls == [(450, 600), (600, 900)]
    assert [row.games for row in again.desk.rows[::2]] == [300, 600, 900]
    assert again.desk.rows[-1].training_seconds == 9.0


def test_what_was_measured_is_not_measured_again(started):
    first = started(config(), stop_at=650)
    first.run()
    assert first.desk.rows[-1].games == 600
    again = started(config())
    again.run()
    assert [row.games for row in again.desk.rows[::2]] == [300, 600, 900]
    finished = started(config())
    assert finished.run() == again.desk.rows
    assert finished.trainer.calls == []


def test_who_is_stopped_does_not_measure_before(started):
    first = started(config(), stop_at=600)
    first.run()
    assert (first.games, first.desk.rows[-1].games) == (600, 300)
    again = started(config())
    again.run()
    assert [row.games for row in again.desk.rows[::2]] == [300, 600, 900]


def test_checkpoints_are_written_now_and_then(started, clock, monkeypatch):
    training = started(config(games=1000, every=0))
    saved = []
    monkeypatch.setattr(training, "save", lambda: saved.append(training.games))
    ends = iter(range(100, 1100, 100))
    monkeypatch.setattr(training, "_next_event", lambda: next(ends))
    seconds = iter([60.0, 59.0, 2.0, 121.0, 60.0, 60.0, 0.0, 0.0, 0.0, 0.0])

    train = training._train

    def slow(end):
        train(end)
        clock.now += next(seconds) - 1.0

    monkeypatch.setattr(training, "_train", slow)
    training.run()
    # After more than two minutes; before and after a measurement, which is the end.
    assert saved == [300, 400, 1000, 1000]


# ---- replacement of tuples ----
def test_tuples_that_are_worth_least_are_replaced(started):
    rule = {"every": 200, "share": 0.5, "games": 7, "until": 500}
    training = started(config(every=0, replacement=rule))
    before = training.network.tuples
    training.run()
    assert training.trainer.calls == [(0, 200), (200, 400), (400, 600), (600, 800), (800, 900)]
    assert training.trainer.asked == [(200, 7), (400, 7)]
    assert [index for index, _ in training.trainer.replaced] == [1, 3, 1, 3]
    new = [set(cells) for _, cells in training.trainer.replaced]
    assert all(len(cells) == 3 for cells in new)
    assert not any(cells == set(other) for cells in new for other in before)
    # Drawn by the number of the run and the games so far: the same again, others later.
    assert new[:2] != new[2:]


def test_tuples_are_replaced_in_the_first_half_unless_told_otherwise(started):
    training = started(config(every=0, replacement={"every": 150, "share": 0.25, "games": 7}))
    training.run()
    assert [games for games, _ in training.trainer.asked] == [150, 300, 450]
    assert len(training.trainer.replaced) == 3


def test_events_of_both_kinds_come_in_their_order(started):
    training = started(config(every=300, replacement={"every": 200, "share": 0.25, "games": 7}))
    training.run()
    assert [first for first, _ in training.trainer.calls] == [0, 200, 300, 400, 600, 800]


# ---- the referee, files ----
def test_a_referee_is_there_only_if_it_is_needed(tmp_path):
    assert ntuple_training(config(), 1, tmp_path / "a")._referee is None
    assert ntuple_training(config(cut=0), 1, tmp_path / "b")._referee is not None
    for number, opponent in enumerate(("perfect", "perfect-resisting")):
        made = read_config({**WRITTEN, "measure": {"opponents": ["random", opponent]}})
        assert ntuple_training(made, 1, tmp_path / f"c{number}")._referee is not None


WRITTEN = {
    "game": "tictactoe",
    "games": 40,
    "network": {"tuples": [{"number": 2, "length": 3}]},
}


def test_the_oracle_judges_for_the_first_player(tmp_path, monkeypatch):
    oracles = []
    monkeypatch.setattr(
        ntuple_method._core, "make_trainer", lambda core, options, oracle: oracles.append(oracle)
    )
    written = {**WRITTEN, "learning": {"cut": 3}}
    training = ntuple_training(read_config(written), 1, tmp_path)
    [oracle] = oracles
    game = training.config.game
    assert oracle(game.state("a1 b1")._core) == 1.0  # x is to move and wins
    assert oracle(game.state("b2 b1 c3")._core) == 1.0  # o is to move and loses
    assert oracle(game.state("a1 b2 c3 a2 b1")._core) == -1.0  # o is to move and wins
    assert oracle(game.initial()._core) == 0.0


@pytest.mark.parametrize(("cut", "asked"), [(-1, False), (0, True), (3, True)])
def test_an_oracle_is_asked_if_games_are_cut(tmp_path, monkeypatch, cut, asked):
    oracles = []
    monkeypatch.setattr(
        ntuple_method._core, "make_trainer", lambda core, options, oracle: oracles.append(oracle)
    )
    ntuple_training(read_config({**WRITTEN, "learning": {"cut": cut}}), 1, tmp_path)
    assert [oracle is not None for oracle in oracles] == [asked]


def test_a_search_that_is_wrong_is_told(started):
    training = started(config())

    def wrong(*_):
        raise _core.OptionError("no such thing")

    training.trainer.train = wrong
    with pytest.raises(SpecError, match=r"training of connect4:rows=4,columns=4: no such thing"):
        training.run()


def test_checkpoints_of_other_runs_and_formats_are_refused(started, tmp_path):
    training = started(config(games=300))
    training.run()
    path = tmp_path / "run" / "checkpoint.npz"
    with pytest.raises(SpecError, match="another configuration"):
        ntuple_training(config(games=300), 2, tmp_path / "run")
    with pytest.raises(SpecError, match="another configuration"):
        ntuple_training(config(games=301), 1, tmp_path / "run")
    header, arrays = arrays_of(path)
    for change, words in (
        ({"format": "other"}, "no checkpoint of a training"),
        ({"games": "many"}, "damaged"),
        ({"rows": [{"games": 1}]}, "damaged"),
        ({"training_seconds": None}, "damaged"),
    ):
        write_arrays(path, {**header, **change}, arrays, compress=False)
        with pytest.raises(ModelError, match=words):
            ntuple_training(config(games=300), 1, tmp_path / "run")


def test_logs_come_back_as_they_were(tmp_path):
    assert read_log(tmp_path) == []
    row = NTupleRow(300, 1.5, 2.0, 0.5, 0.25, "uct", 0.625, 2, 1, 1, 0.5)
    names, values = asdict(row).keys(), asdict(row).values()
    text = f"{','.join(names)}\n{','.join(map(str, values))}\n"
    (tmp_path / "log.csv").write_text(text)
    assert read_log(tmp_path) == [row]
    (tmp_path / "log.csv").write_text(text.replace("uct,0.625", "uct,often"))
    with pytest.raises(StoreError, match=r"its log\.csv is damaged"):
        read_log(tmp_path)


# ---- what is measured ----
def test_opponents_get_the_limits_of_the_configuration(tmp_path, monkeypatch):
    asked = {}

    def agent(player, opponent, game, games, **more):
        asked["agent"] = (opponent, games, more["opening"], more["budget"])

    def perfect(choose, referee, game, games, *, cut, resistance):
        asked[len(asked)] = (games, cut, resistance)

    monkeypatch.setattr(ntuple_method, "measure_agent", agent)
    monkeypatch.setattr(ntuple_method, "measure_perfect", perfect)
    measure = {"games": 6, "opening": 3, "iterations": 17, "depth": 4, "resistance": 5}
    measure["opponents"] = ["perfect"]
    training = ntuple_training(
        read_config({**WRITTEN, "measure": measure, "learning": {"cut": 7}}), 1, tmp_path
    )
    for opponent in ("uct", "perfect", "perfect-resisting"):
        training._measure_against(opponent)
    opponent, games, opening, budget = asked["agent"]
    assert (opponent, games, opening) == ("uct", 6, 3)
    assert (budget.iterations, budget.depth, budget.seconds) == (17, 4, None)
    assert (asked[1], asked[2]) == ((6, 7, 0), (6, 7, 5))
