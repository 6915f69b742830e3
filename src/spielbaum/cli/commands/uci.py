"""``spielbaum uci``: an engine for chess GUIs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from spielbaum.protocols.uci.loop import DEFAULT_AGENT, Engine


def uci(
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Who thinks, such as alphabeta:memory=256.")
    ] = DEFAULT_AGENT,
) -> None:
    """Speak UCI on standard input and output; GUIs of chess start this command by themselves."""
    connection = Connection()
    Engine(agent, connection.send).run(connection.lines())


class Connection:
    """Standard input and output as lines; the GUI may go away at any time."""

    def __init__(self) -> None:
        self._open = True

    def lines(self) -> Iterator[str]:
        """Lines until the input ends or nobody reads the output any more."""
        while self._open and sys.stdin is not None and (line := sys.stdin.readline()):
            yield line

    def send(self, line: str) -> None:
        """Write a line at once, or notice that nobody reads it."""
        try:
            print(line, flush=True)
        except BrokenPipeError:
            self._open = False
