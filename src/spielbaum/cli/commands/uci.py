"""``spielbaum uci``: an engine for chess GUIs."""

from __future__ import annotations

from typing import Annotated

import typer

from spielbaum.protocols.session import Connection
from spielbaum.protocols.uci.loop import Engine


def uci(
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Who thinks, such as alphabeta:memory=256.")
    ] = "alphabeta",
) -> None:
    """Speak UCI on standard input and output; GUIs of chess start this command by themselves."""
    connection = Connection()
    Engine(agent, connection.send).run(connection.lines())
