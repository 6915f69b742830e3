"""``spielbaum inspect``: look into a trained network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.base.options import Option
from spielbaum.cli.shared.output import AsJson, board, print_json, print_rows, read_state, side
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
    as_json: AsJson = False,
) -> None:
    """Show a network: its settings, a tuple and its entries, or the values of a position."""
    network = load_network(file)
    lines = int(TOP.parse(top))
    if worth:
        _show_worths(network, lines, as_json)
    elif position is not None:
        _show_position(network, position, lines, as_json)
    elif tuple_number is not None:
        index = check_tuple(network, int(TUPLE.parse(tuple_number)))
        _show_tuple(network, index, contents, lines, as_json)
    else:
        _show_network(network, file, lines, as_json)


def _show_network(network: NTupleNetwork, file: Path, lines: int, as_json: bool) -> None:
    found = usages(network)
    rows = [
        {
            "tuple": each.index,
            "cells": _cells(network, each.index),
            "weights": each.entries,
            "can occur": each.realisable,
            "trained": each.trained,
        }
        for each in found[:lines]
    ]
    training = network.training
    if as_json:
        print_json(
            {
                "file": file,
                "game": str(network.game),
                "contents": network.contents,
                "table_per_player": network.table_per_player,
                "symmetries": network.symmetries,
                "value": _value_text(network),
                "training": training,
                "num_tuples": len(found),
                "tuples": rows,
            }
        )
        return
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
    print_rows(rows)
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


def _show_tuple(
    network: NTupleNetwork, index: int, contents: str | None, lines: int, as_json: bool
) -> None:
    if not as_json:
        typer.echo(f"{draw_tuple(network, index)}\n")
    if contents is not None:
        _show_entry(network, index, contents, as_json)
        return
    rows = [
        {
            "contents": entry.contents,
            **{f"weight {number}": weight for number, weight in enumerate(entry.weights)},
        }
        for entry in strongest_entries(network, index, lines)
    ]
    formats = {f"weight {number}": "+.4f" for number in range(network.weights.shape[1])}
    print_rows(rows, as_json, formats)


def _show_entry(network: NTupleNetwork, index: int, contents: str, as_json: bool) -> None:
    given = parse_contents(network, contents)
    shown, players = contents_text(network, given), range(network.game.num_players)
    if network.table_per_player:
        weights = {side(network.game, each): network.lookup(index, given, each) for each in players}
    else:
        weights = {"all": network.lookup(index, given, 0)}
    if as_json:
        print_json({"contents": shown, "weights": weights})
        return
    for player, weight in weights.items():
        whose = f"{player} to move" if network.table_per_player else player
        typer.echo(f"{shown}  {whose}: {weight:+.6f}")


def _show_worths(network: NTupleNetwork, lines: int, as_json: bool) -> None:
    worths = tuple_worths(network)
    best = sorted(range(len(worths)), key=lambda each: -worths[each])[:lines]
    rows = [
        {"tuple": index, "worth": float(worths[index]), "cells": _cells(network, index)}
        for index in best
    ]
    print_rows(rows, as_json, {"worth": ".4f"})


def _cells(network: NTupleNetwork, index: int) -> str:
    face = network.game.face
    return " ".join(face.cell_name(network.game, cell) for cell in network.tuples[index])


def _show_position(network: NTupleNetwork, position: str, lines: int, as_json: bool) -> None:
    state = read_state(str(network.game), position)
    over = state.outcome is not None
    values = [] if over else sorted(network.move_values(state).items(), key=lambda each: -each[1])
    found = [] if over else sorted(network.contributions(state), key=lambda each: -abs(each.weight))
    rows = [
        {
            "tuple": each.index,
            "adds": each.weight,
            "entries": ", ".join(
                contents_text(network, network.contents_of(each.index, entry)).replace(" ", "")
                for entry in each.entries
            ),
        }
        for each in found[:lines]
    ]
    total = sum(each.weight for each in found)
    if as_json:
        print_json(
            {
                "position": state.notation,
                "value": None if over else network.value(state),
                "moves": [{"move": state.label(move), "value": value} for move, value in values],
                "tuples": rows,
                "sum": total,
            }
        )
        return
    typer.echo(f"{board(state)}\n")
    if over:
        return
    typer.echo(f"value {network.value(state):+.4f} for the side to move")
    for move, value in values:
        typer.echo(f"{state.label(move):>5}  {value:+.4f}")
    print_rows(rows, formats={"adds": "+.4f"})
    typer.echo(f"sum of all tuples {total:+.4f}")
