"""``spielbaum agents``: the agents, and every option of one of them."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from spielbaum.agents import AgentInfo
from spielbaum.agents import agents as all_agents
from spielbaum.agents.mcts_options import OPTIONS, PRESETS
from spielbaum.agents.registry import agent_info
from spielbaum.base.options import format_spec
from spielbaum.cli.shared.output import AsJson, console, options_data, print_json


def agents(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="An agent, to see its options.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the agents, or the options of one of them."""
    if as_json:
        print_json(
            [data(each) for each in all_agents()] if name is None else data(agent_info(name))
        )
        return
    out = console()
    if name is None:
        table = Table(title="Agents", title_justify="left")
        table.add_column("agent", style="bold", no_wrap=True)
        table.add_column("about")
        for info in all_agents():
            table.add_row(info.name, escape(info.help))
        out.print(table)
        out.print("Options: spielbaum agents NAME, such as spielbaum agents mcts", style="dim")
        return
    chosen = agent_info(name)
    out.print(f"{chosen.name}: {escape(chosen.help)}", soft_wrap=True)
    if name in PRESETS:
        out.print(f"the same as {same_as_mcts(chosen)}", soft_wrap=True)
    if not chosen.options:
        out.print("It has no options.")
        return
    out.print(options_table(chosen))
    first = chosen.options[0]
    out.print(
        f"Options are given as in {name}:{first.name}={first.format(first.default) or '...'}",
        style="dim",
    )


def data(info: AgentInfo) -> dict[str, object]:
    """Give an agent and its options, for programs."""
    return {"name": info.name, "help": info.help, "options": options_data(info.options)}


def options_table(info: AgentInfo) -> Table:
    """Every option with its default, what it may be, and its meaning.

    >>> options_table(agent_info("random")).row_count
    1
    """
    table = Table()
    table.add_column("option", style="bold", no_wrap=True)
    table.add_column("default", no_wrap=True)
    table.add_column("may be")
    table.add_column("meaning")
    for option in info.options:
        cells = (option.name, option.format(option.default), option.expected, option.help)
        table.add_row(*map(escape, cells))
    return table


def same_as_mcts(preset: AgentInfo) -> str:
    """The spec of ``mcts`` that a preset stands for.

    >>> same_as_mcts(agent_info("lgr"))
    'mcts:select=uct,c=1,final=select,solver=off,reuse=off'
    """
    return format_spec("mcts", OPTIONS, {each.name: each.default for each in preset.options})
