"""Damaged files of every kind that Spielbaum reads, and what reading them comes to.

``python tests/file_fuzzer.py FILES STORES [KIND...]`` damages so many files of each kind, and so
many stores and folders of trainings, and reads some small files that ask for gigabytes. It writes a
line of JSON for each kind: how many were tried, what was raised and how often, and the most memory
that the process had, with all that was loaded before.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import sys
import tempfile
import traceback
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch

from damage import damage_bytes, damage_folder, damage_store, npy
from file_kinds import FILES, STORES, Kind, make_games, make_net_file, make_network, use_net
from spielbaum.base.arrays import read_header, write_arrays
from spielbaum.base.errors import MISTAKES
from spielbaum.models.ntuple_file import load_network
from spielbaum.models.onnx_file import header_entry
from spielbaum.models.onnx_graph import graph_bytes
from spielbaum.solvers.book.connect4 import Connect4Book
from spielbaum.train.config import read_toml
from spielbaum.train.data.games_file import read_games


@dataclass
class Result:
    """What came of damaging some of a kind."""

    kind: str
    tried: int = 0
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)
    megabytes: int = 0


def fuzz(kind: Kind, count: int, seed: int, folder: Path) -> Result:
    """Damage one and use it, many times."""
    rng, result = random.Random(f"{kind.name} {seed}"), Result(kind.name)
    whole, damaged = folder / f"whole{kind.suffix}", folder / f"damaged{kind.suffix}"
    kind.make(whole)
    kind.use(_copied(whole, damaged))  # what is in order is accepted
    for number in range(count):
        _copied(whole, damaged)
        if kind.is_folder:
            what = damage_folder(damaged, rng)
        elif kind.is_store and number % 2:
            damage_store(damaged, rng)
            what = "another value"
        else:
            change = kind.lie if kind.lie and number % 2 else damage_bytes
            damaged.write_bytes(change(damaged.read_bytes(), rng))
            what = change.__name__
        result.tried += 1
        _forget_peak()  # what damaging it took does not count
        try:
            kind.use(damaged)
            result.accepted += 1
        except MISTAKES as error:
            result.refused[type(error).__name__] += 1
            if len(str(error).splitlines()) > 1 or len(str(error)) > 1000:
                result.bad.append(f"{number} {what}: not one sentence: {error!r:.300}")
        except Exception as error:
            trace = traceback.extract_tb(error.__traceback__)
            where = [f"{Path(each.filename).name}:{each.lineno}" for each in trace][-3:]
            result.bad.append(f"{number} {what}: {error!r:.200} at {' '.join(where)}")
        result.megabytes = max(result.megabytes, _peak())
    return result


def _copied(whole: Path, damaged: Path) -> Path:
    for path in damaged.parent.glob(f"{damaged.name}*"):  # a store has files beside it
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if whole.is_dir():
        shutil.copytree(whole, damaged)
    else:
        shutil.copy(whole, damaged)
    return damaged


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """The most megabytes that this process had since the last `_forget_peak`."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


