"""``spielbaum games``: the games, their options and their sizes."""

from __future__ import annotations

from rich.table import Table

from spielbaum.base.options import Option
from spielbaum.cli.shared.output import console
from spielbaum.games import game
from spielbaum.games import games as all_games
from spielbaum.games.game import declared_options


def games() -> None:
    """List the games and their options."""
    table = Table(title="Games", title_justify="left", show_lines=True)
    table.add_column("game", style="bold", no_wrap=True)
    table.add_column("about, and options with their defaults")
    table.add_column("players", justify="right")
    table.add_column("actions", justify="right")
    for name in all_games():
        default = game(name)
        about = [default.summary, *map(describe, declared_options(name))]
        lines = "\n".join(line for line in about if line)
        table.add_row(name, lines, str(default.num_players), str(default.num_actions))
    out = console()
    out.print(table)
    out.print("A game is named with its options: connect4:rows=7,columns=9", style="dim")


def describe(option: Option) -> str:
    """One line about an option.

    >>> describe(Option("rows", 6, "rows of the board", low=2, high=16))
    'rows=6: rows of the board (a whole number from 2 to 16)'
    """
    default = f"{option.name}={option.format(option.default)}"
    meaning = f": {option.help}" if option.help else ""
    return f"{default}{meaning} ({option.expected})"
