"""``spielbaum train ntuple``: tables of cell patterns, learnt by temporal differences."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from spielbaum.base.errors import ModelError
from spielbaum.base.options import Option
from spielbaum.cli.shared.output import progress_bar
from spielbaum.cli.shared.training import (
    ConfigName,
    GameName,
    OutFolder,
    game_for,
    list_configs,
    tell_without_tensorboard,
)
from spielbaum.train.methods.ntuple import training as ntuple_training
from spielbaum.train.methods.ntuple.config import CONFIGS, TrainingConfig, load_config, parse_games
from spielbaum.train.runs import write_combined, write_summary
from spielbaum_command import INTERRUPTED

RUNS = Option("runs", 1, low=1, high=1000)
FIRST = Option("first_run", 1, low=1, high=1_000_000)
THREADS = Option("threads", 1, low=1, high=2)


def ntuple(
    game: GameName,
    config: ConfigName,
    out: OutFolder = None,
    games: Annotated[
        str | None, typer.Option(metavar="N", help="Games of each run, such as 3e6.")
    ] = None,
    runs: Annotated[str, typer.Option(metavar="N", help="Repetitions with other seeds.")] = "1",
    first_run: Annotated[
        str, typer.Option(metavar="N", help="Number of the first; for several processes.")
    ] = "1",
    threads: Annotated[
        str | None, typer.Option(metavar="N", help="Threads, 1 or 2; the weights are the same.")
    ] = None,
) -> None:
    """Train an n-tuple network; started again, a training goes on where it was interrupted."""
    if config == "list":
        list_configs(CONFIGS)
        return
    wanted = _config(game, config, games, threads)
    first, count = int(FIRST.parse(first_run)), int(RUNS.parse(runs))
    folder = out or Path(f"{Path(config).stem}-training")
    tell_without_tensorboard("log.csv")
    for number in range(first, first + count):
        if not _run(wanted, number, folder / f"run{number}"):
            with suppress(ModelError):  # nothing has been measured yet
                write_summary(folder)
            raise typer.Exit(INTERRUPTED)
    points = write_summary(folder)
    for opponent in wanted.opponents:
        last = [point for point in points if point.opponent == opponent][-1]
        spread = f" +- {100 * last.deviation:.1f}" if last.runs > 1 else ""
        typer.echo(
            f"{last.games:,} games, {last.runs} run{'s' * (last.runs > 1)}: "
            f"{100 * last.mean:.1f}{spread} % against {opponent}"
        )
    combined = write_combined(folder)
    best = f"run{first}/best.npz" if combined is None else f"{combined.name}, the mean of all runs,"
    typer.echo(f"{folder}: summary.csv, curve.svg, and {best} for ntuple:FILE")


def _config(game: str, name: str, games: str | None, threads: str | None) -> TrainingConfig:
    config = load_config(name)
    rules = game_for(name, config.game, game)
    if rules != config.game:
        config = config.with_game(rules)
    if games is not None:
        config = config.with_games(parse_games(games))
    if threads is not None:
        config = config.with_threads(int(THREADS.parse(threads)))
    return config


def _run(config: TrainingConfig, number: int, folder: Path) -> bool:
    """Train; whether it came to its end, and was not interrupted before."""
    training = ntuple_training.Training(config, number, folder)
    with progress_bar(f"run {number}") as progress, _interrupted_by_ctrl_c(training):
        task = progress.add_task("training", total=config.games, completed=training.games)
        shown = _Shown(progress, task, len(training.rows))
        training.run(shown)
    measuring = training.measuring_seconds
    total = measuring + training.training_seconds
    if total > 0:
        typer.echo(
            f"run {number}: {training.training_seconds:.0f} s of training, {measuring:.0f} s of "
            f"measuring ({100 * measuring / total:.0f} %)"
        )
    if training.games < config.games:
        typer.echo(f"stopped after {training.games:,} games; the same command goes on", err=True)
    return training.games >= config.games


@contextmanager
def _interrupted_by_ctrl_c(training: ntuple_training.Training) -> Iterator[None]:
    """The first Ctrl-C lets a training keep what it has done; a second one does not wait for it."""
    asked = False

    def interrupt(*_: object) -> None:
        nonlocal asked
        # A measurement is done again anyway, so there is nothing to be kept of it.
        if asked or training.measuring:
            raise KeyboardInterrupt
        asked = True
        training.stop()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Shown:
    """Moves the bar, and prints a line for each new measurement."""

    def __init__(self, progress: Progress, task: TaskID, rows: int) -> None:
        self._progress = progress
        self._task = task
        self._rows = rows

    def __call__(self, now: ntuple_training.Progress) -> None:
        self._progress.update(self._task, completed=now.games)
        for row in now.rows[self._rows :]:
            self._progress.console.print(
                f"{row.games:>12,} games  {100 * row.share:5.1f} % against {row.opponent}  "
                f"({row.wins} won, {row.draws} drawn, {row.losses} lost; "
                f"epsilon {row.epsilon:.3f}, alpha {row.alpha:.4f}; "
                f"{1e6 / now.rate if now.rate else 0:.0f} us a game)",
                highlight=False,
            )
        self._rows = len(now.rows)
