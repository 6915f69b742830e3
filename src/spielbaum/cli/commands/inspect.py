"""``spielbaum inspect``: look into a trained network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from spielbaum.base.options import Option
from spielbaum.cli.shared.output import board, console, read_state, side
from spielbaum.models.ntuple import NTupleNetwork, tuple_worths
from spielbaum.models.ntuple_file import load_network
from spielbaum.models.ntuple_inspect import (
    check_tuple,
    contents_text,
    draw_tuple,
    parse_contents,
    strongest_entries,
    usages,
)

TUPLE = Option("tuple", 0, low=0)
TOP = Option("top", 10, low=1, high=1_000_000)

inspect = typer.Typer(help="Look into trained networks.", no_args_is_help=True)


@inspect.callback()
def common() -> None:
    """Look into trained networks."""


@inspect.command()
def ntuple(
    file: Annotated[Path, typer.Argument(help="The file of a network.")],
    tuple_number: Annotated[
        str | None, typer.Option("--tuple", metavar="N", help="Draw a tuple, and its entries.")
    ] = None,
    contents: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="With --tuple: the entry for these contents."),
    ] = None,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What each tuple adds in a position.")
    ] = None,
    worth: Annotated[
        bool, typer.Option("--worth", help="The tuples by what the value loses without them.")
    ] = False,
    top: Annotated[str, typer.Option(metavar="N", help="Lines of a list.")] = "10",
) -> None:
    """Show a network: its settings, a tuple and its entries, or the values of a position."""
    network = load_network(file)
    lines = int(TOP.parse(top))
    if worth:
        _show_worths(network, lines)
    elif position is not None:
        _show_position(network, position, lines)
    elif tuple_number is not None:
        index = check_tuple(network, int(TUPLE.parse(tuple_number)))
        _show_tuple(network, index, contents, lines)
    else:
        _show_network(network, file, lines)


def _show_network(network: NTupleNetwork, file: Path, lines: int) -> None:
    found = usages(network)
    entries, trained = sum(each.entries for each in found), sum(each.trained for each in found)
    lengths = sorted({len(cells) for cells in network.tuples})
    counts = ", ".join(
        f"{sum(len(cells) == length for cells in network.tuples)} of length {length}"
        for length in lengths
    )
    facts = {
        "file": f"{file}, {file.stat().st_size:,} bytes",
        "game": str(network.game),
        "tuples": counts,
        "contents": f"{network.contents} ({contents_text(network, range(network.contents))})",
        "tables": "one for each player to move" if network.table_per_player else "one",
        "symmetries": "shared" if network.symmetries else "not used",
        "value": _value_text(network),
        "weights": f"{entries:,}, of which {trained:,} were trained and {entries - trained:,} not",
    }
    training = network.training
    if "games" in training:
        facts["trained"] = f"{training['games']:,} games in {training.get('seconds', 0):,.0f} s"
    shares = [
        f"{100 * each['share']:.1f} % against {each['opponent']}"
        for each in training.get("strength", [])
    ]
    if shares:
        facts["strength"] = ", ".join(shares)
    for name, text in facts.items():
        typer.echo(f"{name:<11}{text}")
    table = Table(box=None, pad_edge=False)
    for column in ("tuple", "cells", "weights", "can occur", "trained"):
        table.add_column(column, justify="left" if column == "cells" else "right")
    for each in found[:lines]:
        occur = "" if each.realisable is None else f"{each.realisable:,}"
        table.add_row(
            str(each.index),
            _cells(network, each.index),
            f"{each.entries:,}",
            occur,
            f"{each.trained:,}",
        )
    console().print(table)
    if len(found) > lines:
        typer.echo(f"and {len(found) - lines} more; see --top")


def _value_text(network: NTupleNetwork) -> str:
    """How the value follows from the sum of the weights.

    >>> import spielbaum as sb
    >>> _value_text(NTupleNetwork(sb.game("tictactoe"), [[0]], k=0.5, squash=False))
    '0.5 * sum, cut off at -1 and 1'
    """
    scaled = f"{network.k:g} * sum{' + bias' if network.bias else ''}"
    return f"tanh({scaled})" if network.squash else f"{scaled}, cut off at -1 and 1"


def _show_tuple(network: NTupleNetwork, index: int, contents: str | None, lines: int) -> None:
    typer.echo(draw_tuple(network, index))
    typer.echo()
    players = range(network.game.num_players if network.table_per_player else 1)
    if contents is not None:
        given = parse_contents(network, contents)
        for player in players:
            weight = network.lookup(index, given, player)
            whose = f"{side(network.game, player)} to move" if len(players) > 1 else "all"
            typer.echo(f"{contents_text(network, given)}  {whose}: {weight:+.6f}")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("contents")
    for column in range(network.weights.shape[1]):
        table.add_column(f"weight {column}", justify="right")
    for entry in strongest_entries(network, index, lines):
        table.add_row(entry.contents, *(f"{weight:+.4f}" for weight in entry.weights))
    console().print(table)


def _show_worths(network: NTupleNetwork, lines: int) -> None:
    table = Table(box=None, pad_edge=False)
    for column in ("tuple", "worth", "cells"):
        table.add_column(column, justify="left" if column == "cells" else "right")
    worths = tuple_worths(network)
    for index in sorted(range(len(worths)), key=lambda each: -worths[each])[:lines]:
        table.add_row(str(index), f"{worths[index]:.4f}", _cells(network, index))
    console().print(table)


def _cells(network: NTupleNetwork, index: int) -> str:
    face = network.game.face
    return " ".join(face.cell_name(network.game, cell) for cell in network.tuples[index])


def _show_position(network: NTupleNetwork, position: str, lines: int) -> None:
    state = read_state(str(network.game), position)
    typer.echo(board(state))
    typer.echo()
    if state.outcome is not None:
        return
    typer.echo(f"value {network.value(state):+.4f} for the side to move")
    for move, value in sorted(network.move_values(state).items(), key=lambda each: -each[1]):
        typer.echo(f"{state.label(move):>5}  {value:+.4f}")
    table = Table(box=None, pad_edge=False)
    for column in ("tuple", "adds", "entries"):
        table.add_column(column, justify="left" if column == "entries" else "right")
    found = sorted(network.contributions(state), key=lambda each: -abs(each.weight))
    for each in found[:lines]:
        shown = ", ".join(
            contents_text(network, network.contents_of(each.index, entry)).replace(" ", "")
            for entry in each.entries
        )
        table.add_row(str(each.index), f"{each.weight:+.4f}", shown)
    console().print(table)
    typer.echo(f"sum of all tuples {sum(each.weight for each in found):+.4f}")
