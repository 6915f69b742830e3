"""Games on a local Ray are those of local processes, and lost workers cost nothing."""

import os
import signal
import subprocess
import sys
import time

import pytest

ray = pytest.importorskip("ray")

from spielbaum.arena.cluster import RayExecutor  # noqa: E402
from spielbaum.arena.plan import Entrant, Plan  # noqa: E402
from spielbaum.arena.workers import LocalExecutor  # noqa: E402
from spielbaum.play.limits import Limits  # noqa: E402
from spielbaum.play.referee import GameTask, Seat  # noqa: E402
from spielbaum.train.methods.alphazero.cluster import RayCrew  # noqa: E402
from spielbaum.train.methods.alphazero.config import read_config  # noqa: E402
from spielbaum.train.methods.alphazero.run import Run  # noqa: E402


@pytest.fixture(scope="module")
def executor():
    """Two workers; a hang is noticed soon."""
    made = RayExecutor(workers=2, hang=3.0, imports=["strange_agents"])
    yield made
    ray.shutdown()


def test_the_same_results_as_on_this_machine(executor):
    limits = Limits(iterations=50)
    plan = Plan("connect4", (Entrant("uct", limits), Entrant("rave", limits)), games=8, seed=2)
    local = {each.task.number: each for each in LocalExecutor(jobs=1).run(plan.tasks())}
    remote = {each.task.number: each for each in executor.run(plan.tasks())}
    assert local.keys() == remote.keys()
    for number, record in local.items():
        assert remote[number].moves == record.moves
        assert remote[number].values == record.values
        assert remote[number].rewards == record.rewards


def test_a_lost_worker_is_replaced(executor):
    # Games of some tenths of a second: a worker is killed in the middle of one, most of the time.
    limits = Limits(iterations=500)
    plan = Plan("connect4", (Entrant("uct", limits), Entrant("rave", limits)), games=20, seed=3)
    records = []
    for record in executor.run(plan.tasks()):
        records.append(record)
        if len(records) in (2, 6):
            kill_a_worker()
    assert sorted(record.task.number for record in records) == list(range(20))
    assert {record.ended_by for record in records} == {"rules"}


def kill_a_worker(actor="RemotePlayer"):
    listed = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()[1:]]
    # Those of this cluster: its head is a child of this process, and its workers are of the head.
    heads = {pid for pid, parent, _ in rows if parent == str(os.getpid())}
    workers = [int(pid) for pid, parent, said in rows if actor in said and parent in heads]
    assert workers
    os.kill(workers[0], signal.SIGKILL)


def test_self_play_on_the_cluster_survives_the_loss_of_a_worker(executor, tmp_path):
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
    run = Run(config, tmp_path, RayCrew(workers=2))
    killed = []

    def report(now):
        if now.totals.games >= 10 and not killed:
            killed.append(kill_a_worker("RemoteSelfPlayer"))

    state = run.run(report)
    assert state.generation == 3
    assert killed
    assert state.rows[-1].games >= 120
    assert state.rows[-1].accuracy is not None
    assert len(list((tmp_path / "nets").glob("*.onnx"))) == 4


def test_agents_that_hang_or_raise(executor):
    def task(how, number):
        strange = Seat(f"strange:how={how},ply=2", Limits())
        return GameTask("connect4", (strange, Seat("random", Limits())), number=number)

    began = time.monotonic()
    found = {each.task.number: each for each in executor.run([task("sleep", 0), task("raise", 1)])}
    assert [found[0].ended_by, found[1].ended_by] == ["hang", "crash"]
    assert len(found[0].moves) == 2
    assert time.monotonic() - began < 60


def test_without_ray_there_is_one_sentence():
    code = "import sys; sys.modules['ray'] = None; from spielbaum.cli.main import run; "
    code += "sys.exit(run(['match', 'tictactoe', 'uct', 'random', '--on', 'ray']))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.strip().endswith("pip install 'spielbaum[cluster]'")
