"""``spielbaum ugi``: an engine for referees of any game of two players."""

from __future__ import annotations

from typing import Annotated

import typer

from spielbaum.protocols.session import Connection, usual_agent
from spielbaum.protocols.uci.loop import UGI, Engine


def ugi(
    game: Annotated[str, typer.Argument(help="A game of two players, such as connect4.")],
    agent: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Who thinks, such as uct:memory=256.")
    ] = None,
) -> None:
    """Speak UGI, the Universal Game Interface, on standard input and output."""
    connection = Connection()
    Engine(agent or usual_agent(game), connection.send, game, UGI).run(connection.lines())
