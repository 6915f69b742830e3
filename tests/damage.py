"""Ways to damage files: bytes that changed, as by a bad disk, and whole files that lie.

The latter have right checksums, as an enemy would write them.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import sqlite3
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from spielbaum.models.onnx_file import header_entry
from spielbaum.models.onnx_graph import graph_bytes

STRANGE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 64, 255, 2**16, 2**31, 2**53, 2**63, -(2**63), 10**30),
    *(0.5, -0.5, 1e9, 1e308, -1e308, float("nan"), float("inf"), float("-inf")),
    *("", "x", "a1", "connect4", "random", "ntuple:/nowhere", "\x00", "\ud83d\ude00", "x" * 5000),
    *([], {}, [[]], [[[[[]]]]], {"a": {}}, [0] * 1000, ["x"] * 100, [[0, 1]] * 5000),
)


def damage_bytes(data: bytes, rng: random.Random) -> bytes:
    """Change some bytes, as a bad disk or an interrupted copy does."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        place = rng.randrange(len(changed) + 1)
        size = rng.choice((1, 2, 4, 8, 100))
        match rng.randrange(8):
            case 0 if place < len(changed):
                changed[place] ^= 1 << rng.randrange(8)
            case 1:
                changed[place : place + size] = rng.randbytes(size)
            case 2:
                changed[place : place + size] = b"\xff" * size
            case 3:
                changed[place : place + size] = bytes(size)
            case 4:
                del changed[place : place + size]
            case 5:
                changed[place:place] = changed[place : place + 100 * size]
            case 6 if rng.random() < 0.3:
                del changed[place:]
            case _:
                changed[place:place] = rng.randbytes(size)
    return bytes(changed)


