"""``spielbaum train alphazero``: a network from games against itself."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from spielbaum.cli.output import console, is_live, rate
from spielbaum.cli.train import train
from spielbaum.errors import SpecError
from spielbaum.games import game as make_game
from spielbaum.learn.alphazero.config import CONFIGS, AlphaZeroConfig, load_config
from spielbaum.learn.alphazero.run import Progress, Run
from spielbaum.learn.config_files import config_names, first_line
from spielbaum.learn.event_log import has_tensorboard
from spielbaum.specs import Option

UPDATES = Option("updates", 1, low=1, high=10_000_000)
PROCESSES = Option("processes", 1, low=1, high=1024)


@train.command()
def alphazero(
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
    updates: Annotated[
        str | None, typer.Option(metavar="N", help="How often the network is trained.")
    ] = None,
    processes: Annotated[
        str | None, typer.Option(metavar="N", help="Processes that play; else one per core.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Everything once, with tiny numbers.")
    ] = False,
) -> None:
    """Train a network by AlphaZero; started again, a run goes on where it was interrupted."""
    if config == "list":
        for name in config_names(CONFIGS):
            typer.echo(f"{name:<16} {first_line(CONFIGS, name)}")
        return
    wanted = _config(game, config, updates, processes)
    if dry_run:
        folder = Path(tempfile.mkdtemp(prefix="spielbaum-dry-run-"))
        try:
            _train(wanted.dry(), folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        typer.echo("the dry run went well; its folder is gone again")
        return
    folder = out or Path(f"{Path(config).stem}-alphazero")
    _train(wanted, folder)
    typer.echo(f"{folder}: metrics.csv, losses.svg, and best.onnx for net:FILE")


def _config(game: str, name: str, updates: str | None, processes: str | None) -> AlphaZeroConfig:
    config, rules = load_config(name), make_game(game)
    if rules.name != config.rules().name:
        raise SpecError(f"configuration {name} is for {config.game}, not for {rules.name}")
    changes: dict[str, object] = {"game": str(rules)}
    if updates is not None:
        changes["model_updates"] = int(UPDATES.parse(updates))
    if processes is not None:
        number = int(PROCESSES.parse(processes))
        changes["self_play"] = config.self_play.model_copy(update={"processes": number})
    return config.model_copy(update=changes)


def _train(config: AlphaZeroConfig, folder: Path) -> None:
    run = Run(config, folder)
    if not has_tensorboard():
        typer.echo("TensorBoard is not installed: curves go to metrics.csv alone", err=True)
    shown = _Shown(console(), len(run.state.rows))
    if shown.live is None:
        run.run(shown)
    else:
        with shown.live:
            run.run(shown)


class _Shown:
    """A line that says what goes on, and one that stays for each generation."""

    def __init__(self, shown: Console, rows: int) -> None:
        self._console = shown
        self._rows = rows
        self.live = Live(console=shown, transient=True) if is_live(shown) else None

    def __call__(self, now: Progress) -> None:
        for row in now.rows[self._rows :]:
            self._console.print(row.line(), highlight=False, soft_wrap=True)
        self._rows = len(now.rows)
        if self.live is not None:
            self.live.update(Text(status(now)))


def status(now: Progress) -> str:
    """What goes on, in one line.

    >>> from spielbaum.learn.alphazero.games_file import Totals
    >>> status(Progress(3, 20, "self-play", 7, 15, Totals(), (1.5, 40.0, 2100.0), 3700.0, ()))
    'update 3 of 20, self-play: game 7 of 15; 1.5 /s games, 40 /s positions, 2.1 k/s evaluations; 1:01:40 left'
    """  # noqa: E501
    games, positions, evaluations = now.rates
    text = (
        f"update {now.generation} of {now.of}, {now.phase}: game {now.games:,} of "
        f"{now.games_wanted:,}; {rate(games)} games, {rate(positions)} positions, "
        f"{rate(evaluations)} evaluations"
    )
    if now.seconds_left is not None:
        minutes, seconds = divmod(int(now.seconds_left), 60)
        text += f"; {minutes // 60}:{minutes % 60:02}:{seconds:02} left"
    return text
