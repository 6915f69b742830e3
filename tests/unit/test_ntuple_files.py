"""Files of networks: what is written comes back, and nothing else is ever trusted."""

import contextlib
import io
import json
import os
import pickle
import random
import zipfile

import numpy as np
import pytest

import spielbaum as sb
from commands import assert_one_clear_line
from spielbaum.base.errors import ModelError
from spielbaum.models.ntuple import NTupleNetwork
from spielbaum.models.ntuple_file import load_network, save_network, shared_network


@pytest.fixture
def network():
    made = NTupleNetwork(sb.game("connect4"), [[0, 1, 2], [7, 14]], bias=True, k=0.5)
    rng = np.random.default_rng(1)
    chosen = rng.random(made.weights.shape) < 0.3
    made.weights[chosen] = rng.normal(size=int(chosen.sum())).astype(np.float32)
    made.training = {"games": 7, "note": "test"}
    return made


@pytest.fixture
def file(network, tmp_path):
    path = tmp_path / "a.npz"
    save_network(network, path)
    return path


def test_all_of_a_network_comes_back(network, file):
    read = load_network(file)
    assert read.settings() == network.settings()
    assert read.training == network.training
    assert read.weights.tobytes() == network.weights.tobytes()
    assert [each.name for each in file.parent.iterdir()] == ["a.npz"]


def test_files_are_read_once_unless_they_change(network, file):
    assert shared_network(file) is shared_network(file)
    before = shared_network(file)
    network.weights[:] = 0.0
    save_network(network, file)
    os.utime(file, ns=(1, 1))
    assert shared_network(file) is not before


def test_truncated_files(file):
    data = file.read_bytes()
    for size in [0, 1, 10, *range(50, len(data), 37), len(data) - 1]:
        file.write_bytes(data[:size])
        with pytest.raises(ModelError, match="damaged, or no model"):
            load_network(file)


def test_corrupted_files(file):
    data = file.read_bytes()
    rng = random.Random(1)
    whole = load_network(file).weights.tobytes()
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        file.write_bytes(broken)
        with contextlib.suppress(ModelError):
            # A byte that was changed may mean nothing, such as a time.
            assert load_network(file).weights.tobytes() == whole


class Evil:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def member(array, **options):
    data = io.BytesIO()
    np.lib.format.write_array(data, array, **options)
    return data.getvalue()


def write(path, facts, **arrays):
    with zipfile.ZipFile(path, "w") as archive:
        written = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
        for name, array in {"header": written, **arrays}.items():
            archive.writestr(f"{name}.npy", array if isinstance(array, bytes) else member(array))


GOOD = {
    "format": "spielbaum ntuple 1",
    "game": "connect4",
    "contents": 4,
    "symmetries": True,
    "table_per_player": True,
    "bias": False,
    "k": 1.0,
    "tuples": [[0, 1]],
}
STEPS, WEIGHTS = np.array([1], dtype=np.uint32), np.array([0.5], dtype=np.float32)


def test_a_good_file_by_hand(tmp_path):
    path = tmp_path / "a.npz"
    write(path, GOOD, weights_steps=STEPS, weights=WEIGHTS)
    network = load_network(path)
    assert network.weights[0, 0] == 0.5
    assert network.squash  # of a file from before it could say so
    write(path, {**GOOD, "squash": False}, weights_steps=STEPS, weights=WEIGHTS)
    assert not load_network(path).squash


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "spielbaum ntuple 2"}, "another version"),
        ({"format": None}, "no n-tuple network"),
        ({"game": "nosuch"}, "there is no game"),
        ({"game": "chess"}, "a cell of this game has 13 contents"),
        ({"game": 7}, "no usable game"),
        ({"contents": True}, "no usable contents"),
        ({"contents": -3}, "no usable k or contents"),
        ({"contents": 5}, "has 4 or 3 contents"),
        ({"k": "1"}, "no usable k"),
        ({"k": float("nan")}, "no usable k"),
        ({"symmetries": 1}, "no usable symmetries"),
        ({"squash": 1}, "no usable squash"),
        ({"tuples": [0, 1]}, "no usable tuples"),
        ({"tuples": [[0.5]]}, "no usable tuples"),
        ({"tuples": [[-1]]}, "not on the board"),
        ({"tuples": [[10**30]]}, "not on the board"),
        ({"tuples": [list(range(42))]}, "weights: expected at most"),
        ({"tuples": [list(range(14))] * 9}, "weights: expected at most"),
    ],
)
def test_headers_that_make_no_sense(tmp_path, change, message):
    path = tmp_path / "a.npz"
    write(path, {**GOOD, **change}, weights_steps=STEPS, weights=WEIGHTS)
    with pytest.raises(ModelError, match=message):
        load_network(path)


@pytest.mark.parametrize(
    ("steps", "weights"),
    [
        (STEPS.astype(np.int64), WEIGHTS),
        (STEPS, WEIGHTS.astype(np.float64)),
        (STEPS, np.ones(2, dtype=np.float32)),
        (STEPS.reshape(1, 1), WEIGHTS.reshape(1, 1)),
        (np.array([33], dtype=np.uint32), WEIGHTS),
        (np.array([1, 0], dtype=np.uint32), np.ones(2, dtype=np.float32)),
        (np.array([2**32 - 1] * 2, dtype=np.uint32), np.ones(2, dtype=np.float32)),
        (STEPS, np.array([np.nan], dtype=np.float32)),
        (STEPS, np.array([np.inf], dtype=np.float32)),
        (b"", WEIGHTS),
        (STEPS, b"\x93NUMPY\x01\x00"),
        (STEPS, b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f4'}"),
    ],
)
def test_arrays_that_make_no_sense(tmp_path, steps, weights):
    path = tmp_path / "a.npz"
    write(path, GOOD, weights_steps=steps, weights=weights)
    with pytest.raises(ModelError, match=r"a\.npz"):
        load_network(path)


def test_nothing_is_executed(tmp_path):
    made = tmp_path / "evil"
    objects = np.array([Evil(made)], dtype=object)
    path = tmp_path / "a.npz"
    pickled = member(objects, allow_pickle=True)
    for arrays in (
        {"weights_steps": STEPS, "weights": pickled},
        {"weights_steps": pickled, "weights": WEIGHTS},
        {"header": pickled, "weights_steps": STEPS, "weights": WEIGHTS},
    ):
        write(path, GOOD, **arrays)
        with pytest.raises(ModelError):
            load_network(path)
    path.write_bytes(pickle.dumps(Evil(made)))
    with pytest.raises(ModelError):
        load_network(path)
    assert not made.exists()


def test_files_that_are_no_models(tmp_path, cli):
    folder = tmp_path / "folder"
    folder.mkdir()
    text = tmp_path / "text.npz"
    text.write_text("not a model")
    foreign = tmp_path / "foreign.npz"
    np.savez(foreign, x=np.arange(3))
    many = tmp_path / "bomb.npz"
    with zipfile.ZipFile(many, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(80 << 20))
    for path in (folder, text, foreign, many, tmp_path / "missing.npz"):
        with pytest.raises(ModelError, match=path.name):
            load_network(path)
        assert_one_clear_line(cli("inspect", "ntuple", str(path)), path.name)
        assert_one_clear_line(cli("analyse", "connect4", "--agent", f"ntuple:{path}"), path.name)
