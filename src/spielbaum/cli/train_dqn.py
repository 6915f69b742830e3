"""``spielbaum train dqn``: what each move is worth, learnt from games of anybody."""

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
from spielbaum.errors import SpecError, WorkerError
from spielbaum.games import game as make_game
from spielbaum.learn.config_files import config_names, first_line
from spielbaum.learn.dqn.config import CONFIGS, DqnConfig, load_config
from spielbaum.learn.dqn.run import Progress, Run
from spielbaum.learn.event_log import has_tensorboard
from spielbaum.specs import Option

ROUNDS = Option("rounds", 1, low=1, high=10_000_000)


@train.command()
def dqn(
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
        list[str] | None,
        typer.Option(
            "--games", metavar="PATH", help="PGN file, or folder of recorded games, to learn from."
        ),
    ] = None,
    rounds: Annotated[
        str | None, typer.Option(metavar="N", help="Rounds of games and lessons.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Everything once, with tiny numbers.")
    ] = False,
) -> None:
    """Train a network by deep Q-learning; started again, a run goes on where it was interrupted."""
    if config == "list":
        for name in config_names(CONFIGS):
            typer.echo(f"{name:<16} {first_line(CONFIGS, name)}")
        return
    wanted = _config(game, config, games, rounds)
    if not has_tensorboard():
        typer.echo("TensorBoard is not installed: curves go to metrics.csv alone", err=True)
    if dry_run:
        folder = Path(tempfile.mkdtemp(prefix="spielbaum-dry-run-"))
        try:
            _train(wanted.dry(), folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        typer.echo("the dry run went well; its folder is gone again")
        return
    folder = out or Path(f"{Path(config).stem}-dqn")
    _train(wanted, folder)
    typer.echo(f"{folder}: metrics.csv, strength.svg, and best.onnx for net:FILE,play=policy")


def _config(game: str, name: str, games: list[str] | None, rounds: str | None) -> DqnConfig:
    config, rules = load_config(name), make_game(game)
    if rules.name != config.rules().name:
        raise SpecError(f"configuration {name} is for {config.game}, not for {rules.name}")
    changes: dict[str, object] = {"game": str(rules)}
    if games:
        changes["database"] = config.database.model_copy(update={"games": tuple(games)})
    if rounds is not None:
        changes["rounds"] = int(ROUNDS.parse(rounds))
    return config.model_copy(update=changes)


def _train(config: DqnConfig, folder: Path) -> None:
    run = Run(config, folder)
    shown = _Shown(console())
    try:
        if shown.live is None:
            run.run(shown)
        else:
            with shown.live:
                run.run(shown)
    except ImportError as error:
        raise WorkerError(f"training needs {error.name}: pip install spielbaum[train]") from None


class _Shown:
    """A line that says what goes on, and one that stays for each measurement."""

    def __init__(self, shown: Console) -> None:
        self._console = shown
        self._rows: int | None = None
        self.live = Live(console=shown, transient=True) if is_live(shown) else None

    def __call__(self, now: Progress) -> None:
        if self._rows is None:  # what was measured in earlier sittings was shown then
            self._rows = len(now.rows)
        for row in now.rows[self._rows :]:
            if row.score is not None:
                self._console.print(row.line(), highlight=False, soft_wrap=True)
        self._rows = len(now.rows)
        if self.live is not None:
            self.live.update(Text(status(now)))


def status(now: Progress) -> str:
    """What goes on, in one line.

    >>> from spielbaum.learn.alphazero.games_file import Totals
    >>> status(Progress(3, 20, "playing", Totals(games=128), (12.0, 40.0), 3700.0, ()))
    'round 3 of 20, playing: 128 games; 12 /s games, 40 /s steps; 1:01:40 left'
    """
    games, steps = now.rates
    text = (
        f"round {now.round} of {now.of}, {now.phase}: {now.totals.games:,} games; "
        f"{rate(games)} games, {rate(steps)} steps"
    )
    if now.seconds_left is not None:
        minutes, seconds = divmod(int(now.seconds_left), 60)
        text += f"; {minutes // 60}:{minutes % 60:02}:{seconds:02} left"
    return text
