"""The process of a training: ``spielbaum train`` at low priority, which ends with the server.

``python -m spielbaum.cli.trainee MEGABYTES ARGUMENTS...``
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from spielbaum.arena.workers import end_with_parent
from spielbaum.base.memory import limit_memory
from spielbaum.cli.main import main as command

NICENESS = 10


def main(arguments: Sequence[str]) -> None:
    """Train as the command line does."""
    limit_memory(int(arguments[0]))
    os.nice(NICENESS)
    # Without its server a training stops as by Ctrl-C, and keeps what it has done.
    end_with_parent(lambda: os.kill(os.getpid(), signal.SIGINT))
    command(["train", *arguments[1:]])


if __name__ == "__main__":
    main(sys.argv[1:])
