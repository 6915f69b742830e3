"""Trainings of every method that are killed go on to the same results as those that are not.

AlphaZero's games depend on when its processes are asked; what it keeps is in
``test_alphazero_runs.py``. Here it has one process and no overlap, so that it ends the same, too.
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
    columns: tuple[str, ...] = ()
    """What must agree if it does not."""


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
epochs = 20
""",
        (("games.db", 0.5), ("checkpoint.safetensors", 0.1)),
        20,
    ),
    "dqn": Case(
        f"""
rounds = 60
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
        60,
    ),
    "imitation": Case(
        f"""
rounds = 60
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
        60,
        more=("--games", "recorded"),
    ),
    "alphazero": Case(
        f"""
recipe = "modern"
model_updates = 4
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
        4,
        exact=False,  # another seed in every session
        columns=("generation", "steps"),
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
def test_kill_and_resume(name, tmp_path):
    case, wanted = CASES[name], method(name)
    (tmp_path / "a.toml").write_text(f'game = "{case.game}"\n{case.config}')
    if case.more:
        record(Recording("tictactoe", "random"), tmp_path / "recorded", 300, processes=1)

    def command(out):
        arguments = ["train", name, case.game, "--config", "a.toml", "--out", out, *case.more]
        return [*COMMAND, *arguments]

    def own(out):
        return tmp_path / out / ("run1" if wanted.numbered else "")

    def finish(out):
        done = subprocess.run(
            command(out), capture_output=True, timeout=PATIENCE, check=False, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr.decode()
        rows = read_rows(own(out) / wanted.table, wanted.row_type)
        assert len(rows) == case.rows
        assert not list((tmp_path / out).rglob("*.spielbaum-new"))
        return [timeless(row, case.columns) for row in rows], weights(own(out))

    broken, killed = own("broken"), 0
    for wait_for, delay in case.kills:
        process = subprocess.Popen(
            command("broken"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
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
    rows, made = finish("broken")
    whole, expected = finish("whole")
    assert rows == whole
    assert not case.exact or made == expected


def timeless(row, columns):
    """What a row says, but for times; or some columns of it."""
    found = {key: each for key, each in asdict(row).items() if "seconds" not in key}
    return {key: found[key] for key in columns} if columns else found


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
