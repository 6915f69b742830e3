"""The command ``spielbaum`` from its first moment on.

It stands beside the package because nothing inside of a package runs before the package itself is
imported. That takes a moment, in which Ctrl-C or a core that cannot be loaded must be answered as
at any other time: by one line.
"""

from __future__ import annotations

import os
import signal
import sys

BAD_INPUT = 2
INTERRUPTED = 130


def main() -> None:
    """Import the application and run it."""
    end_at_interrupts()
    try:
        from spielbaum.cli.main import main as run_application
    except ImportError as error:
        if error.name != "spielbaum":  # one that the package does not explain
            raise
        print(f"spielbaum: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    run_application()


def end_at_interrupts() -> None:
    """Until the application takes over, Ctrl-C ends the process at once.

    An exception would not do: what an import makes of it is up to each module.
    """
    # Else the process was started without Ctrl-C, as shells do in the background.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_interrupts() -> None:
    """From now on Ctrl-C is a `KeyboardInterrupt`, as usual."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def ignore_interrupts() -> None:
    """From now on Ctrl-C is too late: what is left to do is soon done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(*_: object) -> None:
    os.write(2, b"spielbaum: interrupted\n")
    os._exit(INTERRUPTED)
