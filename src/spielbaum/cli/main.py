"""The command line application: a command is a file, found and imported when it is called.

Whatever a person types, the answer to a mistake is one line on stderr and exit code 2.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from spielbaum.base.discover import load, names
from spielbaum.base.errors import MISTAKES, SpecError
from spielbaum.base.imports import share_modules
from spielbaum.base.version import VERSION
from spielbaum_command import BAD_INPUT, INTERRUPTED, ignore_interrupts, raise_interrupts

COMMANDS = "spielbaum.cli.commands"
IMPORT = "--import"
"""An option of every command, before or after its name."""


class FoundCommands(TyperGroup):
    """The commands that a package has as modules; those of a package in it are its own."""

    package = COMMANDS

    def list_commands(self, context: object) -> list[str]:
        """Their names."""
        return list(names(self.package))

    def get_command(self, context: object, name: str) -> TyperCommand | None:
        """Import a command; None if there is none of the name."""
        return _command(self.package, name) if name in names(self.package) else None


def _command(package: str, name: str) -> TyperCommand:
    """What a module has under its own name: a function, or a Typer application with its own."""
    module = load(package, name)
    found = getattr(module, name, None)
    if found is None:  # a folder of commands
        kind = type("Found", (FoundCommands,), {"package": f"{package}.{name}"})
        words = (module.__doc__ or "").partition(": ")[2].strip()
        found = typer.Typer(cls=kind, help=words[:1].upper() + words[1:], no_args_is_help=True)
        found.callback()(_nothing)
    elif not isinstance(found, typer.Typer):
        single = typer.Typer(add_completion=False)
        single.command(name, context_settings=getattr(module, "SETTINGS", None))(found)
        return plain(typer.main.get_command(single))
    group = typer.main.get_group(found)
    group.name = name
    return plain(group)


def plain(command: Any) -> TyperCommand:
    """Write the help of a command without types that say nothing: a switch is no <bool>."""
    for each in getattr(command, "commands", {}).values():
        plain(each)
    help_option = command.get_help_option(typer.Context(command))
    for param in (*command.params, help_option):
        if getattr(param, "is_flag", False):
            param.metavar = ""
        elif param is not None and param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
    found: TyperCommand = command
    return found


def _nothing() -> None:
    """A group of commands does nothing by itself."""


app = typer.Typer(
    name="spielbaum",
    cls=FoundCommands,
    help="A workbench for board-game AI: play, search, learn, compare and see.",
    add_completion=False,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)


@app.callback()
def common(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    imports: Annotated[
        list[str] | None,
        typer.Option(
            IMPORT, metavar="MODULE", help="With every command: a module of agents or games."
        ),
    ] = None,
) -> None:
    """What ``spielbaum`` does without a command."""
    share_modules(imports or ())
    if version:
        typer.echo(f"spielbaum {VERSION}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


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
        given, imported = _without_imports(arguments)
        share_modules(imported)
        result = command.main(given, prog_name="spielbaum", standalone_mode=False)
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


def _without_imports(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Arguments without ``--import MODULE``, and the modules.

    >>> _without_imports(["play", "--import", "mygame", "mygame"])
    (['play', 'mygame'], ['mygame'])
    """
    rest, kept, imported = iter(arguments), list[str](), list[str]()
    for argument in rest:
        if argument == "--":
            kept += [argument, *rest]
        elif argument == IMPORT:
            imported.append(_next(rest))
        elif argument.startswith(f"{IMPORT}="):
            imported.append(argument.removeprefix(f"{IMPORT}="))
        else:
            kept.append(argument)
    return kept, imported


def _next(rest: Iterator[str]) -> str:
    for argument in rest:
        return argument
    raise SpecError(f"{IMPORT}: expected the name of a module after it")


def _complain(message: str, code: int = BAD_INPUT) -> int:
    """Say what is wrong in one line, and return the exit code."""
    print(f"spielbaum: {' '.join(message.split())}", file=sys.stderr)
    return code


def _forget_output() -> None:
    """Send what is still buffered to nowhere: the reader of our output has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
