"""Games on a local Ray are those of local processes, and lost workers cost nothing."""

import os
import signal
import subprocess
import sys

import pytest

ray = pytest.importorskip("ray")

from spielbaum.arena.executor import Workers  # noqa: E402
from spielbaum.arena.plan import Entrant, Plan  # noqa: E402
from spielbaum.base.workers.cluster import Cluster  # noqa: E402
from spielbaum.play.limits import Limits  # noqa: E402
from spielbaum.train.methods.alphazero.config import read_config  # noqa: E402
from spielbaum.train.methods.alphazero.method import METHOD  # noqa: E402
from spielbaum.train.run import Run  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    """Two workers of this machine."""
    yield Cluster(workers=2)
    ray.shutdown()


def test_the_same_results_as_on_this_machine(cluster):
    limits = Limits(iterations=50)
    plan = Plan("connect4", (Entrant("uct", limits), Entrant("rave", limits)), games=8, seed=2)
    local = {each.task.number: each for each in Workers(jobs=1).run(plan.tasks())}
    remote = {each.task.number: each for each in Workers(place=cluster).run(plan.tasks())}
    assert local.keys() == remote.keys()
    for number, record in local.items():
        assert remote[number].moves == record.moves
        assert remote[number].values == record.values
        assert remote[number].rewards == record.rewards


def kill_a_worker(actor="RemoteWorker"):
    listed = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()[1:]]
    # Those of this cluster: its head is a child of this process, and its workers are of the head.
    heads = {pid for pid, parent, _ in rows if parent == str(os.getpid())}
    workers = [int(pid) for pid, parent, said in rows if actor in said and parent in heads]
    assert workers
    os.kill(workers[0], signal.SIGKILL)


def test_self_play_on_the_cluster_survives_the_loss_of_a_worker(cluster, tmp_path):
    pytest.importorskip("torch")
    config = read_config(
        {
            "game": "tictactoe",
            "recipe": "modern",
            "model_updates": 3,
            "network": {"kind": "dense", "blocks": 1, "width": 16},
            "self_play": {"episodes": 40, "num_simulations": 8, "concurrent": 4, "processes": 2},
            "retraining": {"starting_memory_size": 1, "batch_size_1": 64, "batch_size_2": 32},
            "evaluation": {"every": 1, "eval_episodes": 4, "positions": 10, "plies": [1, 6]},
        }
    )
    run = Run(METHOD, config, tmp_path, place=cluster)
    killed = []

    def report(now, lines):
        if now.counts.get("games", 0) >= 10 and not killed:
            killed.append(kill_a_worker())

    rows = run.run(report)
    assert rows[-1].generation == 3
    assert killed
    assert rows[-1].games >= 120
    assert rows[-1].accuracy is not None
    assert len(list((tmp_path / "nets").glob("*.onnx"))) == 4


def test_without_ray_there_is_one_sentence():
    code = "import sys; sys.modules['ray'] = None; from spielbaum.cli.main import run; "
    code += "sys.exit(run(['match', 'tictactoe', 'uct', 'random', '--on', 'ray']))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.strip().endswith("pip install 'spielbaum[cluster]'")
