"""One process at a time in the folder of a training."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

from spielbaum.base.arrays import UNFINISHED
from spielbaum.base.errors import SpecError, StoreError

LOCK = "lock"
PARTS = ("games", "nets", "search")
"""Folders of a training in which files are written, too."""


def take_lock(folder: Path) -> IO[str]:
    """Keep others out of a folder until the answer is closed, or this process ends.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, take_lock(Path(folder)):
    ...     is_running(Path(folder))
    True
    """
    path = folder / LOCK
    if path.exists() and not path.is_file():
        raise StoreError(f"training {folder}: its {LOCK} is no file")
    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise SpecError(f"{folder} has a training or recording that is running already") from None
    for place in (folder, *(folder / name for name in PARTS)):
        for unfinished in place.glob(f"*{UNFINISHED}"):  # of a process that was killed meanwhile
            unfinished.unlink()
    return file


def is_running(folder: Path) -> bool:
    """Whether a process trains in a folder now."""
    path = folder / LOCK
    if not path.exists():
        return False
    with path.open("r") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
