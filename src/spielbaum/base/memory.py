"""How large the tables of searches may be.

A table takes memory only where it is used, so that the system grants any size at first; but a
search fills its table within seconds, and then the system ends the process, or another one.
"""

from __future__ import annotations

import os
from pathlib import Path

from spielbaum.base.discover import when_needed
from spielbaum.base.options import Option

MEGABYTE = 1 << 20
LARGEST = 1 << 16  # megabytes


def machine_megabytes() -> int:
    """The memory of this machine; `LARGEST` where the system does not tell.

    >>> machine_megabytes() > 1
    True
    """
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // MEGABYTE
    except (AttributeError, OSError, ValueError):
        return LARGEST
    return size if size > 0 else LARGEST


MOST_MEGABYTES = max(min(machine_megabytes(), LARGEST), 512)
"""What a table may have at most."""


def limit_memory(megabytes: int) -> None:
    """Limit the address space of this process, for good: beyond it, there is a `MemoryError`."""
    resource = when_needed("resource")  # not on every system; those without have no studio
    resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))


def used_megabytes() -> int:
    """The address space that this process has mapped so far; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // MEGABYTE


def memory_option(default: int, help: str = "") -> Option:  # noqa: A002  the word that Option uses
    """The option ``memory`` of whatever has a table.

    >>> memory_option(64).parse("16")
    16
    """
    return Option("memory", default, help, low=1, high=MOST_MEGABYTES)
