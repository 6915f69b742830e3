"""Trainings of every method that are killed go on to the same results as those that are not.

AlphaZero has another seed in every session, so that no games are played again: it does not end the
same, but it ends. What it keeps meanwhile is in ``test_alphazero_runs.py``.
"""

import signal
import subprocess
import time
from dataclasses import asdict, dataclass

import numpy as np
import pytest

from commands import COMMAND
from spielbaum.base.arrays import open_arrays
from spielbaum.models.ntuple_file import load_network
from spielbaum.models.onnx_file import graph_bytes, read_net
from spielbaum.train.data.recording import Recording, record
from spielbaum.train.method import method, methods
from spielbaum.train.rows import read_rows

PATIENCE = 600
"""Seconds, for machines that are busy with other things."""
NETWORK = """
[network]
kind = "dense"
blocks = 1
width = 16
"""


@dataclass(frozen=True)
class Case:
    """A training, and after which files and delays it is killed."""

    config: str
    kills: tuple[tuple[str, float], ...]
    rows: int
    game: str = "tictactoe"
    more: tuple[str, ...] = ()
    exact: bool = True
    """Whether it ends bit for bit as if never killed."""


CASES = {
    "ntuple": Case(
        """
games = 40_000

[network]
tuples = [{ kind = "walk", number = 12, length = 5 }]

[learning]
alpha = 0.02
epsilon = { kind = "sigmoid", initial = 0.9, final = 0.1, at = 10_000 }
lambda = 0.6
traces = "replacing"
resetting = true
control = "tcl-exp"

[replacement]
every = 4_000
games = 10

[measure]
every = 2_000
games = 4
""",
        (("checkpoint.npz", 0.2), ("checkpoint.npz", 0.5), ("checkpoint.npz", 0.9)),
        20,
        game="connect4:rows=5,columns=5",
    ),
    "value": Case(
        f"""
[games]
number = 100
agents = ["uct:temperature=1"]
iterations = 50
processes = 1
{NETWORK}
[training]
epochs = 12
""",
        (("games.db", 0.5), ("checkpoint.safetensors", 0.1)),
        12,
    ),
    "dqn": Case(
        f"""
rounds = 40
{NETWORK}
[play]
games = 8

[learning]
memory_size = 400
steps = 4
batch_size = 16

[evaluation]
every = 20
games = 4
""",
        (("checkpoint.safetensors", 0.0), ("checkpoint.safetensors", 0.15)),
        40,
    ),
    "imitation": Case(
        f"""
rounds = 40
{NETWORK}
[training]
positions = 50
batch_size = 16

[evaluation]
every = 20
held_out = 5
games = 2
simulations = 4
opponents = ["random"]
""",
        (("checkpoint.safetensors", 0.0), ("checkpoint.safetensors", 0.15)),
        40,
        more=("--games", "recorded"),
    ),
    "alphazero": Case(
        f"""
recipe = "modern"
model_updates = 3
{NETWORK}
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
overlap = false

[evaluation]
every = 2
eval_episodes = 2
simulations = 4
""",
        (("nets/00000.onnx", 0.3), ("state.json", 0.1)),
        3,
        exact=False,
    ),
    "expert": Case(
        """
rounds = 30

[apprentice]
tuples = 6
length = 4

[expert]
depth = 2

[play]
games = 10

[evaluation]
every = 10
games = 4
""",
        (("checkpoint.npz", 0.0), ("checkpoint.npz", 0.15)),
        30,
    ),
    "qlearning": Case(
        """
rounds = 40
games = 40

[evaluation]
every = 10
games = 4
""",
        (("checkpoint.npz", 0.0), ("checkpoint.npz", 0.15)),
        40,
    ),
}


def test_every_method_is_killed():
    assert set(methods()) <= set(CASES)


@pytest.mark.parametrize("name", sorted(CASES))
def test_kill_and_resume(name, tmp_path, cli, monkeypatch):
    case, wanted = CASES[name], method(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(f'game = "{case.game}"\n{case.config}')
    if case.more:
        record(Recording("tictactoe", "random"), tmp_path / "recorded", 300, processes=1)

    def command(out):
        return ["train", name, case.game, "--config", "a.toml", "--out", out, *case.more]

    def own(out):
        return tmp_path / out / ("run1" if wanted.numbered else "")

    def finish(out):
        done = cli(*command(out))
        assert done.code == 0, done.err
        rows = read_rows(own(out) / wanted.table, wanted.row_type)
        assert len(rows) == case.rows
        assert not list((tmp_path / out).rglob("*.spielbaum-new"))
        steps = [row.step for row in rows]
        assert steps == sorted(set(steps))
        return [timeless(row) for row in rows], weights(own(out))

    broken, killed = own("broken"), 0
    for wait_for, delay in case.kills:
        process = subprocess.Popen(
            [*COMMAND, *command("broken")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + PATIENCE
        while not (broken / wait_for).exists() and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(delay)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.wait()
    assert killed > 0
    again = finish("broken")
    assert not case.exact or again == finish("whole")


def timeless(row):
    """What a row says, but for times."""
    return {key: each for key, each in asdict(row).items() if "seconds" not in key}


def weights(folder):
    """The network that a training leaves, bit for bit."""
    if (folder / "last.npz").exists():
        network = load_network(folder / "last.npz")
        return network.tuples, network.weights.tobytes()
    if (folder / "best.npz").exists():
        with open_arrays(folder / "checkpoint.npz") as file:
            return file.read("keys", np.uint64, 10**6).tobytes(), file.read(
                "values", np.float32, 10**6
            ).tobytes()
    return graph_bytes(read_net(folder / "best.onnx").content)