def damage_value(value: Any, rng: random.Random) -> Any:
    """Change something in a value of JSON: a part of it is another one, or gone, or there twice."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        changed = dict(value)
        match rng.randrange(10):
            case 0:
                del changed[key]
            case 1:
                changed[rng.choice(("", "x", "format", key + "_"))] = rng.choice(STRANGE)
            case 2:
                changed[key] = value[rng.choice(list(value))]
            case _:
                changed[key] = damage_value(value[key], rng)
        return changed
    if isinstance(value, list | tuple) and value and rng.random() < 0.9:
        place = rng.randrange(len(value))
        changed_list = list(value)
        match rng.randrange(10):
            case 0:
                del changed_list[place]
            case 1:
                changed_list *= rng.choice((2, 3, 50))
            case 2:
                changed_list.insert(place, rng.choice(STRANGE))
            case _:
                changed_list[place] = damage_value(value[place], rng)
        return changed_list
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.5:
        return rng.choice((value + 1, -value, value * 1000, value * 10**6))
    return rng.choice(STRANGE)


def damage_json(text: str, rng: random.Random) -> bytes:
    """A text of JSON that says something else, or brackets in brackets without end."""
    if rng.random() < 0.03:
        return rng.choice((b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5000, b"\xff\xfe"))
    value = json.loads(text)
    for _ in range(rng.choice((1, 1, 2, 4))):
        value = damage_value(value, rng)
    return json.dumps(value).encode()


# ---- archives of arrays ----
def damage_archive(data: bytes, rng: random.Random) -> bytes:
    """An archive in order whose header, arrays or sizes are others."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(list(members))
        if name == "header.npy" or rng.random() < 0.5:
            members["header.npy"] = _header(members["header.npy"], rng)
        elif rng.random() < 0.1:
            del members[name]
        else:
            members[name] = _array(members[name], rng)
    written = io.BytesIO()
    kind = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED))
    if rng.random() < 0.05:
        kind = rng.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(written, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return written.getvalue()


def _header(member: bytes, rng: random.Random) -> bytes:
    try:
        text = np.load(io.BytesIO(member)).tobytes().decode()
        return npy(np.frombuffer(damage_json(text, rng), np.uint8))
    except (ValueError, RecursionError):  # it was damaged before
        return member


def _array(member: bytes, rng: random.Random) -> bytes:
    try:
        array = np.load(io.BytesIO(member))
    except (ValueError, EOFError):
        return member
    match rng.randrange(7):
        case 0:
            return damage_bytes(member, rng)
        case 1:  # a shape that lies
            shape = str(array.shape).encode()
            lie = str((10 ** rng.randrange(1, 12), *array.shape[1:])).encode()
            return member.replace(shape, lie.ljust(len(shape)), 1)
        case 2:
            return npy(array.astype(rng.choice(("i8", "f8", "u1", "f2", "S100"))))
        case 3:
            return npy(np.repeat(array, rng.choice((0, 2, 1000)), axis=0))
        case 4:  # much of nothing, which compresses well
            return npy(np.zeros(10 ** rng.randrange(3, 8), array.dtype))
        case 5:
            return npy(array.reshape(1, *array.shape))
        case _:
            flat = array.copy().reshape(-1)
            if len(flat):
                with np.errstate(all="ignore"):
                    new = np.array(rng.choice((0, 1, 7, 65535, float("nan"), float("inf"))))
                    flat[rng.randrange(len(flat))] = np.nan_to_num(new).astype(flat.dtype)
            return npy(flat.reshape(array.shape))


def npy(array: np.ndarray[Any, Any]) -> bytes:
    data = io.BytesIO()
    np.lib.format.write_array(data, array, allow_pickle=False)
    return data.getvalue()


# ---- networks ----
def damage_onnx(data: bytes, rng: random.Random) -> bytes:
    """A network in order, with a right checksum, whose graph or header is another."""
    model = onnx.load_from_string(data)
    header = json.loads(model.metadata_props[0].value)
    del model.metadata_props[:]
    graph = model.graph
    for _ in range(rng.choice((1, 1, 2, 3))):
        node, weight = rng.choice(graph.node), rng.choice(graph.initializer)
        match rng.randrange(11):
            case 0:
                header = damage_value(header, rng)
                header = header if isinstance(header, dict) else {"a": header}
            case 1 if node.attribute:
                attribute = rng.choice(node.attribute)
                number = rng.choice((0, 1, 2, 3, 7, 64, -1, 2**31, 2**62))
                if attribute.ints:
                    attribute.ints[rng.randrange(len(attribute.ints))] = number
                else:
                    attribute.i = number
            case 2:
                weight.dims[rng.randrange(len(weight.dims))] = rng.choice((0, 1, 5, 2**20, 2**40))
            case 3:
                node.op_type = rng.choice(
                    ("Add", "Mul", "Conv", "Gemm", "MaxPool", "Expand", "Loop")
                )
            case 4:
                known = [each.output[0] for each in graph.node] + [
                    weight.name,
                    "planes",
                    "",
                    "none",
                ]
                node.input[rng.randrange(len(node.input))] = rng.choice(known)
            case 5:
                del graph.node[rng.randrange(len(graph.node))]
            case 6:
                graph.node.insert(rng.randrange(len(graph.node)), node)
            case 7:  # sums that spread over everything
                size = 10 ** rng.randrange(1, 6)
                for name, shape in (("k1", (size, 1)), ("k2", (1, size))):
                    values = np.ones(shape, np.float32)
                    graph.initializer.append(onnx.numpy_helper.from_array(values, name))
                both = rng.choice((["k1", "k2"], ["planes", "k1"], [node.output[0], "k2"]))
                graph.node.append(onnx.helper.make_node("Add", both, ["wide"]))
                graph.node.append(onnx.helper.make_node("Mul", ["wide", "wide"], ["wider"]))
            case 8:
                array = onnx.numpy_helper.to_array(weight)
                new = np.repeat(array, rng.choice((0, 2, 100)), axis=rng.randrange(array.ndim))
                weight.CopyFrom(onnx.numpy_helper.from_array(new, weight.name))
            case 9:
                info = rng.choice((graph.input[0], *graph.output))
                rng.choice(info.type.tensor_type.shape.dim).dim_value = rng.choice((0, 1, 9, 2**40))
            case _:
                model.opset_import[0].version = rng.choice((1, 6, 9, 13, 17, 18, 99))
    written: bytes = model.SerializeToString()
    header["sha256"] = hashlib.sha256(graph_bytes(written)).hexdigest()
    return written + header_entry(header)


def damage_safetensors(data: bytes, rng: random.Random) -> bytes:
    """A checkpoint whose header says something else."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    if rng.random() < 0.5:
        inner = header["__metadata__"]["spielbaum"]
        header["__metadata__"]["spielbaum"] = damage_json(inner, rng).decode("utf-8", "replace")
        text = json.dumps(header).encode()
    else:
        text = damage_json(json.dumps(header), rng)
    return len(text).to_bytes(8, "little") + text + data[8 + size :]


def damage_book(data: bytes, rng: random.Random) -> bytes:
    """A book with a right checksum and other numbers."""
    line, _, payload = data.partition(b"\n")
    header = json.loads(line)
    match rng.randrange(3):
        case 0:
            payload = zlib.compress(damage_bytes(zlib.decompress(payload), rng))
        case 1:
            size = 10 ** rng.randrange(2, 9)
            payload, header["positions"] = zlib.compress(bytes(9 * min(size, 10**7))), size
        case _:
            header = damage_value(header, rng)
    if isinstance(header, dict):
        header["sha256"] = hashlib.sha256(payload).hexdigest()
    return json.dumps(header).encode() + b"\n" + payload


# ---- stores ----
def damage_store(path: Path, rng: random.Random) -> None:
    """Another value in a table; texts of JSON say something else."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = DELETE")
    for _ in range(rng.choice((1, 1, 2, 4))):
        table = rng.choice(("runs", "games", "games", "games"))
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        column = rng.choice(columns)
        key = "id" if table == "runs" else "number"
        rows = connection.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
        number, old = rng.choice(rows)
        new: Any = rng.choice((0, -1, 2**62, 1e300, float("inf"), "", "x", "[]", "{}", b"\xff\x00"))
        if isinstance(old, str) and old[:1] in "[{" and rng.random() < 0.8:
            new = damage_json(old, rng).decode("utf-8", "replace")
        elif isinstance(old, str) and rng.random() < 0.3:
            new = damage_bytes(old.encode(), rng)
        try:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (new, number))
        except (sqlite3.Error, OverflowError):
            continue
    if rng.random() < 0.1:
        connection.execute(
            rng.choice(
                (
                    "PRAGMA user_version = -3",
                    "PRAGMA user_version = 1",
                    "DROP TABLE games",
                    "DROP TABLE notes",
                    "ALTER TABLE runs DROP COLUMN plan",
                    "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM games; END",
                    "CREATE VIEW v AS SELECT * FROM runs",
                )
            )
        )
    connection.close()


