"""``spielbaum show``: everything about one position."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

from spielbaum.agents.human import list_moves
from spielbaum.cli.shared.output import (
    AsJson,
    board,
    join_position,
    print_json,
    read_state,
    side,
)
from spielbaum.games import State

SETTINGS = {"ignore_unknown_options": True}
"""For Typer: a position may begin with a hyphen."""


def show(
    game: Annotated[str, typer.Argument(help="A game, such as connect4 or connect4:columns=9.")],
    position: Annotated[
        list[str] | None,
        typer.Argument(help="A position in the notation of the game; without it, the start."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a picture of the board.")
    ] = None,
    planes: Annotated[
        str | None,
        typer.Option(metavar="ENCODING", help="Print the planes that a network sees, e.g. own."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a position: board, notation, legal moves, key and result."""
    state = read_state(game, join_position(position))
    # Everything that can be wrong is found before the first line is printed.
    drawn = state.svg() if svg is not None else ""
    encoded = state.planes(planes) if planes is not None else None
    if svg is not None:
        svg.write_text(drawn, encoding="utf-8")
    if as_json:
        print_json(data(state, encoded))
        return
    typer.echo(board(state))
    typer.echo()
    typer.echo(facts(state))
    if encoded is not None:
        typer.echo()
        typer.echo(planes_text(encoded))


def data(state: State, planes: npt.NDArray[np.float32] | None) -> dict[str, object]:
    """Give the properties of a state, for programs."""
    outcome = state.outcome
    return {
        "game": str(state.game),
        "notation": state.notation,
        "to_move": None if outcome is not None else state.to_move,
        "moves": [state.text(move) for move in state.legal_moves],
        "actions": list(state.legal_moves),
        "key": f"{state.key:016x}",
        "outcome": None if outcome is None else dataclasses.asdict(outcome),
        "planes": None if planes is None else planes.tolist(),
    }


def facts(state: State) -> str:
    """The properties of a state, one per line."""
    outcome = state.outcome
    if outcome is None:
        standing = f"to move   {side(state.game, state.to_move)}"
    else:
        winner = "draw" if outcome.winner is None else f"{side(state.game, outcome.winner)} wins"
        rewards = ", ".join(f"{reward:+g}" for reward in outcome.rewards)
        standing = f"outcome   {winner}: {outcome.reason} (rewards {rewards})"
    lines = [
        f"game      {state.game}",
        f"notation  {state.notation or '(empty: the start)'}",
        standing,
        f"key       {state.key:016x}",
    ]
    if outcome is None:
        lines.append(list_moves(state))
    return "\n".join(lines)


def planes_text(planes: npt.NDArray[np.float32]) -> str:
    """Planes as blocks of numbers, zeros as dots."""
    blocks = []
    for index, plane in enumerate(planes):
        cells = [["." if value == 0 else f"{value:.3g}" for value in row] for row in plane]
        width = max(len(cell) for row in cells for cell in row)
        rows = [" ".join(cell.rjust(width) for cell in row) for row in cells]
        blocks.append("\n".join([f"plane {index}", *rows]))
    return "\n\n".join(blocks)
