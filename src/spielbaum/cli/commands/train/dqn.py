"""``spielbaum train dqn``: what each move is worth, learnt from games of anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
from spielbaum.train.methods.dqn.config import CONFIGS, DqnConfig, load_config
from spielbaum.train.methods.dqn.database import teacher_recording
from spielbaum.train.methods.dqn.run import Run


def dqn(
    game: GameName,
    config: ConfigName,
    out: OutFolder = None,
    games: Annotated[
        list[str] | None,
        typer.Option(
            "--games",
            metavar="PATH",
            help="File of games (PGN, WTHOR, ...), or folder of recorded games, to learn from.",
        ),
    ] = None,
    rounds: Annotated[
        str | None, typer.Option(metavar="N", help="Rounds of games and lessons.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Train a network by deep Q-learning; started again, a run goes on where it was interrupted."""
    if config == "list":
        list_configs(CONFIGS)
        return
    wanted = _config(game, config, games, rounds)
    if wanted.needs_teacher:
        teacher_recording(wanted)  # says what is wrong before there is a folder
        typer.echo(
            f"no games are named (--games FILE.pgn): games of {wanted.database.teacher} stand in "
            "for those of masters",
            err=True,
        )
    if dry_run:
        wanted = wanted.dry()
    train_in(
        None if dry_run else out or Path(f"{Path(config).stem}-dqn"),
        lambda folder: train_in_rounds(Run(wanted, folder)),
        "metrics.csv, strength.svg, and best.onnx for net:FILE",
    )


def _config(game: str, name: str, games: list[str] | None, rounds: str | None) -> DqnConfig:
    config = load_config(name)
    changes: dict[str, object] = {"game": str(game_for(name, config.rules(), game))}
    if games:
        changes["database"] = config.database.model_copy(update={"games": tuple(games)})
    if rounds is not None:
        changes["rounds"] = int(ROUNDS.parse(rounds))
    return config.model_copy(update=changes)
