"""``spielbaum train value``: a network that learns from games between agents."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress as Bar
from rich.progress import TaskID

from spielbaum.cli.output import progress_bar
from spielbaum.cli.train import list_configs, train
from spielbaum.errors import SpecError
from spielbaum.games import game as make_game
from spielbaum.learn.event_log import has_tensorboard
from spielbaum.learn.values.config import CONFIGS, ValueConfig, load_config
from spielbaum.learn.values.run import Progress, ValueRun
from spielbaum.specs import Option

TRIALS = Option("search", 0, low=0, high=100_000)
EPOCHS = Option("epochs", 1, low=1, high=1_000_000)
PROCESSES = Option("processes", 1, low=1, high=1024)


@train.command()
def value(
    game: Annotated[str, typer.Argument(help="The game, such as connect4.")],
    config: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="A TOML file, or a configuration of the package; list: name those.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Where everything goes.")
    ] = None,
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
    processes: Annotated[
        str | None, typer.Option(metavar="N", help="Processes that play; else one per core.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Everything once, with tiny numbers.")
    ] = False,
) -> None:
    """Train a value network; started again, a training goes on where it was interrupted."""
    if config == "list":
        list_configs(CONFIGS)
        return
    wanted = _config(game, config, search, epochs, processes)
    if not has_tensorboard():
        typer.echo("TensorBoard is not installed: curves go to metrics.csv alone", err=True)
    if dry_run:
        folder = Path(tempfile.mkdtemp(prefix="spielbaum-dry-run-"))
        try:
            _train(wanted.dry(), folder, None)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        typer.echo("the dry run went well; its folder is gone again")
        return
    folder = out or Path(f"{Path(config).stem}-value")
    _train(wanted, folder, games)
    typer.echo(f"{folder}: metrics.csv, mse.svg, mae.svg, and best.onnx for mcts:eval=net:FILE")


def _config(
    game: str, name: str, search: str | None, epochs: str | None, processes: str | None
) -> ValueConfig:
    config, rules = load_config(name), make_game(game)
    if rules.name != config.rules().name:
        raise SpecError(f"configuration {name} is for {config.game}, not for {rules.name}")
    changes: dict[str, object] = {"game": str(rules)}
    if search is not None:
        changes["search.trials"] = int(TRIALS.parse(search))
    if epochs is not None:
        changes["training.epochs"] = int(EPOCHS.parse(epochs))
    if processes is not None:
        changes["games.processes"] = int(PROCESSES.parse(processes))
    return config.with_values(changes)


def _train(config: ValueConfig, folder: Path, games: Path | None) -> None:
    run = ValueRun(config, folder, games)
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
