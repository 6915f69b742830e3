"""``spielbaum report``: what a file of games holds, as a table, data or pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.arena.export import export, export_formats
from spielbaum.arena.plots import save_figures
from spielbaum.arena.ranking import to_markdown
from spielbaum.arena.standings import Standings
from spielbaum.base.figures.canvas import IMAGE
from spielbaum.base.options import Option
from spielbaum.base.statistics import Scoring
from spielbaum.cli.shared.contest import SCORING, ScoringRule, standings_data
from spielbaum.cli.shared.output import AsJson, json_text
from spielbaum.cli.shared.stores import RunName, StoreArgument, last_run, open_store


def report(
    file: StoreArgument,
    name: RunName = None,
    written: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="markdown, csv, json, or games as pgn, sgf, ggf, wthor, transcript, pons.",
        ),
    ] = "markdown",
    scoring: ScoringRule = "half",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where it goes.")
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Draw ratings, a heat map and curves there."),
    ] = None,
    image: Annotated[
        str, typer.Option("--image", metavar="FORMAT", help="Of the drawings: png or svg.")
    ] = "png",
    as_json: AsJson = False,
) -> None:
    """Print the results or the games of a stored run, and draw them."""
    choices = Option("format", "markdown", choices=("markdown", *export_formats()))
    form, drawn = str(choices.parse(written)), str(IMAGE.parse(image))
    rule: Scoring = "nothing" if SCORING.parse(scoring) == "nothing" else "half"
    with open_store(file) as store:
        run, plan = store.plan(name or last_run(store, file))
        standings = Standings(plan)
        if as_json or form == "markdown" or plots is not None:
            standings.add_all(store.records(run))
        if as_json:
            found = standings_data(standings, rule) if standings.games else {"games": 0}
            data = json_text(found).encode()
        elif form == "markdown":
            text = to_markdown(standings, rule) if standings.games else "no games yet\n"
            data = text.encode()
        else:
            data = b"".join(export(store.records(run), form))
    if out is None:
        typer.echo(data, nl=False)
    else:
        out.write_bytes(data)
    if plots is not None and standings.games:
        for path in save_figures(standings, plots, drawn, rule):
            typer.echo(str(path), err=True)
