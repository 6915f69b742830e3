"""``spielbaum train imitate``: values and policies from recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from spielbaum.base.options import Option
from spielbaum.cli.shared.rounds import ROUNDS, train_in_rounds
from spielbaum.cli.shared.training import (
    ConfigName,
    DryRun,
    GameName,
    OutFolder,
    game_for,
    list_configs,
    train_in,
)
from spielbaum.train.data.lessons import Learn
from spielbaum.train.methods.imitation.config import CONFIGS, ImitationConfig, load_config
from spielbaum.train.methods.imitation.run import Run

LEARN = Option("learn", "both", choices=get_args(Learn))


def imitate(
    game: GameName,
    config: ConfigName,
    games: Annotated[
        list[str] | None,
        typer.Option("--games", metavar="FOLDER", help="Recorded games; see spielbaum record."),
    ] = None,
    learn: Annotated[
        str | None,
        typer.Option(
            metavar="WHO",
            help="In games of two agents: learn the moves of both, or of the first or second.",
        ),
    ] = None,
    out: OutFolder = None,
    rounds: Annotated[str | None, typer.Option(metavar="N", help="Rounds of lessons.")] = None,
    dry_run: DryRun = False,
) -> None:
    """Train a network by imitation; started again, a run goes on where it was interrupted."""
    if config == "list":
        list_configs(CONFIGS)
        return
    wanted = _config(game, config, games, learn, rounds)
    if dry_run:
        wanted = wanted.dry()
    train_in(
        None if dry_run else out or Path(f"{Path(config).stem}-imitation"),
        lambda folder: train_in_rounds(Run(wanted, folder)),
        "metrics.csv, losses.svg, and best.onnx for net:FILE",
    )


def _config(
    game: str, name: str, games: list[str] | None, learn: str | None, rounds: str | None
) -> ImitationConfig:
    config = load_config(name)
    changes: dict[str, object] = {"game": str(game_for(name, config.rules(), game))}
    if games:
        changes["games"] = tuple(games)
    if learn is not None:
        who = LEARN.parse(learn)
        changes["training"] = config.training.model_copy(update={"learn": who})
    if rounds is not None:
        changes["rounds"] = int(ROUNDS.parse(rounds))
    return config.model_copy(update=changes)
