"""The training of a value network that is killed goes on to the same network."""

import signal
import subprocess
import time

from spielbaum.train.methods.value.report import read_rows

from commands import COMMAND
from spielbaum.models.onnx_file import graph_bytes, read_net

CONFIG = """
game = "tictactoe"

[games]
number = 100
agents = ["uct:temperature=1"]
iterations = 50
processes = 1

[network]
kind = "dense"
blocks = 1
width = 16

[training]
epochs = 20
"""


def test_kill_and_resume(tmp_path):
    config = tmp_path / "a.toml"
    config.write_text(CONFIG)

    def command(out):
        return [*COMMAND, "train", "value", "tictactoe", "--config", str(config), "--out", str(out)]

    def finish(out):
        done = subprocess.run(command(out), capture_output=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr.decode()
        rows = [(row.epoch, row.mse, row.mae) for row in read_rows(out)]
        return rows, graph_bytes(read_net(out / "best.onnx").content)

    whole = finish(tmp_path / "whole")
    assert len(whole[0]) == 20
    broken, killed = tmp_path / "broken", 0
    for wait_for, delay in (("games.db", 0.5), ("checkpoint.safetensors", 0.1)):
        process = subprocess.Popen(
            command(broken), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 300
        while not (broken / wait_for).exists() and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(delay)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.wait()
    assert killed > 0
    assert finish(broken) == whole
