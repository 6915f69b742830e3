"""``spielbaum kaggle``: agents for Kaggle's competition ConnectX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.protocols.kaggle.export import ITERATIONS, submission

kaggle = typer.Typer()


@kaggle.callback()
def common() -> None:
    """Agents for Kaggle's competition ConnectX."""


@kaggle.command()
def export(
    spec: Annotated[
        str, typer.Argument(help="mcts or one of its presets, net:FILE or ntuple:FILE.")
    ] = "mcts",
    iterations: Annotated[
        str, typer.Option(metavar="N", help="Most iterations per move; 0: all that time allows.")
    ] = "0",
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Where the file goes.")
    ] = Path("submission.py"),
) -> None:
    """Write an agent as one file of Python that plays without Spielbaum.

    A trained network or n-tuple network brings its weights along and needs numpy.
    """
    source = submission(spec, int(ITERATIONS.parse(iterations)))
    out.write_text(source, encoding="utf-8")
    typer.echo(f"{out}: {spec}, {len(source.encode()):,} bytes")
