"""Value networks: epochs, errors by hand, patience, and going on."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from learning import NETWORK, TICTACTOE, Steps, flat, samples, value_run, weights_of
from spielbaum.arena.executor import Executor
from spielbaum.base.errors import WorkerError
from spielbaum.models.onnx_file import read_net
from spielbaum.play.referee import play_game
from spielbaum.train import run as runs
from spielbaum.train.methods.value import method as value_method
from spielbaum.train.methods.value import training as value_training
from spielbaum.train.methods.value.config import Learning as ValueLearning
from spielbaum.train.methods.value.config import read_config
from spielbaum.train.methods.value.method import NET, ValueRow, run_name
from spielbaum.train.methods.value.training import Trainer
from spielbaum.train.nets.net_config import NetConfig

pytestmark = pytest.mark.usefixtures("one_thread")


def trainer(learnt=11, held=5, seed=1, network=None, **learning):
    settings = ValueLearning(
        **{"epochs": 5, "batch_size": 4, "learning_rate": 0.1, "clip_norm": 2.5, **learning}
    )
    config = NetConfig(**{**NETWORK, "policy": "none", "value_hidden": 4, **(network or {})})
    parts = (samples(learnt, 2), samples(held, 3))
    return Trainer(TICTACTOE, config, settings, parts, seed)


def test_an_epoch_learns_every_position_once(monkeypatch):
    made = trainer(final_learning_rate=0.02, reg_const=0.5)
    steps = Steps(monkeypatch, value_training)
    clock = SimpleNamespace(now=5.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(value_training, "time", clock)
    errors = made._errors

    def measured(*arguments):
        clock.now += 1.5
        return errors(*arguments)

    monkeypatch.setattr(made, "_errors", measured)
    first, second = made.epoch(), made.epoch()
    assert [len(rows) for rows in steps.rows] == [4, 4, 3, 4, 4, 3]
    assert sorted(flat(steps.rows[:3])) == sorted(flat(steps.rows[3:])) == list(range(11))
    assert steps.rows[:3] != steps.rows[3:]
    assert steps.clips == [2.5] * 6
    weights = steps.weights[0]
    assert (weights.policy, weights.value, weights.regularisation) == (0.0, 1.0, 0.5)
    # From the first epoch to the last.
    assert steps.rates == [(0.1, 0.02, 0.0), (0.1, 0.02, 0.25)]
    assert (first.epoch, second.epoch) == (1, 2)
    assert (first.seconds, second.seconds) == (3.0, 6.0)
    assert second.learning_rate == pytest.approx(0.02 + 0.08 * 0.853553, rel=1e-4)
    assert made.rows == [first, second]
    assert made.epoch().seconds == 9.0


def test_a_position_alone_is_not_learnt(monkeypatch):
    made = trainer(learnt=9)
    steps = Steps(monkeypatch, value_training)
    made.epoch()
    assert [len(rows) for rows in steps.rows] == [4, 4]


def test_one_epoch_has_the_first_learning_rate(monkeypatch):
    made = trainer(epochs=1, final_learning_rate=0.02)
    assert made.epoch().learning_rate == pytest.approx(0.1)


def test_dropout_of_an_epoch_does_not_depend_on_what_was_before():
    found = []
    for drawn in (0, 5):
        made = trainer(network={"dropout": 0.5, "value_hidden": 16}, learning_rate=0.001)
        torch.rand(drawn)
        made.epoch()
        found.append(weights_of(made.net))
    assert (found[0] == found[1]).all()


@pytest.mark.parametrize("target", ["raw", "normalised"])
def test_errors_by_hand(monkeypatch, target):
    monkeypatch.setattr(value_training, "MEASURE_BATCH", 3)
    made = trainer(network={"target": target, "dropout": 0.5})
    row = made.epoch()
    made.net.eval()

    def errors(part, rows):
        with torch.no_grad():
            values, _ = made.net(torch.from_numpy(part.planes[rows].astype(np.float32)))
        values = values.numpy() if target == "raw" else 2 * values.numpy() - 1
        off = values - part.values[rows]
        return np.mean(off**2), np.mean(np.abs(off))

    assert (row.mse, row.mae) == pytest.approx(errors(made._validation, np.arange(5)), rel=1e-4)
    # As many positions that are learnt, always the same ones.
    assert len(set(made._sample.tolist())) == 5
    found = errors(made._train, made._sample)
    assert (row.train_mse, row.train_mae) == pytest.approx(found, rel=1e-4)
    assert (trainer(seed=1)._sample == made._sample).all()
    assert not (trainer(seed=2)._sample == made._sample).all()


def test_who_always_answers_the_mean():
    made = trainer()
    off = made._validation.values - np.mean(made._train.values)
    assert made.guess() == pytest.approx((np.mean(off**2), np.mean(np.abs(off))), rel=1e-5)


def value_row(epoch, mse):
    names = ValueRow.__dataclass_fields__
    return ValueRow(**{**dict.fromkeys(names, 0.0), "epoch": epoch, "mse": mse})


def test_when_a_training_of_values_is_done():
    made = trainer(epochs=5, patience=2)
    assert made.best is None
    assert not made.done
    made.rows = [value_row(1, 0.5), value_row(2, 0.25), value_row(3, 0.3)]
    assert made.best.epoch == 2
    assert not made.done
    made.rows.append(value_row(4, 0.3))
    assert made.done  # two epochs without anything better
    made.rows[-1] = value_row(4, 0.125)
    assert not made.done
    made.rows.append(value_row(5, 0.1))
    assert made.done  # the last
    patient = trainer(epochs=5, patience=0)
    patient.rows = [value_row(1, 0.5), *(value_row(number, 1.0) for number in range(2, 5))]
    assert not patient.done


def test_a_training_of_values_goes_on(tmp_path):
    whole = trainer(network={"dropout": 0.3})
    for _ in range(3):
        whole.epoch()
    first = trainer(network={"dropout": 0.3})
    first.restore(tmp_path)  # there is nothing
    assert first.rows == []
    for _ in range(2):
        first.epoch()
    first.save(tmp_path)
    again = trainer(network={"dropout": 0.3})
    again.restore(tmp_path)
    assert again.rows == first.rows
    assert type(again.rows[0].epoch) is int
    again.epoch()
    assert (weights_of(again.net) == weights_of(whole.net)).all()
    again.net.train()
    again.export(tmp_path / "a.onnx", {"epoch": 3})
    assert read_net(tmp_path / "a.onnx").training == {"epoch": 3}
    assert not again.net.training


def test_seeds_and_threads():
    one, again, other = trainer(), trainer(threads=2), trainer(seed=9)
    assert torch.get_num_threads() == 1
    assert (weights_of(one.net) == weights_of(again.net)).all()
    assert not (weights_of(one.net) == weights_of(other.net)).all()
    trainer(threads=2)
    assert torch.get_num_threads() == 2


# ---- runs ----
class InThisProcess(Executor):
    """Plays games one after the other, but not more than it may."""

    def __init__(self, most=1000):
        self.most, self.played = most, 0

    def batches(self, tasks):
        for task in tasks:
            if self.played == self.most:
                return
            self.played += 1
            yield [play_game(task)]


def run_config(**changes):
    values = {
        "game": "tictactoe",
        "games": {"number": 12, "agents": ["random"], "processes": 1},
        "positions": {"most": 200, "validation": 0.2},
        "network": {"kind": "dense", "blocks": 1, "width": 4, "value_hidden": 4},
        "training": {"epochs": 2, "batch_size": 32},
    }
    return read_config(values).with_values(changes)


def test_a_run_tells_how_far_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(value_method, "SOME", 5)
    told, seen, executor = [], [], InThisProcess()
    run = value_run(run_config(), tmp_path, executor=executor)
    run._status = SimpleNamespace(tell=seen.append)
    lines = []

    def hear(now, new):
        told.append((now.activity, now.step, now.of))
        lines.extend(new)

    rows = run.run(hear)
    assert list(dict.fromkeys(told)) == [
        *(("games", number, 12) for number in range(13)),
        *(("positions", 5, 12), ("positions", 10, 12), ("positions", 12, 12)),
        *(("training", number, 2) for number in range(3)),
        ("finished", 2, 2),
    ]
    assert lines[0].startswith("12 games with ")
    assert "weights; whoever always answers the mean" in lines[1]
    assert lines[2:] == [row.line() for row in rows]
    assert [each.unit for each in seen if each.activity in ("games", "positions")] == ["games"] * 16
    assert {each.unit for each in seen[16:]} == {"epochs"}
    last = seen[-1]
    assert (last.activity, last.step, last.of) == ("finished", 2, 2)
    assert executor.played == 12
    facts = read_net(tmp_path / NET).training
    best = min(rows, key=lambda row: row.mse)
    assert (facts["method"], facts["epoch"], facts["games"]) == ("value", best.epoch, 12)
    assert (facts["mse"], facts["mae"]) == (best.mse, best.mae)
    assert facts["guess_mse"] > facts["guess_mae"] ** 2 > 0
    assert facts["positions"] == 200  # there are more, with all images
    # Nothing is played or learnt again.
    again = value_run(run_config(), tmp_path, executor=executor)
    assert again.run() == rows
    assert executor.played == 12


def test_all_positions_are_told_if_there_are_few(tmp_path):
    config = run_config(**{"positions.most": 10_000, "training.epochs": 1})
    told = []
    run = value_run(config, tmp_path, executor=InThisProcess())
    run.run(lambda now, lines: told.extend(lines if now.activity == "positions" else ()))
    facts = read_net(tmp_path / NET).training
    [line] = told
    assert f"{facts['positions']:,} with all images" in line


def test_games_that_are_read_are_told_by_the_hundred(tmp_path, monkeypatch):
    def read(records, game, encoding, *, report, **options):
        for number in range(1, 351):
            report(number)
        return SimpleNamespace(games=350, seen=9, distinct=8, all_images=7)

    monkeypatch.setattr(value_method, "make_lessons", read)
    run = value_run(run_config(), tmp_path / "made" / "with its parents", executor=InThisProcess())
    told = []
    made = run.method
    run.desk.begin = told.append
    made.start()
    made._play()
    made._read_lessons()
    assert [each.done for each in told if each.name == "positions"] == [100, 200, 300, 350]
    run._lock.close()


def test_games_that_are_missing_are_told(tmp_path):
    with pytest.raises(WorkerError, match="7 of 12 games were played before it was stopped"):
        value_run(run_config(), tmp_path, executor=InThisProcess(7)).run()
    rest = InThisProcess()
    value_run(run_config(), tmp_path, executor=rest).run()
    assert rest.played == 5


def test_rates_are_those_of_a_phase(tmp_path, monkeypatch):
    clock = SimpleNamespace(now=10.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(runs, "time", clock)
    run = value_run(run_config(), tmp_path)
    seen = []
    run._status = SimpleNamespace(tell=seen.append)
    run.desk.begin = run._show_phase
    for phase, done, seconds in (
        *(("games", 4, 0.0), ("games", 4, 5.0), ("games", 24, 5.0)),
        *(("positions", 5, 7.0), ("positions", 9, 2.0), ("search", 1, 9.0), ("training", 3, 1.0)),
    ):
        clock.now += seconds
        unit = "games" if phase in ("games", "positions") else "epochs"
        run.method._tell(phase, unit, done, 100)
    assert [each.rate for each in seen] == [0.0, 0.0, 2.0, 0.0, 2.0, 0.0, 0.0]
    assert [each.unit for each in seen] == ["games"] * 5 + ["epochs"] * 2
    assert {each.of for each in seen} == {100}
    run._lock.close()


def test_games_of_a_plan_have_a_name_of_their_own():
    one, other = run_config().plan(), run_config(seed=2).plan()
    assert run_name(one) == run_name(run_config().plan()) != run_name(other)
    assert len(run_name(one)) == len("value ") + 12