def damage_folder(folder: Path, rng: random.Random) -> str:
    """Damage some files of a training's folder."""
    told = []
    for _ in range(rng.choice((1, 1, 2))):
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        path = rng.choice([each for each in files if "tfevents" not in each.name])
        data, chance = path.read_bytes(), rng.random()
        lies: dict[str, Callable[[bytes, random.Random], bytes]] = {
            ".json": lambda data, rng: damage_json(data.decode(), rng),
            ".npz": damage_archive,
            ".onnx": damage_onnx,
            ".safetensors": damage_safetensors,
            ".csv": damage_table,
            ".toml": damage_table,
        }
        told.append(path.name)
        if chance < 0.05:
            path.unlink()
        elif chance < 0.1:
            path.write_bytes(b"")
        elif chance < 0.13:
            path.unlink()
            path.mkdir()
        elif chance < 0.6 and path.suffix in lies:
            try:
                path.write_bytes(lies[path.suffix](data, rng))
            except Exception:  # it was damaged before
                path.write_bytes(damage_bytes(data, rng))
        elif chance < 0.6 and path.suffix == ".db":
            try:
                damage_store(path, rng)
            except sqlite3.Error:
                path.write_bytes(damage_bytes(data, rng))
        else:
            path.write_bytes(damage_bytes(data, rng))
    return ", ".join(told)


def damage_table(data: bytes, rng: random.Random) -> bytes:
    """A text with another word in it."""
    words = data.decode("utf-8", "replace").replace(",", " , ").replace("\n", " \n ").split(" ")
    strange = ("", "-1", "nan", "inf", "1e999", "10" * 40, "x", '"', "[", "{}", "\x00", "\r")
    for _ in range(rng.choice((1, 2, 5))):
        words[rng.randrange(len(words))] = rng.choice(strange)
    return " ".join(words).replace(" , ", ",").encode()
