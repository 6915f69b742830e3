"""``spielbaum tournament``: many agents against each other, with ratings and a crosstable."""

from __future__ import annotations

from typing import Annotated

import typer

from spielbaum.arena.plan import expand_grid
from spielbaum.cli.shared.arguments import taking
from spielbaum.cli.shared.contest import Contest


@taking(Contest)
def tournament(
    game: Annotated[str, typer.Argument(help="A game, such as connect4.")],
    agents: Annotated[
        list[str], typer.Argument(help="Agents; braces are lists: rave:c={0.2,0.3}.")
    ],
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="The first meets all others, and nobody else.")
    ] = False,
    *,
    contest: Contest,
) -> None:
    """Everybody against everybody, or one against all: ratings and a crosstable."""
    specs = [spec for grid in agents for spec in expand_grid(grid)]
    plan = contest.plan(game, specs, "gauntlet" if gauntlet else "round robin")
    contest.run(plan)
