"""What the folders of all trainings have in common: a lock, a configuration, and tables."""

from __future__ import annotations

import csv
import fcntl
import io
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from spielbaum.errors import SpecError
from spielbaum.learn.arrays import write_atomically


def take_lock(folder: Path) -> IO[str]:
    """Make a folder this process's own until the lock is closed, or the process ends.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name, take_lock(Path(name)):
    ...     is_running(Path(name))
    True
    """
    file = (folder / "lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise SpecError(f"{folder} has a training that is running already") from None
    return file


def is_running(folder: Path) -> bool:
    """Whether a process works in a folder now.

    >>> is_running(Path("/nowhere"))
    False
    """
    path = folder / "lock"
    if not path.exists():
        return False
    with path.open("r") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def write_table(path: Path, table: Sequence[Sequence[object]]) -> None:
    r"""Write a CSV file, at once or not at all; None is an empty cell.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     path = Path(name) / "a.csv"
    ...     write_table(path, [["games", "share"], [1, None]])
    ...     path.read_text()
    'games,share\n1,\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    write_atomically(path, text.getvalue().encode())
