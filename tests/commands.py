"""Running the command line in tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

COMMAND = [sys.executable, "-m", "spielbaum"]


@dataclass
class Ran:
    """What a run of the command printed, and its exit code."""

    code: int
    out: str
    err: str


Cli: TypeAlias = Callable[..., Ran]


def process(*arguments: str, typed: str | bytes = "") -> Ran:
    """Run the command as a process of its own."""
    given = typed.encode() if isinstance(typed, str) else typed
    done = subprocess.run(
        [*COMMAND, *arguments], input=given, capture_output=True, timeout=60, check=False
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def assert_one_clear_line(ran: Ran, *words: str) -> None:
    """A mistake: exit code 2, nothing on stdout, and one line that names the problem."""
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("spielbaum: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    for word in words:
        assert word in ran.err
