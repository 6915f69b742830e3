"""``spielbaum train value``: a network that learns from games between agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress as Bar
from rich.progress import TaskID

from spielbaum.base.options import Option
from spielbaum.cli.shared.output import progress_bar
from spielbaum.cli.shared.training import (
    PROCESSES,
    ConfigName,
    DryRun,
    GameName,
    OutFolder,
    Processes,
    game_for,
    list_configs,
    tell_without_tensorboard,
    train_in,
)
from spielbaum.train.methods.value.config import CONFIGS, ValueConfig, load_config
from spielbaum.train.methods.value.run import Progress, ValueRun

TRIALS = Option("search", 0, low=0, high=100_000)
EPOCHS = Option("epochs", 1, low=1, high=1_000_000)


def value(
    game: GameName,
    config: ConfigName,
    out: OutFolder = None,
    games: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where games are kept, if trainings share them."),
    ] = None,
    search: Annotated[
        str | None, typer.Option(metavar="N", help="Try so many networks, and train the best.")
    ] = None,
    epochs: Annotated[
        str | None, typer.Option(metavar="N", help="How often every position is learnt.")
    ] = None,
    processes: Processes = None,
    dry_run: DryRun = False,
) -> None:
    """Train a value network; started again, a training goes on where it was interrupted."""
    if config == "list":
        list_configs(CONFIGS)
        return
    wanted = _config(game, config, search, epochs, processes)
    if dry_run:
        wanted, games = wanted.dry(), None
    train_in(
        None if dry_run else out or Path(f"{Path(config).stem}-value"),
        lambda folder: _train(wanted, folder, games),
        "metrics.csv, mse.svg, mae.svg, and best.onnx for mcts:eval=net:FILE",
    )


def _config(
    game: str, name: str, search: str | None, epochs: str | None, processes: str | None
) -> ValueConfig:
    config = load_config(name)
    changes: dict[str, object] = {"game": str(game_for(name, config.rules(), game))}
    if search is not None:
        changes["search.trials"] = int(TRIALS.parse(search))
    if epochs is not None:
        changes["training.epochs"] = int(EPOCHS.parse(epochs))
    if processes is not None:
        changes["games.processes"] = int(PROCESSES.parse(processes))
    return config.with_values(changes)


def _train(config: ValueConfig, folder: Path, games: Path | None) -> None:
    run = ValueRun(config, folder, games)
    tell_without_tensorboard()
    with progress_bar("{task.description}") as bar:
        run.run(_Shown(bar))


class _Shown:
    """A bar for each phase, and the lines that are worth being kept in sight."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, now: Progress) -> None:
        if now.phase not in self._tasks:
            self._tasks[now.phase] = self._bar.add_task(now.phase, total=now.of)
        self._bar.update(self._tasks[now.phase], completed=now.done, total=now.of)
        if now.line:
            self._bar.console.print(now.line, highlight=False, soft_wrap=True)
