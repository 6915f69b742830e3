"""Whole trainings: a dry run, one that is killed again and again, and one whose disk is full."""

import csv
import errno
import json
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest
import torch

import spielbaum as sb
from commands import COMMAND, assert_one_clear_line
from spielbaum.base.arrays import write_atomically
from spielbaum.models.onnx_file import read_net
from spielbaum.models.shipped import find_model
from spielbaum.train.data import games_file
from spielbaum.train.data.games_file import Memory, read_games
from spielbaum.train.methods.alphazero.run_memory import read_memory
from spielbaum.train.nets.checkpoints import read_header, save_checkpoint
from spielbaum.train.nets.net_config import NetConfig
from spielbaum.train.nets.towers import make_net

CONFIG = """
game = "tictactoe"
recipe = "modern"
model_updates = 5

[network]
kind = "dense"
blocks = 1
width = 16

[self_play]
episodes = 20
num_simulations = 4
fast_simulations = 2
concurrent = 8
processes = 1
memory_size = 400

[retraining]
starting_memory_size = 20
batch_size_1 = 128
batch_size_2 = 64
samples_per_position = 0
training_loops = 2
overlap = {overlap}

[evaluation]
every = 2
eval_episodes = 2
simulations = 4
positions = 5
plies = [2, 6]
"""


PATIENCE = 600
"""Seconds, for machines that are busy with other things."""


def command(config, out):
    arguments = ["train", "alphazero", "tictactoe", "--config", str(config), "--out", str(out)]
    return [*COMMAND, *arguments]


