"""What the process of a training does: ``spielbaum train`` at low priority, printing to a file."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path

from spielbaum.base.discover import load
from spielbaum.base.workers import desk

OUTPUT = "output.txt"
NICENESS = 10


def train(folder: Path, command: Sequence[str]) -> int:
    """Train as the command line does, in a process of its own; returns the exit code.

    A task that is stopped is interrupted as by Ctrl-C, and keeps what it has done; so is one whose
    server is gone.
    """
    os.setsid()  # Ctrl-C is for the server, which passes it on
    os.nice(NICENESS)
    os.chdir(folder)
    with open(OUTPUT, "ab") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    main = threading.main_thread().ident
    assert main is not None
    try:
        desk().when_stopped(lambda: signal.pthread_kill(main, signal.SIGINT))
        code: int = load("spielbaum.cli", "main").run(["train", *command])
    except Exception:
        traceback.print_exc()  # its last line says what was wrong
        code = 1
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code
