"""The studio on a full or read-only disk: what it answers, what it leaves, and that it goes on.

Disks are a small tmpfs where this process may mount one. A limit on the size of files, which needs
no permission, stands for a full disk as well.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time

import httpx
import pytest

from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.store import Store
from spielbaum.play.limits import Limits
from studio_server import running

DISK_MEGABYTES = 8
FULL = "the disk of the server is full; delete something, and try again"
CONFIG = {"name": "mine", "game": "connect4", "tuples": [[0, 1, 2]]}
TRAINING = {"name": "new", "config": "tictactoe-9", "values": {"games": 500, "measure.games": 2}}
CUP = {
    "name": "new cup",
    "game": "tictactoe",
    "agents": ["random", "random:seed=1"],
    "games": 10_000,
    "openings": "empty",
    "limits": {"iterations": 1},
}
WRITING = {
    "/ntuple/configs": CONFIG,
    "/trainings": TRAINING,
    "/trainings/old/start": {},
    "/tournaments": CUP,
    "/tournaments/old cup/start": {},
    "/lab/S0.table10/start": {"games": 2},
}
STOPPING = {
    "/trainings": "/trainings/new/stop",
    "/trainings/old/start": "/trainings/old/stop",
    "/tournaments": "/tournaments/new cup/stop",
    "/lab/S0.table10/start": "/lab/S0.table10/stop",
}
READING = ("trainings", "trainings/old", "tournaments", "tournaments/old cup", "ntuple/configs",
           "lab/S0.table10", "models", "tournaments/old cup/games")  # fmt: skip


@pytest.fixture(scope="module")
def mounted(tmp_path_factory):
    """A folder, and whether it is a small disk of its own."""
    folder = tmp_path_factory.mktemp("disk")
    options = ["-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(["mount", *options], capture_output=True, check=False)
        is_disk = done.returncode == 0
    except OSError:
        is_disk = False
    yield folder, is_disk
    if is_disk:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="module")
def data(mounted):
    """A data folder with a training and a tournament, as an earlier server left them."""
    folder = mounted[0] / "data"
    old = folder / "trainings" / "old"
    old.mkdir(parents=True)
    (old / "training.json").write_text('{"kind": "ntuple", "game": "tictactoe"}')
    (old / "config.toml").write_text('game = "tictactoe"\ngames = 100\n')
    entrants = (Entrant("random", Limits()), Entrant("random:seed=1", Limits()))
    for name in ("tournaments.db", "lab.db"):
        with Store(folder / name) as store:
            store.open_run("old cup", Plan("tictactoe", entrants, games=2))
    return folder


@pytest.fixture(scope="module")
def server(data):
    with running(data, "--workers", "1") as started:
        yield started


@pytest.fixture
def client(server):
    with httpx.Client(base_url=f"{server.address}/api", timeout=90) as made:
        yield made


class Filled:
    """A disk without a free byte."""

    def __init__(self, mounted, server, how):
        if how == "tmpfs" and not mounted[1]:
            pytest.skip("this process may not mount a disk")
        self._file = mounted[0] / "filler"
        self._pid = None if how == "tmpfs" else server.process.pid

    def __enter__(self):
        if self._pid is not None:
            resource.prlimit(self._pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            return
        file = os.open(self._file, os.O_WRONLY | os.O_CREAT)
        try:
            while os.write(file, bytes(4096)):
                pass
        except OSError:
            os.close(file)

    def __exit__(self, *_):
        if self._pid is not None:
            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(self._pid, resource.RLIMIT_FSIZE, unlimited)
        else:
            self._file.unlink()


def files(data):
    """What lies in the data folder, without what SQLite and the old training make there."""
    return {
        path.relative_to(data).as_posix()
        for path in data.rglob("*")
        if not path.name.endswith(("-wal", "-shm", ".log"))
        and path.parent.name not in ("old", "run1")
    }


def wait_until_idle(client):
    end = time.monotonic() + 120
    while any(
        each["status"] in ("running", "stopping")
        for place in ("trainings", "tournaments")
        for each in client.get(f"/{place}").json()
    ):
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.parametrize("how", ["tmpfs", "limit"])
def test_a_full_disk_gets_a_sentence_and_leaves_nothing_behind(mounted, data, server, client, how):
    full = Filled(mounted, server, how)
    before = files(data)
    with full:
        for path, body in WRITING.items():
            answer = client.post(path, json=body)
            assert (path, answer.status_code, answer.json()["detail"]) == (path, 507, FULL)
            assert files(data) - {"filler"} <= before | {"configs"}
        answer = client.delete("/tournaments/old cup")
        assert (answer.status_code, answer.json()["detail"]) == (507, FULL)
        for place in READING:
            assert (place, client.get(f"/{place}").status_code) == (place, 200)
    # As soon as there is space again, all of them do what they are asked for.
    for path, body in WRITING.items():
        answer = client.post(path, json=body)
        assert (path, answer.status_code // 100) == (path, 2), answer.text
        if path in STOPPING:
            client.post(STOPPING[path], json={"games": 2})
        wait_until_idle(client)
    for path in ("/trainings/new", "/tournaments/new cup", "/ntuple/configs/mine"):
        assert client.delete(path).status_code == 204
    assert [each["name"] for each in client.get("/tournaments").json()] == ["old cup"]
    assert files(data) <= before | {"configs"}


@pytest.mark.parametrize("how", ["tmpfs", "limit"])
def test_work_under_way_says_that_the_disk_is_full_and_goes_on_later(mounted, server, client, how):
    full = Filled(mounted, server, how)
    client.post("/tournaments", json=CUP).raise_for_status()
    with full:
        wait_until_idle(client)
        view = client.get("/tournaments/new cup").json()
        assert (view["status"], view["problem"]) == ("stopped", FULL)
        assert client.post("/tournaments/new cup/start").status_code == 507
    client.post("/tournaments/new cup/start").raise_for_status()
    end = time.monotonic() + 60
    while client.get("/tournaments/new cup").json()["games"] <= view["games"]:
        assert time.monotonic() < end
        time.sleep(0.2)
    assert client.get("/tournaments/new cup").json()["problem"] == ""
    assert client.delete("/tournaments/new cup").status_code == 409
    client.post("/tournaments/new cup/stop").raise_for_status()
    assert client.delete("/tournaments/new cup").status_code == 204


def test_full_disks_can_be_emptied_by_deleting(mounted, data, server, client):
    client.post("/ntuple/configs", json=CONFIG).raise_for_status()
    doomed = data / "trainings" / "doomed"
    doomed.mkdir()
    (doomed / "checkpoint.npz").write_bytes(bytes(1 << 20))
    with Filled(mounted, server, "tmpfs"):
        assert client.delete("/ntuple/configs/mine").status_code == 204
        assert client.delete("/trainings/doomed").status_code == 204
        assert client.post("/ntuple/configs", json=CONFIG).status_code == 201
    assert client.delete("/ntuple/configs/mine").status_code == 204


def test_a_read_only_disk_gets_a_sentence(mounted, data, client):
    if not mounted[1]:
        pytest.skip("this process may not mount a disk")
    client.post("/ntuple/configs", json=CONFIG).raise_for_status()
    before = files(data)
    subprocess.run(["mount", "-o", "remount,ro", str(mounted[0])], check=True)
    try:
        asked = [(client.post, path, {"json": body}) for path, body in WRITING.items()]
        asked += [
            (client.delete, path, {})
            for path in ("/ntuple/configs/mine", "/trainings/old", "/tournaments/old cup")
        ]
        changed = {**CONFIG, "overwrite": True}
        asked[0] = (client.post, "/ntuple/configs", {"json": changed})
        for method, path, options in asked:
            answer = method(path, **options)
            assert (path, answer.status_code) == (path, 403)
            assert "read-only" in answer.json()["detail"]
        for place in READING:
            assert (place, client.get(f"/{place}").status_code) == (place, 200)
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(mounted[0])], check=True)
    assert files(data) == before
    assert client.delete("/ntuple/configs/mine").status_code == 204