def start(config, out):
    """A training that has its first network, and has started its processes."""
    running = subprocess.Popen(
        command(config, out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + PATIENCE
    while not (out / "nets" / "00000.onnx").exists() or len(children_of(running.pid)) < 3:
        assert running.poll() is None, running.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return running


def finish(config, out):
    return subprocess.run(
        command(config, out), capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(CONFIG.replace("{overlap}", "true"))
    return path


def check_files(out):
    """Whatever is there can be read; answers games, and the generation that was judged."""
    state = read_memory(out)
    memory = Memory(out / "games", 10**9)
    for file in memory.files:
        assert len(read_games(file.path)) == file.games
    for path in [*(out / "nets").glob("*.onnx"), *out.glob("best.onnx")]:
        read_net(path)
    if (out / "checkpoint.safetensors").exists():
        assert read_header(out / "checkpoint.safetensors")["generation"] - state.generation in (
            0,
            1,
        )
    return memory.totals.games, state.generation


def test_a_training_that_is_killed(config, tmp_path, cli):
    """SPIELBAUM_KILLS=6 kills it so often; a few times by default. The second is Ctrl-C."""
    out, rng = tmp_path / "run", random.Random(3)
    games = generation = 0
    for number in range(int(os.environ.get("SPIELBAUM_KILLS", "3"))):
        if generation == 5:
            break  # a fast machine has finished it
        running = start(config, out)
        children = children_of(running.pid)
        time.sleep(rng.uniform(0.0, 4.0))
        if running.poll() is None:
            running.send_signal(signal.SIGINT if number == 1 else signal.SIGKILL)
        _, told = running.communicate(timeout=PATIENCE)
        # Python itself complains in processes that had just been started when theirs was killed.
        assert number != 1 or "Traceback" not in told
        if number == 0:
            wait_for_end(children)
        before = games, generation
        games, generation = check_files(out)
        assert games >= before[0]
        assert generation >= before[1]
    done = finish(config, out)
    assert done.returncode == 0, done.stderr
    games, generation = check_files(out)
    assert generation == 5
    state = read_memory(out)
    assert [row.generation for row in state.rows] == [1, 2, 3, 4, 5]
    counted = [row.games for row in state.rows]
    assert counted == sorted(counted)
    assert games >= counted[-1]
    assert sorted(path.name for path in (out / "nets").iterdir()) == [
        f"{number:05}.onnx" for number in range(6)
    ]
    with (out / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["generation"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert rows[3]["accuracy"] != ""
    for name in ("losses.csv", "losses.svg", "elo.svg", "accuracy.svg", "config.toml"):
        assert (out / name).stat().st_size > 0
    assert not list(out.rglob("*.spielbaum-new"))
    budget = sb.Budget(iterations=8)
    decision = sb.agent(f"net:{out / 'best.onnx'}").choose(sb.game("tictactoe").initial(), budget)
    assert decision.stats["evaluations"] > 0
    assert read_net(out / "best.onnx").training["generation"] == 5
    assert "5 of 5 generations" in cli("runs", str(tmp_path)).out
    # Nothing is left to do.
    assert cli(*command(config, out)[len(COMMAND) :]).code == 0


def children_of(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def wait_for_end(processes):
    """No process outlives the run that started it."""
    assert len(processes) >= 3
    deadline = time.monotonic() + PATIENCE
    while any(lives(each) for each in processes):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_gates(tmp_path, cli):
    """S4's way: without overlap, and the best network plays until it is beaten by the ratio."""
    path = tmp_path / "s4.toml"
    text = CONFIG.replace("{overlap}", "false").replace("model_updates = 5", "model_updates = 2")
    path.write_text(
        text.replace('recipe = "modern"', 'recipe = "s4"').replace("every = 2", "every = 1")
        + 'start_evaluation = 0\nscoring_threshold = 1000\ngate = "ratio"\nopponents = ["random"]\n'
        + "games = 2\n"
    )
    out = tmp_path / "run"
    ran = cli(*command(path, out)[len(COMMAND) :])
    assert ran.code == 0, ran.err
    state = read_memory(out)
    best, accuracy = 0, None
    for row in state.rows:
        assert row.wins + row.draws + row.losses == 2
        if row.wins > 1000 * row.losses:
            best, accuracy = row.generation, row.accuracy
        assert row.best == best
        assert set(row.shares) == {"random"}
    assert read_net(out / "best.onnx").training.get("accuracy") == accuracy
    told = json.loads((out / "state.json").read_text())
    assert told["results"][0][1] == "0"


def test_dry_run():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*COMMAND, "train", "alphazero", "tictactoe", "--config", "tictactoe", "--dry-run"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    assert "the dry run went well" in done.stdout
    # Of the processor: what a clock says depends on what else goes on.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60


def test_full_disk(config, tmp_path, cli, monkeypatch):
    def full(path, *rest, **more):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    out = tmp_path / "run"
    monkeypatch.setattr(games_file, "write_arrays", full)
    ran = cli(*command(config, out)[len(COMMAND) :])
    assert ran.code == 2
    assert ran.err.splitlines()[-1].endswith("00000001.npz: No space left on device")
    assert "Traceback" not in ran.err
    assert check_files(out) == (0, 0)
    assert read_header(out / "checkpoint.safetensors")["generation"] == 0


def test_unfinished_files_are_removed(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "a"
    write_atomically(path, b"before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_atomically(path, b"after")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("nowhere.onnx", "nowhere.onnx: No such file"),
        ("folder", "expected the folder of a training, or a file"),
        ("net:connect4", "it is a network for connect4, not for tictactoe"),
        ("other", "does not fit the network of this training"),
    ],
)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_weights_that_do_not_fit_are_told_before_there_is_a_folder(
    config, tmp_path, cli, weights, words, dry
):
    path = tmp_path / weights
    if weights == "folder":
        path.mkdir()
    elif weights == "net:connect4":
        path = find_model("connect4", ".onnx")
    elif weights == "other":
        path.mkdir()
        net = make_net(sb.game("tictactoe"), NetConfig(kind="dense", blocks=2, width=16))
        save_checkpoint(
            path / "checkpoint.safetensors", net, torch.optim.Adam(net.parameters()), {}
        )
    out = tmp_path / "run"
    arguments = [*command(config, out)[len(COMMAND) :], "--weights", str(path), *dry]
    assert_one_clear_line(cli(*arguments), words)
    assert not out.exists()


def test_another_configuration(config, tmp_path, cli):
    out = tmp_path / "run"
    out.mkdir()
    (out / "config.toml").write_text('game = "tictactoe"\nseed = 77\n')
    assert_one_clear_line(cli(*command(config, out)[len(COMMAND) :]), "another configuration")
