"""What the commands for trainings in rounds share: dry runs, and a line that says what goes on."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer
from rich.live import Live
from rich.text import Text

from spielbaum.cli.output import console, is_live, rate
from spielbaum.learn.event_log import has_tensorboard
from spielbaum.learn.rounds import Progress, RoundRun
from spielbaum.specs import Option

ROUNDS = Option("rounds", 1, low=1, high=10_000_000)


def train_in_rounds(
    make: Callable[[Path], RoundRun[Any, Any]], folder: Path | None, done: str
) -> None:
    """Run a training in a folder, or without one as a dry run, of which nothing is left."""
    if not has_tensorboard():
        typer.echo("TensorBoard is not installed: curves go to metrics.csv alone", err=True)
    if folder is not None:
        _run(make(folder))
        typer.echo(f"{folder}: {done}")
        return
    folder = Path(tempfile.mkdtemp(prefix="spielbaum-dry-run-"))
    try:
        _run(make(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    typer.echo("the dry run went well; its folder is gone again")


def _run(run: RoundRun[Any, Any]) -> None:
    shown = console()
    lines = 0

    def report(now: Progress) -> None:
        nonlocal lines
        for line in now.lines[lines:]:
            shown.print(line, highlight=False, soft_wrap=True)
        lines = len(now.lines)
        if live is not None:
            live.update(Text(status(now)))

    live = Live(console=shown, transient=True) if is_live(shown) else None
    if live is None:
        run.run(report)
        return
    with live:
        run.run(report)


def status(now: Progress) -> str:
    """What goes on, in one line.

    >>> counts, rates = {"games": 128, "steps": 9000}, {"games": 1.2, "steps": 40.0}
    >>> status(Progress(3, 20, "playing", counts, rates, 3700.0, ()))
    'round 3 of 20, playing: 128 games (1.2 /s), 9,000 steps (40 /s); 1:01:40 left'
    """
    counts = [f"{number:,} {name} ({rate(now.rates[name])})" for name, number in now.counts.items()]
    text = f"round {now.round} of {now.of}, {now.phase}: {', '.join(counts)}"
    if now.seconds_left is not None:
        minutes, seconds = divmod(int(now.seconds_left), 60)
        text += f"; {minutes // 60}:{minutes % 60:02}:{seconds:02} left"
    return text
