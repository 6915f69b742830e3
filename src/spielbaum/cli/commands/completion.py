"""``spielbaum completion``: completion of commands, options, games and agents by the Tab key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from spielbaum.agents import agents
from spielbaum.base.options import Option
from spielbaum.games import games

SCRIPTS = {
    "bash": """_spielbaum() {
    local IFS=$'\\n'
    COMPREPLY=($(spielbaum completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null))
}
complete -o default -F _spielbaum spielbaum""",
    "zsh": """#compdef spielbaum
_spielbaum() {
    local found=("${(@f)$(spielbaum completion words -- "${(@)words[2,CURRENT]}" 2> /dev/null)}")
    compadd -- $found || _files
}
compdef _spielbaum spielbaum""",
    "fish": """complete -c spielbaum -a \
'(spielbaum completion words -- (commandline -opc)[2..] (commandline -ct) 2> /dev/null)'""",
}
SHELL = Option("shell", "bash", choices=(*SCRIPTS, "words"))

SETTINGS = {"ignore_unknown_options": True}
"""For Typer: words to complete may begin with a hyphen."""


def completion(
    context: typer.Context,
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(help="With words instead of a shell: complete the last of these."),
    ] = None,
) -> None:
    """Print a script by which a shell completes what you type.

    For bash: eval "$(spielbaum completion bash)", also in the file .bashrc.
    """
    if SHELL.parse(shell) != "words":
        typer.echo(SCRIPTS[shell])
        return
    assert context.parent is not None
    for candidate in candidates(context.parent, words or [""]):
        typer.echo(candidate)


def candidates(context: Any, words: Sequence[str]) -> list[str]:
    """Give what the last of the words may become: commands, options, games or agents."""
    command: Any = context.command
    *before, last = words
    while before and hasattr(command, "get_command"):
        command = command.get_command(context, before.pop(0))
        if command is None:
            return []
    if hasattr(command, "list_commands"):
        return _beginning(command.list_commands(context), last)
    options = [each for each in command.params if each.param_type_name == "option"]
    if last.startswith("-"):
        return _beginning((name for each in options for name in each.opts), last)
    taken = next((each for each in options if before and before[-1] in each.opts), None)
    if taken is None or getattr(taken, "is_flag", False):
        arguments = [each for each in command.params if each.param_type_name == "argument"]
        place = sum(not word.startswith("-") for word in before)
        taken = arguments[min(place, len(arguments) - 1)] if arguments else None
    kind = "" if taken is None else f"{taken.name} {taken.metavar}".lower()
    if "agent" in kind or "against" in kind or "grid" in kind:
        return _beginning((info.name for info in agents()), last)
    return _beginning(games(), last) if "game" in kind else []


def _beginning(names: Iterable[str], start: str) -> list[str]:
    return sorted(name for name in names if name.startswith(start))
