"""``spielbaum reversixt replay``: check a log of games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.protocols.reversixt.logs import LogError, replay_file


def replay(
    log: Annotated[
        Path,
        typer.Argument(metavar="LOG", help="A file with a line map|name|moves|stones per game."),
    ],
) -> None:
    """Check every move, rejection and final count of a log; exit code 1 at the first difference."""
    games = 0
    try:
        for line, state in replay_file(log):
            games += 1
            assert state.outcome is not None
            moves = sum(entry[1] == ":" for entry in line.entries)
            end = f"stones {line.stones}, {state.outcome.reason}"
            typer.echo(f"{line.map} {line.name}: {moves} moves, {end}")
    except LogError as error:
        typer.echo(f"spielbaum: log {log}: {error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"{games} games replayed")
