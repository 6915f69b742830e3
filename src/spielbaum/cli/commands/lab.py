"""``spielbaum lab``: the experiments of the source documents, published and measured figures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.progress import Progress, TaskID

from spielbaum.arena.executor import Workers
from spielbaum.base.figures import save_figure
from spielbaum.base.options import Option
from spielbaum.cli.shared.contest import GAMES, JOBS, Jobs
from spielbaum.cli.shared.output import AsJson, is_live, print_json, print_rows, progress_bar
from spielbaum.lab import Experiment, Lab, Matches, Measured, experiment, experiments
from spielbaum.lab.experiment import ScaleName
from spielbaum.lab.report import summary_table, to_data, to_markdown

SCALE = Option("scale", "small", choices=get_args(ScaleName))

lab = typer.Typer(
    help="The experiments of the source documents: list them, run them, compare figures.",
    no_args_is_help=True,
)

Scale = Annotated[
    str, typer.Option("--scale", metavar="SCALE", help="small, or paper: as the document did.")
]
Games = Annotated[
    str | None, typer.Option("--games", metavar="N", help="Games of each cell instead.")
]
StoreFile = Annotated[
    Path, typer.Option("--store", metavar="FILE", help="Where the games are kept.")
]
Folder = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Write the report there.")
]


@lab.command("list")
def list_experiments(as_json: AsJson = False) -> None:
    """Every experiment: its id, its document, its question and its size."""
    rows = [
        {
            "id": each.id,
            "source": each.source,
            "question": each.question,
            "cells": len(each.cells),
            "games": each.games if isinstance(each, Matches) else None,
        }
        for each in experiments()
    ]
    print_rows(rows, as_json)


@lab.command("run")
def run_experiments(
    ids: Annotated[list[str], typer.Argument(help="Ids, such as S0.table7; all: everything.")],
    scale: Scale = "small",
    games: Games = None,
    jobs: Jobs = None,
    store: StoreFile = Path("lab.db"),
    out: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Run experiments; started again, they go on. Prints published and measured figures."""
    made, results = _lab(scale, games, jobs, store), []
    for each in _chosen(ids):
        with progress_bar(each.id, hidden=as_json) as progress:
            task = progress.add_task(each.id, total=None)
            made.tell = partial(_update, progress, task)
            results.append((each, made.run(each)))
        if not as_json:
            _show(made, *results[-1], out)
    if as_json:
        print_json([to_data(*each) for each in results])


@lab.command("report")
def report_experiments(
    ids: Annotated[list[str], typer.Argument(help="Ids, such as S0.table7; all: everything.")],
    scale: Scale = "small",
    games: Games = None,
    store: StoreFile = Path("lab.db"),
    out: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Compare what has been played so far with what was published, and draw it."""
    made = replace(_lab(scale, games, "1", store), as_played=True)
    results = [(each, each.results(made)) for each in _chosen(ids)]
    if as_json:
        print_json([to_data(*each) for each in results])
        return
    for each, measured in results:
        _show(made, each, measured, out)
    if len(results) > 1:
        _write(summary_table(results), out, "summary.md")


def _update(progress: Progress, task: TaskID, what: str, done: int, total: int) -> None:
    progress.update(task, description=what, completed=done, total=total)
    if done == total and not is_live(progress.console):
        typer.echo(f"{what}: {total:,}", err=True)  # a log has no bar


def _lab(scale: str, games: str | None, jobs: str | None, store: Path) -> Lab:
    name: ScaleName = "paper" if SCALE.parse(scale) == "paper" else "small"
    count = None if games is None else int(GAMES.parse(games))
    workers = (os.cpu_count() or 1) if jobs is None else int(JOBS.parse(jobs))
    return Lab(store, Workers(workers), name, count, workers)


def _chosen(ids: list[str]) -> list[Experiment[Any]]:
    return list(experiments()) if ids == ["all"] else [experiment(each) for each in ids]


def _show(
    made: Lab, each: Experiment[Any], results: Sequence[Measured[Any]], out: Path | None
) -> None:
    drawn = None if out is None else each.draw(results)
    image = ""
    if drawn is not None and out is not None:
        image = save_figure(drawn, out / f"{each.id}.svg").name
    facts = each.facts(made)
    run = f"Run on {facts}" if facts else "Not run to its end yet"
    _write(to_markdown(each, results, f"{run}{each.size(made)}.", image), out, f"{each.id}.md")


def _write(text: str, out: Path | None, name: str) -> None:
    if out is None:
        typer.echo(text)
        return
    out.mkdir(parents=True, exist_ok=True)
    (out / name).write_text(text, encoding="utf-8")
    typer.echo(str(out / name))
