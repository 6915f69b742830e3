"""``spielbaum games``: the games, their options and their sizes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from spielbaum.base.options import Option, parse_spec
from spielbaum.cli.shared.output import AsJson, console, options_data, print_json
from spielbaum.games import game
from spielbaum.games import games as all_games
from spielbaum.games.files import map_facts, shipped_maps
from spielbaum.games.game import declared_options, file_option


def games(
    name: Annotated[
        str | None,
        typer.Argument(help="A game, or a game with options: show its options, maps and start."),
    ] = None,
    draw: Annotated[bool, typer.Option("--draw", help="Draw every map of the game.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the games and their options, or show one of them."""
    if as_json:
        print_json([data(each) for each in all_games()] if name is None else data(name))
        return
    if name is not None:
        show_game(name, draw)
        return
    table = Table(title="Games", title_justify="left", show_lines=True)
    table.add_column("game", style="bold", no_wrap=True)
    table.add_column("about, and options with their defaults")
    table.add_column("players", justify="right")
    table.add_column("actions", justify="right")
    for each in all_games():
        default = game(each)
        about = [default.summary, *map(describe, declared_options(each))]
        lines = "\n".join(line for line in about if line)
        table.add_row(each, lines, str(default.num_players), str(default.num_actions))
    out = console()
    out.print(table)
    out.print("A game is named with its options: connect4:rows=7,columns=9", style="dim")
    out.print("Games of other packages: openspiel:name=hex,board_size=7", style="dim")


def data(spec: str) -> dict[str, object]:
    """Give a game and its options, for programs."""
    rules = game(spec)
    maps = map(map_facts, shipped_maps()) if file_option(rules.name) else ()
    return {
        "name": rules.name,
        "spec": str(rules),
        "summary": rules.summary,
        "players": rules.num_players,
        "actions": rules.num_actions,
        "options": options_data(declared_options(rules.name)),
        "maps": [asdict(each) for each in maps],
    }


def show_game(spec: str, draw: bool) -> None:
    """Print what one game is, its options, its maps if it has any, and its start."""
    rules = game(spec)
    out = console()
    out.print(f"[bold]{rules.name}[/bold]: {rules.summary}", highlight=False)
    for option in declared_options(rules.name, rules.options):
        out.print(describe(option), markup=False, highlight=False)
    option_name = file_option(rules.name)
    if option_name is None or option_name in parse_spec(spec)[1]:
        out.print(str(rules.initial()), markup=False, highlight=False)
        return
    out.print(map_table())
    if draw:
        for each in shipped_maps():
            out.print(f"\n{each}", style="bold", highlight=False)
            # Wide maps are not to be broken in the middle of a row.
            start = game(rules.name, **{option_name: each}).initial()
            out.print(str(start), markup=False, highlight=False, soft_wrap=True)
    else:
        out.print(f"One of them: spielbaum games {rules.name}:{option_name}=map3; all: --draw")


def map_table() -> Table:
    """The maps of the package with their sizes and supplies."""
    table = Table(title="Maps", title_justify="left")
    table.add_column("map", style="bold")
    columns = ("players", "rows", "columns", "overrides", "bombs", "strength", "transitions")
    for heading in columns:
        table.add_column(heading, justify="right")
    table.add_column("special cells")
    for facts in map(map_facts, shipped_maps()):
        numbers = [str(getattr(facts, heading)) for heading in columns]
        special = [f"{count}{symbol}" for symbol, count in facts.special.items()]
        table.add_row(facts.name, *numbers, " ".join(special))
    return table


def describe(option: Option) -> str:
    """One line about an option.

    >>> describe(Option("rows", 6, "rows of the board", low=2, high=16))
    'rows=6: rows of the board (a whole number from 2 to 16)'
    """
    default = f"{option.name}={option.format(option.default)}"
    meaning = f": {option.help}" if option.help else ""
    return f"{default}{meaning} ({option.expected})"
