"""``spielbaum runs``: the trainings in a folder, and how far they are."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from spielbaum.cli.shared.output import AsJson, print_json, print_rows
from spielbaum.train.run_list import RunInfo, find_runs


def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look; also below.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """List trainings: their method, game, progress and strength, and which of them run now."""
    found = list(find_runs(folder))
    if as_json:
        print_json([asdict(run) for run in found])
    elif not found:
        typer.echo(f"{folder}: there are no trainings")
    else:
        print_rows([_row(run) for run in found])


def _row(run: RunInfo) -> dict[str, object]:
    """Return a training as a row of the table for people."""
    row = asdict(run)
    changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.changed))
    row["changed"] = changed if run.changed else ""
    row[""] = "running" if row.pop("running") else ""  # a title would be wider than most rows
    return row
