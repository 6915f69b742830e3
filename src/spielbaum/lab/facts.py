"""When an experiment was run, with what, and on what kind of machine."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from pathlib import Path

from spielbaum.base.version import VERSION


def facts_now() -> str:
    """Date, version, revision of the source where there is one, and class of the machine.

    >>> facts_now().startswith(time.strftime("%Y"))
    True
    """
    revision = _revision()
    version = f"Spielbaum {VERSION}" + (f" ({revision})" if revision else "")
    return f"{time.strftime('%Y-%m-%d', time.gmtime())} with {version} on {_machine()}"


def _machine() -> str:
    """Processor and cores; no name of a machine, which would mean nothing to others."""
    cores = os.cpu_count() or 1
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    processor = named.group(1) if named else platform.machine()
    return f"{cores} cores, {processor}"


def _revision() -> str:
    """The commit of the folder in which the package lies; empty if git does not know it."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"commit {done.stdout.strip()}" if done.returncode == 0 else ""
