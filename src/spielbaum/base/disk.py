"""Disks that cannot be written: full ones, and those that are only for reading."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of the system for a full disk, a quota, and a file that may not grow."""
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
"""Error numbers of the system for a folder that may be read and not written."""
PROBE_BYTES = 65_536


def check_writable(folder: Path) -> None:
    """Write a small file into a folder and remove it; `OSError` if that fails.

    Work that takes long asks this before it begins, so that it does not fail at its first result.

    >>> check_writable(Path(tempfile.gettempdir()))
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(PROBE_BYTES))
        file.flush()
        os.fsync(file.fileno())


def why_unwritable(folder: Path) -> int | None:
    """Return the system's error number for a folder that cannot be written, None if it can be.

    >>> why_unwritable(Path(tempfile.gettempdir())) is None
    True
    """
    try:
        check_writable(folder)
    except OSError as error:
        return error.errno
    return None
