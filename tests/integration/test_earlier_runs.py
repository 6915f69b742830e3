"""Runs that an earlier version was killed in go on to what that version ended with."""

import csv
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from spielbaum.models.ntuple_file import load_network
from spielbaum.models.onnx_file import graph_bytes, read_net
from spielbaum.train.method import method
from spielbaum.train.run import kept_config, method_of
from spielbaum.train.run_list import find_runs

RUNS = Path(__file__).parents[1] / "data" / "runs"
GAMES = {"ntuple": "connect4:rows=4,columns=5"}
STRENGTH = {
    "ntuple": "against random",
    "value": "mean squared error",
    "dqn": "against random",
    "imitation": "",
    "alphazero": "of values kept",
}


@pytest.fixture(params=sorted(STRENGTH))
def earlier(request, tmp_path, monkeypatch):
    """A copy of a run, and the name of its method."""
    shutil.copytree(RUNS / request.param, tmp_path / "run")
    shutil.copytree(RUNS / "recorded", tmp_path / "recorded")
    monkeypatch.chdir(tmp_path)
    return request.param, tmp_path / "run"


def run_folder(name, folder):
    return folder / "run1" if name == "ntuple" else folder


def test_an_earlier_run_goes_on_to_the_same_result(earlier, cli):
    name, folder = earlier
    game = GAMES.get(name, "tictactoe")
    more = ["--games", "recorded"] if name == "imitation" else []
    ran = cli("train", name, game, "--config", "run/asked.toml", "--out", "run", *more)
    assert ran.code == 0, ran.err
    expected = json.loads((folder / "expected.json").read_text())
    own = run_folder(name, folder)
    with (own / method(name).table).open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == expected["number"]
    for row, wanted in zip(rows[-3:], expected["rows"], strict=True):
        for key, text in wanted.items():
            assert same(row[key], text), (key, row[key], text)
    if name == "ntuple":
        net = load_network(own / "last.npz")
        assert [list(cells) for cells in net.tuples] == expected["tuples"]
        assert hashlib.sha256(net.weights.tobytes()).hexdigest() == expected["sha"]
    else:
        net = read_net(own / "best.onnx")
        told = {key: value for key, value in net.training.items() if key not in ("config", "hours")}
        assert told.keys() == expected["training"].keys()
        assert len(graph_bytes(net.content)) > 1000
    assert json.loads((own / "run.json").read_text())["method"] == name
    # It is finished now, also for a command that names no configuration.
    again = cli("train", name, game, "--out", "run")
    assert again.code == 0, again.err


def same(text, wanted):
    """Floats may differ in their last places where another processor adds them up."""
    try:
        return float(text) == pytest.approx(float(wanted), rel=1e-3, abs=1e-5)
    except ValueError:
        return text == wanted


def test_an_earlier_run_is_listed(earlier):
    name, folder = earlier
    found = [run for run in find_runs(folder.parent) if run.folder == folder]
    assert [(run.method, run.game, run.running) for run in found] == [
        (name, GAMES.get(name, "tictactoe"), False)
    ]
    assert STRENGTH[name] in found[0].strength
    assert " of " in found[0].progress
    own = run_folder(name, folder)
    assert method_of(own) is method(name)
    assert kept_config(method(name), own) == method(name).config_type.load(
        folder / "asked.toml"
    ).with_values({"games": ["recorded"]} if name == "imitation" else {})
