"""Experiments of the lab that need neural networks: these are trained once, and shared."""

from dataclasses import replace

import pytest

from spielbaum.arena.executor import Workers
from spielbaum.lab import Lab, experiment
from spielbaum.lab.documents import s0
from spielbaum.lab.report import to_markdown
from spielbaum.play.limits import Limits

TINY = {
    "games.number": 12,
    "games.iterations": 10,
    "positions.most": 400,
    "training.epochs": 2,
    "network.width": 8,
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        tiny = tuple(replace(network, small=TINY) for network in s0.NETWORKS)
        patch.setattr(s0, "NETWORKS", tiny)
        yield Lab(tmp_path_factory.mktemp("lab") / "lab.db", Workers(jobs=1), games=2)


def test_errors_are_measured_and_drawn(lab):
    figure = experiment("S0.figure20")
    assert all(each.value is None for each in figure.results(lab))
    told = []
    lab.tell = lambda what, done, total: told.append(what)
    results = lab.run(figure)
    assert {"DenseNet, games", "ConvNet, training"} <= set(told)
    assert all(isinstance(each.value, float) and len(each.course) == 2 for each in results)
    assert len(figure.draw(results).axes[0].lines) == 4
    assert "ConvNet" in to_markdown(figure, results, "Run here.")
    told.clear()
    assert lab.run(figure) == results
    assert told == []  # nothing is trained again


def test_errors_of_normalised_targets_are_scaled(lab):
    table = experiment("S0.table1")
    results = {(each.cell.row, each.cell.column): each.value for each in lab.run(table)}
    for name in ("DenseNet", "ConvNet"):
        row, raw = f"{name}, normalised", f"{name}, raw"
        assert results[row, "MSE in [-1, 1]"] == pytest.approx(4 * results[row, "MSE"])
        assert results[row, "MAE in [-1, 1]"] == pytest.approx(2 * results[row, "MAE"])
        assert results[raw, "MSE in [-1, 1]"] == results[raw, "MSE"]
    published = {(cell.row, cell.column): cell.published for cell in table.cells}
    assert published["DenseNet, normalised", "MSE in [-1, 1]"] == 0.088
    assert published["ConvNet, normalised", "MAE in [-1, 1]"] == 0.152
    verdicts = [table.judge(each) for each in table.results(lab)]
    assert all(verdict.contained in (True, False) for verdict in verdicts)


def test_agents_with_networks_play(lab):
    table = experiment("S0.table2")
    cells = tuple(
        replace(cell, limits=Limits(iterations=5), opponent_limits=Limits(iterations=9))
        for cell in table.cells[-2:]
    )
    results = lab.run(replace(table, cells=cells))
    assert [each.score.games for each in results] == [2, 2]
    [record, _] = table.records(lab, cells[0])
    by_agent = {seat.agent: seat.limits.iterations for seat in record.task.seats}
    assert by_agent.pop("uct:c=0.8") == 9
    [(spec, iterations)] = by_agent.items()
    assert str(lab.trainings) in spec
    assert iterations == 5


def test_speeds_of_agents_with_networks(lab):
    table = experiment("S0.table11")
    few = replace(table, cells=(*table.cells[:2], table.cells[7]), iterations=20)
    results = lab.run(few)
    assert all(each.value > 0 for each in results)


def test_losses_of_self_play(lab, tmp_path):
    config = tmp_path / "tiny.toml"
    config.write_text(
        'game = "tictactoe"\nmodel_updates = 4\n'
        '[network]\nkind = "dense"\nblocks = 1\nwidth = 16\n'
        "[self_play]\nepisodes = 6\nnum_simulations = 8\nconcurrent = 4\nprocesses = 1\n"
        "[retraining]\nstarting_memory_size = 1\nbatch_size_1 = 64\nbatch_size_2 = 32\n"
        "training_loops = 5\nlearning_rate = 0.005\n"
        '[evaluation]\ngate = "none"\neval_episodes = 0\nsimulations = 8\n'
    )
    figure = replace(
        experiment("S4.figure6.1"), config=str(config), game="tictactoe", games=4
    )  # fmt: skip
    assert all(each.value is None for each in figure.results(lab))
    results = lab.run(figure)
    values = {(each.cell.row, each.cell.column): each.value for each in results}
    assert values["policy loss", "last by first update"] < 1
    assert 0 < values["regularisation loss", "share"] < 0.5
    points = values["trained", "points against untrained"]
    assert points.low <= points.value <= points.high
    assert [len(each.course) for each in results] == [20, 20, 20, 20, 0, 0, 0, 0]
    assert len(figure.draw(results).axes[0].lines) == 4
    text = to_markdown(figure, results, "Run here.")
    assert "| below 1 |" in text
    assert "figures are as the text says" in text
    assert figure.judge(results[0]).direction in ("agrees", "differs")
