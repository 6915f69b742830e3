"""What the commands share that read a file of games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.arena.store import Store
from spielbaum.base.errors import StoreError

StoreArgument = Annotated[Path, typer.Argument(help="A file of games, made with --store.")]
RunName = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="Of the run; without it, the last.")
]


def open_store(file: Path) -> Store:
    """A store that must exist."""
    if not file.exists():
        raise StoreError(f"store {file}: there is no such file")
    return Store(file)


def last_run(store: Store, file: Path) -> str:
    """The name of the newest run."""
    runs = store.runs()
    if not runs:
        raise StoreError(f"store {file}: it has no runs")
    return runs[-1]
