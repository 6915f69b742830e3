"""``spielbaum reversixt join``: play at a server."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from spielbaum.agents import agent as make_agent
from spielbaum.agents.human import HumanAgent
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.cli.shared.output import ask_in_terminal
from spielbaum.protocols.reversixt.client import MARGIN, Finished, parse_address
from spielbaum.protocols.reversixt.client import join as play_at
from spielbaum.protocols.reversixt.logs import stones_of

GROUP = Option("group", 0, low=0, high=255)
MARGIN_OPTION = Option("margin", MARGIN, low=0, high=1e6)
WAIT = Option("wait", 600.0, low=1, high=1e6)
GAMES = Option("games", 1, low=1)


def join(
    address: Annotated[
        str, typer.Argument(metavar="HOST:PORT", help="Address of the server; port 7777 if none.")
    ],
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Who plays: any agent, or human for yourself.")
    ] = "mcts",
    group: Annotated[
        str, typer.Option(metavar="N", help="Your group's number, from 0 to 255.")
    ] = "0",
    margin: Annotated[
        str,
        typer.Option(metavar="MS", help="Milliseconds between a move sent and its deadline."),
    ] = f"{MARGIN:g}",
    games: Annotated[
        str, typer.Option(metavar="N", help="Games to play, one after the other.")
    ] = "1",
    wait: Annotated[
        str, typer.Option(metavar="SECONDS", help="Give up a server that is silent for so long.")
    ] = "600",
    quiet: Annotated[bool, typer.Option("--quiet", help="Print results only.")] = False,
) -> None:
    """Join a server with an agent, or play there yourself; exit code 1 if you are disqualified."""
    host, port = parse_address(address)
    number = int(GROUP.parse(group))
    before, patience = float(MARGIN_OPTION.parse(margin)), float(WAIT.parse(wait))
    player = make_agent(agent)
    if isinstance(player, HumanAgent):
        player = HumanAgent(ask=ask_in_terminal, tell=typer.echo)
    tell = _say_nothing if quiet else typer.echo
    disqualified = False
    for _ in range(int(GAMES.parse(games))):
        try:
            finished = asyncio.run(play_at(host, port, player, number, before, patience, tell))
        except EOFError:
            raise SpecError("agent human: the input ended before the game did") from None
        disqualified |= finished.disqualified
        typer.echo(_result(finished))
    raise typer.Exit(int(disqualified))


def _say_nothing(text: str) -> None:
    """Nobody wants to see the moves."""


def _result(finished: Finished) -> str:
    me = f"you were player {finished.player + 1}"
    if finished.disqualified:
        return f"{me}, and are disqualified"
    reason = "" if finished.state.outcome is None else f" ({finished.state.outcome.reason})"
    return f"{me}; stones {stones_of(finished.state)}{reason}"
