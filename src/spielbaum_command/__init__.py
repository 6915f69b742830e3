"""The command ``spielbaum`` from its first moment on.

It stands beside the package because nothing inside of a package runs before the package itself is
imported. That takes a moment, in which Ctrl-C or a core that cannot be loaded must be answered as
at any other time: by one line. What needs no import at all is answered here: the version, and the
list of commands from the first line of each one's file.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from spielbaum_command.version import VERSION

BAD_INPUT = 2
INTERRUPTED = 130

OVERVIEW = """Usage: spielbaum COMMAND [ARGUMENTS]

A workbench for board-game AI: play, search, learn, compare and see.

Commands:
{}

spielbaum COMMAND --help  tells more about one of them.
spielbaum --version       prints the version.
--import MODULE           with every command: imports a module that registers agents or games."""


def main() -> None:
    """Answer by constants, or import the application and run it."""
    end_at_interrupts()
    if sys.argv[1:] == ["--version"]:
        print(f"spielbaum {VERSION}")
        return
    if sys.argv[1:] in ([], ["--help"]):
        print(overview(Path(__file__).parents[1] / "spielbaum" / "cli" / "commands"))
        return
    try:
        from spielbaum.cli.main import main as run_application
    except ImportError as error:
        if error.name != "spielbaum":  # one that the package does not explain
            raise
        print(f"spielbaum: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    run_application()


def overview(folder: Path) -> str:
    """The list of commands, each with the first line of its file."""
    files = {path.stem: path for path in folder.glob("*.py") if path.stem != "__init__"}
    files |= {path.parent.name: path for path in folder.glob("*/__init__.py")}
    lines = [f"  {name:<12}{_first_line(files[name])}" for name in sorted(files)]
    return OVERVIEW.format("\n".join(lines))


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        words = file.readline().strip().strip('"').partition(": ")[2]
    return words[:1].upper() + words[1:]


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
