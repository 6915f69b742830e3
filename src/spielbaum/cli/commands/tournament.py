"""``spielbaum tournament``: many agents against each other, with ratings and a crosstable."""

from __future__ import annotations

from typing import Annotated

import typer

from spielbaum.arena.plan import expand_grid
from spielbaum.cli.shared.contest import (
    Adjudicate,
    Games,
    Iterations,
    Jobs,
    Limit,
    Name,
    OpeningRule,
    Reference,
    Relative,
    ScoringRule,
    Seconds,
    Seed,
    Settings,
    StoreFile,
    Where,
    run_contest,
)


def tournament(
    game: Annotated[str, typer.Argument(help="A game, such as connect4.")],
    agents: Annotated[
        list[str], typer.Argument(help="Agents; braces are lists: rave:c={0.2,0.3}.")
    ],
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="The first meets all others, and nobody else.")
    ] = False,
    games: Games = "100",
    iterations: Iterations = None,
    seconds: Seconds = None,
    limits: Limit = None,
    relative: Relative = None,
    reference: Reference = "uct",
    openings: OpeningRule = "random",
    seed: Seed = "0",
    adjudicate: Adjudicate = False,
    jobs: Jobs = None,
    store: StoreFile = None,
    name: Name = None,
    scoring: ScoringRule = "half",
    where: Where = "local",
) -> None:
    """Everybody against everybody, or one against all: ratings and a crosstable."""
    settings = Settings(
        games, limits, iterations, seconds, relative, reference, openings, seed, adjudicate
    )
    specs = [spec for grid in agents for spec in expand_grid(grid)]
    plan = settings.plan(game, specs, "gauntlet" if gauntlet else "round robin")
    run_contest(plan, jobs=jobs, store=store, name=name, scoring=scoring, where=where)
