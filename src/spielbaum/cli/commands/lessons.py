"""``spielbaum lessons``: whether the games of a training have something to teach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.cli.shared.output import AsJson, console, print_json, progress_bar
from spielbaum.train.methods.alphazero.lesson_check import Verdict, check_lessons

POSITIONS = Option("positions", 400, low=1, high=1_000_000)
SIMULATIONS = Option("simulations", 200, low=1, high=1_000_000)
JUDGE = Option("judge", 0, low=0, high=10_000_000)


def lessons(
    folder: Annotated[Path, typer.Argument(help="The folder of a training by AlphaZero.")],
    positions: Annotated[str, typer.Option(metavar="N", help="Positions to look at.")] = "400",
    simulations: Annotated[
        str,
        typer.Option(metavar="N,N", help="What searches of other lengths would teach."),
    ] = "200,600",
    judge: Annotated[
        str,
        typer.Option(
            metavar="N", help="Judge by a search with N simulations; 0: by the game's solver."
        ),
    ] = "0",
    *,
    as_json: AsJson = False,
) -> None:
    """Judge what a training teaches its network: by the solver, ply by ply."""
    count = int(POSITIONS.parse(positions))
    lengths = [int(SIMULATIONS.parse(each)) for each in simulations.split(",") if each]
    if not (folder / "config.toml").exists():
        raise SpecError(f"{folder}: expected the folder of a training by AlphaZero")
    with progress_bar("positions", hidden=as_json) as progress:
        task = progress.add_task("positions", total=count)
        verdicts = check_lessons(
            folder,
            count,
            lengths,
            int(JUDGE.parse(judge)),
            report=lambda done: progress.update(task, completed=done),
        )
    if as_json:
        print_json([asdict(each) for each in verdicts])
        return
    for title, name in (
        ("Policy on moves that keep the value", "mass"),
        ("Likeliest move keeps the value", "best"),
        ("Squared error of values", "error"),
    ):
        typer.echo(f"{title}:")
        console().print(verdict_table(verdicts, name))
        typer.echo("")


def verdict_table(verdicts: Sequence[Verdict], name: str) -> Table:
    """One kind of figures, by plies."""
    teachers = list(getattr(verdicts[-1], name))
    table = Table(box=None, pad_edge=False)
    for column in ("plies", "positions", *teachers):
        table.add_column(column, justify="right")
    for verdict in verdicts:
        figures = getattr(verdict, name)
        plies = "all" if verdict is verdicts[-1] else f"{verdict.first}-{verdict.last}"
        shown = [f"{figures[each]:.3f}" for each in teachers]
        table.add_row(plies, f"{verdict.positions:,}", *shown)
    return table
