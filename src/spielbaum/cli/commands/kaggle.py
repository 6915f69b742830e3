"""``spielbaum kaggle``: agents for Kaggle's competition ConnectX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.protocols.kaggle.export import submission

kaggle = typer.Typer()


@kaggle.callback()
def common() -> None:
    """Agents for Kaggle's competition ConnectX."""


@kaggle.command()
def export(
    spec: Annotated[str, typer.Argument(help="mcts or one of its presets, with options.")] = "mcts",
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Where the file goes.")
    ] = Path("submission.py"),
) -> None:
    """Write a search as one file of plain Python that plays without Spielbaum."""
    source = submission(spec)
    out.write_text(source, encoding="utf-8")
    typer.echo(f"{out}: {spec}, {len(source.encode()):,} bytes")
