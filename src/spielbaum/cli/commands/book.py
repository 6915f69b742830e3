"""``spielbaum book``: compute an opening book, in as many sittings as it takes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from spielbaum.base.memory import memory_option
from spielbaum.base.options import Option
from spielbaum.cli.shared.output import progress_bar
from spielbaum.games import game as make_game
from spielbaum.solvers.book import build_book

PLIES = Option("plies", 8, low=0, high=12)
SCORES = Option("scores", 0, low=0, high=12)
JOBS = Option("jobs", 1, low=1, high=1024)
MEMORY = memory_option(256)


def book(
    game: Annotated[str, typer.Argument(help="connect4, with any size.")],
    plies: Annotated[str, typer.Option(metavar="N", help="Stones up to which positions go.")] = "8",
    scores: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Stones up to which positions get exact scores and lines of best play, too.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where the book goes.")] = None,
    jobs: Annotated[
        str | None, typer.Option(metavar="N", help="Processes; without it, all cores.")
    ] = None,
    memory: Annotated[str, typer.Option(metavar="MB", help="Table of each process.")] = "256",
) -> None:
    """Compute win, draw or loss of every early position; started again, it goes on.

    A book of the same game in the place of the new one is taken as far as it goes.
    """
    rules = make_game(game)
    depth = int(PLIES.parse(plies))
    # The name can be an option of an agent, in which '=' and ',' have a meaning.
    path = out or Path(f"{re.sub('[:,]', '-', str(rules)).replace('=', '')}-{depth}.book")
    processes = None if jobs is None else int(JOBS.parse(jobs))
    table = int(MEMORY.parse(memory))
    with progress_bar("solved") as progress:
        task = progress.add_task("solved", total=None)
        made = build_book(
            rules,
            depth,
            path,
            scores=None if scores is None else int(SCORES.parse(scores)),
            jobs=processes,
            memory=table,
            report=lambda solved, total: progress.update(task, completed=solved, total=total),
        )
    typer.echo(f"{path}: {len(made):,} positions, {path.stat().st_size:,} bytes")
