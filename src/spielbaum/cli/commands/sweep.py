"""``spielbaum sweep``: every combination of options against one opponent."""

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


def sweep(
    game: Annotated[str, typer.Argument(help="A game, such as connect4.")],
    grid: Annotated[str, typer.Argument(help="A grid of agents: rave:c={0.2,0.3},rave_k={10,50}.")],
    against: Annotated[str, typer.Option(metavar="AGENT", help="Whom all of them meet.")] = "uct",
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
    """Try every combination of options against one opponent."""
    settings = Settings(
        games, limits, iterations, seconds, relative, reference, openings, seed, adjudicate
    )
    plan = settings.plan(game, [against, *expand_grid(grid)], "gauntlet")
    run_contest(plan, jobs=jobs, store=store, name=name, scoring=scoring, where=where)
