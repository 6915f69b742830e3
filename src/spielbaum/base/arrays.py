"""Files of arrays with a header: written at once or not at all, and read without trusting them.

A file is what ``numpy.savez`` writes: a zip archive of ``.npy`` members. One of them is ``header``,
JSON as bytes. Nothing in a file is ever executed: arrays of objects are refused. Whoever reads an
array says what it must be and how large it may be; sizes that a file declares are compared with
that before anything is unpacked, and no more is unpacked than was declared.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from spielbaum.base.bounded import DAMAGE, LARGEST_TEXT, check_file
from spielbaum.base.errors import MISTAKES, ModelError

LARGEST_FILE = 16 << 30
LARGEST_DIRECTORY = 1 << 16
"""Bytes of an archive's directory; millions of members would take memory before any is read."""
CHUNK = 1 << 20
"""Numbers that are unpacked at a time."""
UNFINISHED = ".spielbaum-new"
"""The end of the names of files that are being written."""
Array = npt.NDArray[Any]


def write_atomically(path: Path, content: bytes | memoryview) -> None:
    """Write a file so that it is there as a whole or not at all, whatever happens meanwhile."""
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # else a crash could leave the new name with nothing behind it
        unfinished.replace(path)
    except OSError as error:  # such as a full disk, which does not say itself which file it was
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def write_arrays(
    path: Path, header: Mapping[str, Any], arrays: Mapping[str, Array], *, compress: bool
) -> None:
    """Write a header and arrays.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "a.npz"
    >>> write_arrays(path, {"format": "test"}, {"x": np.arange(3)}, compress=True)
    >>> with open_arrays(path) as file:
    ...     file.header, file.read("x", np.int64, 100).tolist()
    ({'format': 'test'}, [0, 1, 2])
    >>> folder.cleanup()
    """
    written = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    memory = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(memory, "w", method) as archive:
        for name, array in {"header": written, **arrays}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    write_atomically(path, memory.getbuffer())


@contextlib.contextmanager
def open_arrays(path: Path) -> Iterator[ArrayFile]:
    """Open a file of arrays; whatever is wrong with it is a `ModelError` of one sentence.

    >>> with open_arrays(Path("/dev/zero")) as file:
    ...     pass
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.ModelError: model /dev/zero: it is not a file
    """
    check_file(path, LARGEST_FILE)
    try:
        with path.open("rb") as file:
            _check_directory(file)
            with zipfile.ZipFile(file) as archive:
                found = ArrayFile(path, archive, {})
                header = json.loads(found.read("header", np.uint8, LARGEST_TEXT).tobytes())
                if not isinstance(header, dict):
                    raise ValueError("the header is no object")
                found.header.update(header)
                yield found
    except MISTAKES:  # of what was made of the file, such as a game that does not exist
        raise
    except OSError as error:
        raise ModelError(f"model {path}: {error.strerror or error}") from None
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
        *(struct.error, SyntaxError, *DAMAGE),
    ):
        raise ModelError(f"model {path}: it is damaged, or no model of Spielbaum") from None


def read_header(path: Path) -> dict[str, Any]:
    """Read the header of a file of arrays, and none of its arrays."""
    with open_arrays(path) as file:
        return file.header


@dataclass(frozen=True)
class ArrayFile:
    """An open file of arrays; see `open_arrays`."""

    path: Path
    _archive: zipfile.ZipFile
    header: dict[str, Any]

    def read(self, name: str, kind: type[np.generic], most: int, ndim: int = 1) -> Array:
        """Read an array, which must be of this kind and have at most ``most`` numbers."""
        with self._open(name, np.dtype(kind), most, ndim) as (stream, shape):
            return _numbers(stream, math.prod(shape), np.dtype(kind)).reshape(shape)

    def chunks(self, name: str, kind: type[np.generic], most: int) -> Iterator[Array]:
        """Read an array of one dimension in parts of at most `CHUNK` numbers."""
        with self._open(name, np.dtype(kind), most, 1) as (stream, (left,)):
            while left:
                size = min(left, CHUNK)
                yield _numbers(stream, size, np.dtype(kind))
                left -= size

    @contextlib.contextmanager
    def _open(
        self, name: str, kind: np.dtype[Any], most: int, ndim: int
    ) -> Iterator[tuple[IO[bytes], tuple[int, ...]]]:
        """Open a member behind its own header, which has been checked."""
        info = self._archive.getinfo(f"{name}.npy")
        # Others are unpacked by zipfile without regard to how much is asked for.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError("another compression than that of write_arrays")
        with self._archive.open(info) as stream:
            found, shape = _array_header(stream)
            if found != kind or len(shape) != ndim:
                raise ModelError(f"model {self.path}: its part {name} is not what it should be")
            size = math.prod(shape)
            if size > most:
                raise ModelError(f"model {self.path}: its part {name} is larger than it can be")
            if info.file_size != stream.tell() + size * kind.itemsize:
                raise ValueError("the size of a member is not that of its array")
            yield stream, shape


def _numbers(stream: IO[bytes], size: int, kind: np.dtype[Any]) -> Array:
    wanted = size * kind.itemsize
    data = bytearray()
    # In small parts, for zipfile believes the directory's sizes and unpacks as much as is asked.
    while len(data) < wanted:
        part = stream.read(min(wanted - len(data), CHUNK))
        if not part:
            raise EOFError
        data += part
    return np.frombuffer(data, dtype=kind)


_ARRAY_HEADER = re.compile(
    rb"\{'descr': '([<|][a-z][0-9])', 'fortran_order': False, 'shape': \(([0-9, ]{0,60})\), \} *\n"
)


def _array_header(stream: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Read the kind and the shape that a member declares, as numpy writes them."""
    start = stream.read(10)
    if start[:8] != b"\x93NUMPY\x01\x00" or len(start) < 10:
        raise ValueError("no array of numpy's first version")
    text = _ARRAY_HEADER.fullmatch(stream.read(int.from_bytes(start[8:], "little")))
    if text is None:
        raise ValueError("no header of an array")
    sizes = text[2].decode().replace(" ", "").split(",")
    return np.dtype(text[1].decode()), tuple(int(size) for size in sizes if size)


_END, _END_64, _LOCATOR = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), 20
"""The last record of an archive, that of a large one before it, and the size of what is between."""


def _check_directory(file: IO[bytes]) -> None:
    """Refuse an archive with a larger directory than ours before zipfile reads all of it."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _END.size))
    mark, *_, directory, _, comment = _END.unpack(file.read())
    if mark != b"PK\x05\x06" or comment:
        raise ValueError("no archive, or one with a comment")
    place = size - _END.size - _LOCATOR - _END_64.size
    if place >= 0:
        file.seek(place)
        large, between = _END_64.unpack(file.read(_END_64.size)), file.read(4)
        if between == b"PK\x06\x07" and large[0] == b"PK\x06\x06":
            directory = large[8]
    if directory > LARGEST_DIRECTORY:
        raise ValueError("too many members")
    file.seek(0)
