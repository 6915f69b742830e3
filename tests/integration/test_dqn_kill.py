"""A training by deep Q-learning that is killed goes on to the same results as one that is not."""

import signal
import subprocess
import time
from dataclasses import asdict

from spielbaum.train.methods.dqn.run import Run

from commands import COMMAND
from spielbaum.train.methods.dqn.config import load_config

CONFIG = """
game = "tictactoe"
rounds = 60

[network]
kind = "dense"
blocks = 1
width = 16

[play]
games = 8

[learning]
memory_size = 400
steps = 4
batch_size = 16

[evaluation]
every = 20
games = 4
"""


def test_kill_and_resume(tmp_path):
    config, broken = tmp_path / "a.toml", tmp_path / "broken"
    config.write_text(CONFIG)
    command = [*COMMAND, "train", "dqn", "tictactoe", "--config", str(config), "-o", str(broken)]
    killed = 0
    for delay in (0.0, 0.15):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while not (broken / "progress.json").exists() and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(delay)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.wait()
    assert killed > 0
    wanted = load_config(config)
    again = Run(wanted, broken).run()
    whole = Run(wanted, tmp_path / "whole").run()
    assert [timeless(row) for row in again] == [timeless(row) for row in whole]
    assert (broken / "best.onnx").exists()
    assert not list(broken.rglob("*.new"))


def timeless(row):
    return {**asdict(row), "seconds": 0}
