"""``spielbaum gtp``: an engine for GUIs and controllers of GTP."""

from __future__ import annotations

from typing import Annotated

import typer

from spielbaum.cli.shared.arguments import taking
from spielbaum.cli.shared.effort import Effort
from spielbaum.protocols.gtp import GtpEngine
from spielbaum.protocols.session import Connection, usual_agent


@taking(Effort)
def gtp(
    game: Annotated[str, typer.Argument(help="A game of two players, such as reversi or hex.")],
    agent: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Who thinks, such as uct:memory=256.")
    ] = None,
    *,
    effort: Effort,
) -> None:
    """Speak GTP 2, the Go Text Protocol, on standard input and output."""
    connection = Connection()
    limits = effort.limits_of_all("seconds=1").budget(None)
    engine = GtpEngine(game, agent or usual_agent(game), connection.send, limits)
    engine.run(connection.lines())
