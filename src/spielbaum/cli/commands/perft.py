"""``spielbaum perft``: the number of lines of play to a depth, and how fast they are counted."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from spielbaum.base.options import Option
from spielbaum.cli.shared.output import AsJson, join_position, print_json, read_state, speed
from spielbaum.games import State
from spielbaum.games import perft as count_lines

DEPTH = Option("depth", 4, low=0, high=99)
ROW = "{:>6}  {:>20}  {:>9}  {:>10}"

SETTINGS = {"ignore_unknown_options": True}
"""For Typer: a position may begin with a hyphen."""


def perft(
    game: Annotated[str, typer.Argument(help="A game, such as chess or reversi:size=6.")],
    position: Annotated[
        list[str] | None,
        typer.Argument(help="A position in the notation of the game; without it, the start."),
    ] = None,
    depth: Annotated[str, typer.Option(metavar="N", help="Plies to look ahead.")] = "4",
    divide: Annotated[
        bool, typer.Option("--divide", help="Count for each move of the position by itself.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Count the lines of play up to a depth (perft), the proof that a move generator is right."""
    state = read_state(game, join_position(position))
    plies = int(DEPTH.parse(depth))
    if as_json:
        print_json({"position": state.notation, "depth": plies, **counts(state, plies, divide)})
    elif divide:
        print_divided(state, plies)
    else:
        print_by_depth(state, plies)


def counts(state: State, depth: int, divide: bool) -> dict[str, dict[str, int]]:
    """Count lines of play by depth or by move, for programs.

    >>> import spielbaum as sb
    >>> counts(sb.game("tictactoe").initial(), 2, divide=False)
    {'lines': {'0': 1, '1': 9, '2': 72}}
    """
    if divide and depth > 0:
        moves = state.legal_moves
        return {
            "lines": {state.text(move): count_lines(state.play(move), depth - 1) for move in moves}
        }
    return {"lines": {str(plies): count_lines(state, plies) for plies in range(depth + 1)}}


def print_by_depth(state: State, depth: int) -> None:
    """A row for every depth, as soon as it is known."""
    typer.echo(ROW.format("depth", "lines of play", "seconds", "speed"))
    for plies in range(depth + 1):
        began = time.perf_counter()
        count = count_lines(state, plies)
        seconds = time.perf_counter() - began
        typer.echo(ROW.format(plies, f"{count:,}", f"{seconds:.3f}", speed(count, seconds)))


def print_divided(state: State, depth: int) -> None:
    """A row for every move, and the sum."""
    moves = state.legal_moves if depth > 0 else ()
    total = 0 if moves else count_lines(state, depth)
    for move in moves:
        count = count_lines(state.play(move), depth - 1)
        total += count
        typer.echo(f"{state.text(move):>6}  {count:>20,}")
    typer.echo(f"{'total':>6}  {total:>20,}")
