"""``spielbaum nboard``: an engine for GUIs of Othello."""

from __future__ import annotations

from typing import Annotated

import typer

from spielbaum.cli.shared.arguments import taking
from spielbaum.cli.shared.effort import Effort
from spielbaum.protocols.nboard import NBoardEngine
from spielbaum.protocols.session import Connection, usual_agent


@taking(Effort)
def nboard(
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Who thinks, such as alphabeta:memory=256.")
    ] = usual_agent("reversi"),
    *,
    effort: Effort,
) -> None:
    """Speak NBoard's protocol on standard input and output; plays Othello, which is Reversi."""
    connection = Connection()
    limits = effort.limits_of_all().budget(None)
    NBoardEngine(agent, connection.send, limits).run(connection.lines())
