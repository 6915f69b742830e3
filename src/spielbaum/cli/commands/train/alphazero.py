"""``spielbaum train alphazero``: a network from games against itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.base.discover import load
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.cli.shared.contest import Where, place_of
from spielbaum.cli.shared.output import rate
from spielbaum.cli.shared.training import (
    PROCESSES,
    ConfigName,
    DryRun,
    GameName,
    LiveLine,
    OutFolder,
    Processes,
    game_for,
    list_configs,
    tell_without_tensorboard,
    time_left,
    train_in,
)
from spielbaum.train.data.recording import check_games
from spielbaum.train.methods.alphazero.config import CONFIGS, AlphaZeroConfig, load_config
from spielbaum.train.methods.alphazero.run import Progress, Run
from spielbaum.train.run_folder import CHECKPOINT, needs_extra

UPDATES = Option("updates", 1, low=1, high=10_000_000)


def alphazero(
    game: GameName,
    config: ConfigName,
    out: OutFolder = None,
    updates: Annotated[
        str | None, typer.Option(metavar="N", help="How often the network is trained.")
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="The folder of a training of the same network, such as one by imitation, or the "
            "file of a network, to begin with.",
        ),
    ] = None,
    games: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Recorded games that are learnt as well, until newer ones come."
        ),
    ] = None,
    processes: Processes = None,
    on: Where = "local",
    dry_run: DryRun = False,
) -> None:
    """Train a network by AlphaZero; started again, a run goes on where it was interrupted."""
    if config == "list":
        list_configs(CONFIGS)
        return
    wanted = _config(game, config, updates, processes)
    folder = None if dry_run else out or Path(f"{Path(config).stem}-alphazero")
    if games is not None:
        check_games(games, wanted.rules())
    start = None if weights is None else _checked(weights, wanted, folder)
    if dry_run:
        wanted = wanted.dry()
        start = games = None  # its network is smaller, and so is its memory
    place = place_of(on, wanted.self_play.processes or None)
    train_in(
        folder,
        lambda folder: _train(Run(wanted, folder, place, start, games)),
        "metrics.csv, losses.svg, and best.onnx for net:FILE",
    )


def _checked(weights: Path, config: AlphaZeroConfig, folder: Path | None) -> Path | None:
    """The file to begin with; None, and a word about it, if the training has begun already."""
    if folder is not None and (folder / CHECKPOINT).exists():
        typer.echo(f"{folder} goes on with its own weights; --weights is for the beginning")
        return None
    path = weights / CHECKPOINT if weights.is_dir() else weights
    if weights.is_dir() and not path.exists():
        raise SpecError(f"--weights {weights}: expected the folder of a training, or a file")
    try:
        check_weights = load("spielbaum.train.methods.alphazero", "learner").check_weights
    except ImportError as error:
        raise needs_extra(error) from None
    check_weights(config, path)
    return path


def _config(game: str, name: str, updates: str | None, processes: str | None) -> AlphaZeroConfig:
    config = load_config(name)
    changes: dict[str, object] = {"game": str(game_for(name, config.rules(), game))}
    if updates is not None:
        changes["model_updates"] = int(UPDATES.parse(updates))
    if processes is not None:
        number = int(PROCESSES.parse(processes))
        changes["self_play"] = config.self_play.model_copy(update={"processes": number})
    return config.model_copy(update=changes)


def _train(run: Run) -> None:
    tell_without_tensorboard()
    line = LiveLine(len(run.state.rows))

    def report(now: Progress) -> None:
        line.show((row.line() for row in now.rows[line.shown :]), status(now))

    with line.running():
        run.run(report)


def status(now: Progress) -> str:
    """What goes on, in one line.

    >>> from spielbaum.train.data.games_file import Totals
    >>> status(Progress(3, 20, "self-play", 7, 15, Totals(), (1.5, 40.0, 2100.0), 3700.0, ()))
    'update 3 of 20, self-play: game 7 of 15; 1.5 /s games, 40 /s positions, 2.1 k/s evaluations; 1:01:40 left'
    """  # noqa: E501
    games, positions, evaluations = now.rates
    count = "" if now.phase == "judging" else f": game {now.games:,} of {now.games_wanted:,}"
    text = (
        f"update {now.generation} of {now.of}, {now.phase}{count}; {rate(games)} games, "
        f"{rate(positions)} positions, {rate(evaluations)} evaluations"
    )
    return text + time_left(now.seconds_left)
