"""``spielbaum train imitate``: values and policies from recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spielbaum.cli.rounds import ROUNDS, train_in_rounds
from spielbaum.cli.train import list_configs, train
from spielbaum.errors import SpecError
from spielbaum.games import game as make_game
from spielbaum.learn.imitation.config import CONFIGS, ImitationConfig, load_config
from spielbaum.learn.imitation.run import Run


@train.command()
def imitate(
    game: Annotated[str, typer.Argument(help="The game, such as chess.")],
    config: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="A TOML file, or a configuration of the package; list: name those.",
        ),
    ],
    games: Annotated[
        list[str] | None,
        typer.Option("--games", metavar="FOLDER", help="Recorded games; see spielbaum record."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Where everything goes.")
    ] = None,
    rounds: Annotated[str | None, typer.Option(metavar="N", help="Rounds of lessons.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Everything once, with tiny numbers.")
    ] = False,
) -> None:
    """Train a network by imitation; started again, a run goes on where it was interrupted."""
    if config == "list":
        list_configs(CONFIGS)
        return
    wanted = _config(game, config, games, rounds)
    if dry_run:
        wanted = wanted.dry()
    train_in_rounds(
        lambda folder: Run(wanted, folder),
        None if dry_run else out or Path(f"{Path(config).stem}-imitation"),
        "metrics.csv, losses.svg, and best.onnx for net:FILE",
    )


def _config(game: str, name: str, games: list[str] | None, rounds: str | None) -> ImitationConfig:
    config, rules = load_config(name), make_game(game)
    if rules.name != config.rules().name:
        raise SpecError(f"configuration {name} is for {config.game}, not for {rules.name}")
    changes: dict[str, object] = {"game": str(rules)}
    if games:
        changes["games"] = tuple(games)
    if rounds is not None:
        changes["rounds"] = int(ROUNDS.parse(rounds))
    return config.model_copy(update=changes)
