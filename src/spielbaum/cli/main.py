"""The command line application: its commands, and what happens when something goes wrong.

Whatever a person types, the answer to a mistake is one line on stderr and exit code 2.
"""

from __future__ import annotations

import importlib.metadata
import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from spielbaum.base.errors import MISTAKES
from spielbaum.cli.commands.agents import agents
from spielbaum.cli.commands.analyse import analyse
from spielbaum.cli.commands.bench import bench
from spielbaum.cli.commands.book import book
from spielbaum.cli.commands.evaluate import evaluate
from spielbaum.cli.commands.games import games
from spielbaum.cli.commands.inspect import inspect
from spielbaum.cli.commands.kaggle import kaggle
from spielbaum.cli.commands.lab import lab
from spielbaum.cli.commands.match import match
from spielbaum.cli.commands.perft import perft
from spielbaum.cli.commands.play import play
from spielbaum.cli.commands.record import record_games
from spielbaum.cli.commands.report import replay, report
from spielbaum.cli.commands.runs import runs
from spielbaum.cli.commands.show import show
from spielbaum.cli.commands.solve import solve
from spielbaum.cli.commands.studio import studio
from spielbaum.cli.commands.tournament import sweep, tournament
from spielbaum.cli.commands.train import train
from spielbaum.cli.commands.train_alphazero import alphazero as _alphazero  # noqa: F401  registers itself
from spielbaum.cli.commands.train_dqn import dqn as _dqn  # noqa: F401
from spielbaum.cli.commands.train_imitate import imitate as _imitate  # noqa: F401
from spielbaum.cli.commands.train_value import value as _value  # noqa: F401  registers itself
from spielbaum.cli.commands.uci import uci
from spielbaum_command import BAD_INPUT, INTERRUPTED, ignore_interrupts, raise_interrupts

app = typer.Typer(
    name="spielbaum",
    help="A workbench for board-game AI: play, search, learn, compare and see.",
    add_completion=False,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)


@app.callback()
def common(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """What ``spielbaum`` does without a command."""
    if version:
        typer.echo(f"spielbaum {importlib.metadata.version('spielbaum')}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command()(games)
app.command()(agents)
app.command(context_settings={"ignore_unknown_options": True})(show)
app.command(context_settings={"ignore_unknown_options": True})(perft)
app.command()(play)
app.command(context_settings={"ignore_unknown_options": True})(analyse)
app.command(context_settings={"ignore_unknown_options": True})(solve)
app.command()(match)
app.command()(tournament)
app.command()(sweep)
app.command()(evaluate)
app.command()(report)
app.command()(replay)
app.command()(book)
app.command()(bench)
app.command()(uci)
app.command()(studio)
app.command()(runs)
app.command("record")(record_games)
app.add_typer(kaggle, name="kaggle")
app.add_typer(lab, name="lab")
app.add_typer(train, name="train")
app.add_typer(inspect, name="inspect")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the application and leave the process with its exit code."""
    try:
        raise_interrupts()
        code = _run_and_flush(sys.argv[1:] if arguments is None else arguments)
        ignore_interrupts()
    except KeyboardInterrupt:  # before or after the command, which answers its own
        ignore_interrupts()
        code = _complain("interrupted", INTERRUPTED)
    sys.exit(code)


def _run_and_flush(arguments: Sequence[str]) -> int:
    for stream in (sys.stdin, sys.stdout):
        # What a terminal cannot show, or a file does not encode, must not end a game.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    code = run(arguments)
    try:
        if sys.stdout is not None:  # a program may be started without any
            sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        code = code or 1
    return code


def run(arguments: Sequence[str]) -> int:
    """Run the application and return its exit code.

    >>> run(["show", "nosuch"])
    2
    """
    command = typer.main.get_command(app)
    try:
        result = command.main(list(arguments), prog_name="spielbaum", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _forget_output()
        return 1
    except MISTAKES as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(f"{error.filename or 'file'}: {error.strerror or error}")
    except Exception as error:
        # Typer has moved its exceptions between versions; this method marks all of them.
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        return _complain(f"{message().removesuffix('.')}; see spielbaum --help")
    # Outside of its standalone mode Typer returns the exit code, or what the command returned.
    code = result if isinstance(result, int) else 0
    if code == INTERRUPTED:
        _complain("interrupted")
    return code


def _complain(message: str, code: int = BAD_INPUT) -> int:
    """Say what is wrong in one line, and return the exit code."""
    print(f"spielbaum: {' '.join(message.split())}", file=sys.stderr)
    return code


def _forget_output() -> None:
    """Send what is still buffered to nowhere: the reader of our output has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
