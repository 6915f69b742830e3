"""What went wrong, in one sentence for visitors: without paths, and with a status for disks."""

from __future__ import annotations

from spielbaum.base.disk import FULL, READ_ONLY
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.files import without_paths

DISK_FULL = "the disk of the server is full; delete something, and try again"
DISK_READ_ONLY = "the data folder of the server is read-only, so nothing can be saved"


def disk_status(error: BaseException) -> int | None:
    """Return 507 for a full disk, 403 for one that is read-only, None for anything else.

    >>> import errno
    >>> disk_status(OSError(errno.ENOSPC, "No space left on device")), disk_status(ValueError())
    (507, None)
    """
    number = getattr(error, "errno", None)
    if number in FULL:
        return 507
    return 403 if number in READ_ONLY else None


def sentence_of(error: BaseException, settings: Settings) -> str:
    """Say what went wrong.

    >>> import errno
    >>> sentence_of(OSError(errno.EROFS, "Read-only file system", "/srv/a"), Settings())
    'the data folder of the server is read-only, so nothing can be saved'
    >>> sentence_of(ValueError("model /srv/a.npz: it is damaged"), Settings())
    'model a.npz: it is damaged'
    """
    match disk_status(error):
        case 507:
            return DISK_FULL
        case 403:
            return DISK_READ_ONLY
    if isinstance(error, OSError) and error.strerror:
        return f"the disk of the server: {error.strerror}"
    return without_paths(" ".join(str(error).split()), settings)
