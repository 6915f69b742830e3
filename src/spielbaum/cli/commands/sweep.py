"""``spielbaum sweep``: every combination of options against one opponent."""

from __future__ import annotations

from typing import Annotated

import typer

from spielbaum.arena.plan import expand_grid
from spielbaum.cli.shared.arguments import taking
from spielbaum.cli.shared.contest import Contest


@taking(Contest)
def sweep(
    game: Annotated[str, typer.Argument(help="A game, such as connect4.")],
    grid: Annotated[str, typer.Argument(help="A grid of agents: rave:c={0.2,0.3},rave_k={10,50}.")],
    against: Annotated[str, typer.Option(metavar="AGENT", help="Whom all of them meet.")] = "uct",
    *,
    contest: Contest,
) -> None:
    """Try every combination of options against one opponent."""
    plan = contest.plan(game, [against, *expand_grid(grid)], "gauntlet")
    contest.run(plan)