# ---- bombs: small files that ask for gigabytes ----
def bombs(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Files that are in order but for their sizes, and what reads them."""
    network = folder / "bomb.npz"
    make_network(network)
    header = read_header(network)
    told = npy(np.frombuffer(json.dumps(header).encode(), np.uint8))
    with zipfile.ZipFile(network, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("header.npy", told)
        for name, kind in (("weights_steps", "<u4"), ("weights", "<f4")):
            _write_zeros(archive, name, kind)
    yield "n-tuple network: two arrays of zeros, 600 MB each", lambda: load_network(network)

    tables = folder / "tables.npz"
    wide = {**header, "tuples": [list(range(14))] * 3}
    empty = {"weights_steps": np.zeros(0, np.uint32), "weights": np.zeros(0, np.float32)}
    write_arrays(tables, wide, empty, compress=True)
    yield "n-tuple network: tables of 6 GB", lambda: load_network(tables)

    def with_nodes(change: Callable[[Any], None]) -> bytes:
        make_net_file(folder / "whole.onnx")
        model = onnx.load(folder / "whole.onnx")
        told = json.loads(model.metadata_props[0].value)
        del model.metadata_props[:]
        change(model.graph)
        written: bytes = model.SerializeToString()
        told["sha256"] = hashlib.sha256(graph_bytes(written)).hexdigest()
        return written + header_entry(told)

    def outer_sum(graph: Any) -> None:
        for name, shape in (("k1", (30_000, 1)), ("k2", (1, 30_000))):
            graph.initializer.append(onnx.numpy_helper.from_array(np.ones(shape, np.float32), name))
        graph.node.append(onnx.helper.make_node("Add", ["k1", "k2"], ["wide"]))

    def padded(graph: Any) -> None:
        pads = {"kernel_shape": [1, 1], "pads": [64] * 4}
        graph.initializer.append(
            onnx.numpy_helper.from_array(np.ones((4000, 3, 1, 1), np.float32), "k")
        )
        graph.node.append(onnx.helper.make_node("Conv", ["planes", "k"], ["wide"], **pads))

    for name, change in (
        ("network: Add of [30000, 1] and [1, 30000]", outer_sum),
        ("network: a convolution with 4,000 filters and wide borders", padded),
    ):
        path = folder / f"{change.__name__}.onnx"
        path.write_bytes(with_nodes(change))
        yield name, lambda path=path: use_net(path)

    book = folder / "bomb.book"
    packing = zlib.compressobj(1)
    parts = [packing.compress(bytes(9 * 10**6)) for _ in range(70)]
    payload = b"".join([*parts, packing.flush()])
    facts: dict[str, Any] = {"format": "spielbaum connect4 book 1", "game": "connect4"}
    facts |= {"plies": 8, "positions": 7 * 10**7, "sha256": hashlib.sha256(payload).hexdigest()}
    book.write_bytes(json.dumps(facts).encode() + b"\n" + payload)
    yield "opening book: 70 million positions, 630 MB", lambda: Connect4Book.load(book)

    games = folder / "bomb games.npz"
    make_games(games)
    with zipfile.ZipFile(games) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    del members["policies.npy"]
    with zipfile.ZipFile(games, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for each, content in members.items():
            archive.writestr(each, content)
        _write_zeros(archive, "policies", "<f2")
    yield "recorded games: policies of 300 MB", lambda: read_games(games)

    crowd = folder / "crowd.npz"
    with zipfile.ZipFile(crowd, "w") as archive:
        for number in range(60_000):
            archive.writestr(f"{number}", b"")
    yield "archive with 60,000 members", lambda: load_network(crowd)

    lie = folder / "lie.npz"
    with zipfile.ZipFile(lie, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("header.npy", told)
        _write_zeros(archive, "weights_steps", "<u4", said=9)
    lie.write_bytes(_lying_directory(lie.read_bytes(), 128 + 4 * 9))
    yield "archive that says a member is small", lambda: load_network(lie)

    config = folder / "deep.toml"
    config.write_text("a = " + "[" * 500_000)
    yield "configuration with 500,000 brackets", lambda: read_toml(config)


def _write_zeros(archive: zipfile.ZipFile, name: str, kind: str, said: int = 150_000_000) -> None:
    """Write an array of 150 million zeros, which compresses well; ``said``: by its own header."""
    one = np.zeros(1, kind)
    start = npy(one)[: -one.itemsize].replace(
        b"(1,), }        ", f"({said},), }}".encode().ljust(15)
    )
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        member.write(start)
        for _ in range(150):
            member.write(bytes(one.itemsize * 10**6))


def _lying_directory(data: bytes, size: int) -> bytes:
    """An archive whose directory says that its last member has this size."""
    place = data.rindex(b"PK\x01\x02")
    return data[: place + 24] + size.to_bytes(4, "little") + data[place + 28 :]


def explode(folder: Path) -> Result:
    """Read all bombs; each must be refused."""
    result = Result("bombs")
    for name, read in bombs(folder):
        _forget_peak()
        result.tried += 1
        try:
            read()
            result.bad.append(f"{name} was accepted")
        except MISTAKES as error:
            result.refused[f"{type(error).__name__}: {name}"] += 1
        except Exception as error:
            result.bad.append(f"{name}: {error!r:.300}")
        result.megabytes = max(result.megabytes, _peak())
    return result


def main(arguments: list[str]) -> None:
    files, stores, *wanted = arguments
    torch.set_num_threads(1)
    work = [(kind, int(files)) for kind in FILES] + [(kind, int(stores)) for kind in STORES]
    with tempfile.TemporaryDirectory() as name:
        for number, (kind, count) in enumerate(work):
            if not wanted or any(each in kind.name for each in wanted):
                folder = Path(name) / str(number)
                folder.mkdir()
                _tell(fuzz(kind, count, 1, folder))
        if not wanted or "bombs" in wanted:
            _tell(explode(Path(name)))


def _tell(result: Result) -> None:
    print(json.dumps(vars(result)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
