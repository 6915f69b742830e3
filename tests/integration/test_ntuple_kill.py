"""A training that is killed goes on to the same weights as one that is not."""

import signal
import subprocess
import time

from commands import COMMAND
from spielbaum.models.ntuple_file import load_network

CONFIG = """
game = "connect4:rows=5,columns=5"
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
"""


def test_kill_and_resume(tmp_path):
    config = tmp_path / "a.toml"
    config.write_text(CONFIG)

    def command(out):
        game = "connect4:rows=5,columns=5"
        arguments = ["train", "ntuple", game, "--config", str(config), "--out", str(out)]
        return [*COMMAND, *arguments]

    def finish(out):
        done = subprocess.run(command(out), capture_output=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return load_network(out / "run1" / "last.npz")

    whole = finish(tmp_path / "whole")
    killed = 0
    broken = tmp_path / "broken"
    for delay in (0.2, 0.5, 0.9):
        process = subprocess.Popen(
            command(broken), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 120
        while not (broken / "run1" / "checkpoint.npz").exists() and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(delay)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.wait()
    resumed = finish(broken)
    assert killed > 0
    assert resumed.tuples == whole.tuples
    assert resumed.weights.tobytes() == whole.weights.tobytes()
