"""Files of arrays with a header: written at once or not at all, and read without trusting them.

A file is what ``numpy.savez`` writes: a zip archive of ``.npy`` members. One of them is ``header``,
JSON as bytes. Nothing in a file is ever executed: arrays of objects are refused, and sizes are
looked at before memory is asked for.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from spielbaum.errors import ModelError

LARGEST_FILE = 16 << 30
LARGEST_HEADER = 64 << 20
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
    >>> header, arrays = read_arrays(path, {"x": 100})
    >>> header, arrays["x"].tolist()
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


def read_arrays(path: Path, most: Mapping[str, int]) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header and the arrays of a file, of which ``most`` names those that are wanted.

    The numbers are the bytes that each may have at most. Raises `ModelError` in one sentence.

    >>> read_arrays(Path("/dev/zero"), {})
    Traceback (most recent call last):
        ...
    spielbaum.errors.ModelError: model /dev/zero: it is not a file
    """
    check_file(path, LARGEST_FILE)
    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(_member(path, archive, "header", LARGEST_HEADER).tobytes())
            arrays = {name: _member(path, archive, name, size) for name, size in most.items()}
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"model {path}: {error.strerror or error}") from None
    except (
        *(zipfile.BadZipFile, zlib.error, ValueError, KeyError, EOFError, NotImplementedError),
        *(RuntimeError, TypeError, OverflowError, RecursionError, MemoryError, SyntaxError),
    ):
        raise ModelError(f"model {path}: it is damaged, or no model of Spielbaum") from None
    if not isinstance(header, dict):
        raise ModelError(f"model {path}: it is damaged, or no model of Spielbaum")
    return header, arrays


def check_file(path: Path, most: int) -> None:
    """Look at a file before it is read: `ModelError` if it cannot be one of so many bytes.

    >>> check_file(Path("/dev/zero"), 10)
    Traceback (most recent call last):
        ...
    spielbaum.errors.ModelError: model /dev/zero: it is not a file
    """
    try:
        facts = path.stat()
    except OSError as error:
        raise ModelError(f"model {path}: {error.strerror or error}") from None
    # Reading from a pipe may take for ever, and from a device never ends.
    if not stat.S_ISREG(facts.st_mode):
        raise ModelError(f"model {path}: it is not a file")
    if facts.st_size > most:
        raise ModelError(f"model {path}: it is too large for a model")


def _member(path: Path, archive: zipfile.ZipFile, name: str, most: int) -> Array:
    info = archive.getinfo(f"{name}.npy")
    # What an archive says about sizes is true: zipfile reads no more than that.
    if info.file_size > most + 1024:
        raise ModelError(f"model {path}: its part {name} is larger than it can be")
    data = io.BytesIO(archive.read(info))
    array = np.lib.format.read_array(data, allow_pickle=False, max_header_size=1000)
    return np.asarray(array)
