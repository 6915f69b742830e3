"""``spielbaum runs``: the trainings in a folder, and how far they are."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from spielbaum.cli.shared.output import console
from spielbaum.train.run_list import find_runs


def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look; also below.")] = Path(),
) -> None:
    """List trainings: their method, game, progress and strength, and which of them run now."""
    table = Table(box=None, pad_edge=False)
    for column in ("folder", "method", "game", "progress", "strength", "changed", ""):
        table.add_column(column)
    for run in find_runs(folder):
        changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.changed))
        table.add_row(
            str(run.folder),
            run.method,
            run.game,
            run.progress,
            run.strength,
            changed if run.changed else "",
            "running" if run.running else "",
        )
    if table.row_count == 0:
        typer.echo(f"{folder}: there are no trainings")
        return
    console().print(table)
