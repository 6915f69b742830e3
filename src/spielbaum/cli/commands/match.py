"""``spielbaum match``: two agents, or as many as the game has players, against each other."""

from __future__ import annotations

from typing import Annotated

import typer

from spielbaum.arena.sprt import Sprt
from spielbaum.base.errors import SpecError
from spielbaum.cli.shared.arguments import taking
from spielbaum.cli.shared.contest import Contest


@taking(Contest)
def match(
    game: Annotated[str, typer.Argument(help="A game, such as connect4.")],
    agents: Annotated[list[str], typer.Argument(help="Agents, such as rave-lgr and uct:c=0.8.")],
    sprt: Annotated[
        str | None,
        typer.Option(metavar="ELO0,ELO1", help="Stop early once the result is clear (SPRT)."),
    ] = None,
    *,
    contest: Contest,
) -> None:
    """Let agents play pairs of games with swapped colours, and say who is better."""
    plan = contest.plan(game, agents, "round robin")
    contest.run(plan, None if sprt is None else _sprt(sprt, len(agents)))


def _sprt(text: str, num_agents: int) -> Sprt:
    if num_agents != 2:
        raise SpecError(f"--sprt {text}: it compares two agents, not {num_agents}")
    try:
        low, high = (float(each) for each in text.split(","))
        return Sprt(low, high)
    except ValueError:
        raise SpecError(
            f"--sprt {text!r:.40}: expected two Elo differences, the smaller first, such as 0,10"
        ) from None
