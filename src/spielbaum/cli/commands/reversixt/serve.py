"""``spielbaum reversixt serve``: referee games over TCP."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from spielbaum.agents import Agent
from spielbaum.agents import agent as make_agent
from spielbaum.base.options import Option
from spielbaum.games import game
from spielbaum.protocols.reversixt.client import join
from spielbaum.protocols.reversixt.logs import GAME, LogFolder
from spielbaum.protocols.reversixt.messages import DEFAULT_PORT
from spielbaum.protocols.reversixt.server import GRACE, Played, Server
from spielbaum.protocols.reversixt.times import ADDED, LARGEST, Allowance

PORT = Option("port", DEFAULT_PORT, low=0, high=65535)
TIME = Option("time", 0, low=0, high=LARGEST)
ACCOUNT = Option("account", 0, low=0, high=LARGEST)
ADDED_OPTION = Option("added", ADDED, low=0, high=LARGEST)
DEPTH = Option("depth", 0, low=0, high=255)
GAMES = Option("games", 1, low=1)
WAIT = Option("wait", 600.0, low=0.1, high=1e6)
GRACE_OPTION = Option("grace", GRACE * 1000, low=0, high=1e6)
PAUSE = Option("pause", 0.5, low=0, high=60)
DEFAULT_TIME = 2000
"""Milliseconds for each move if nobody says what limits it."""


def serve(
    map_name: Annotated[
        str, typer.Argument(metavar="MAP", help="Name of a map, or the path of a map file.")
    ],
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Address to listen on; 0.0.0.0 for other machines.")
    ] = "127.0.0.1",
    port: Annotated[
        str, typer.Option(metavar="PORT", help="Port to listen on; 0 for any that is free.")
    ] = str(DEFAULT_PORT),
    time: Annotated[
        str | None, typer.Option(metavar="MS", help="Milliseconds for each move (2000).")
    ] = None,
    account: Annotated[
        str | None,
        typer.Option(metavar="MS", help="Milliseconds for all moves of a player, instead."),
    ] = None,
    added: Annotated[
        str, typer.Option(metavar="MS", help="Added to the account before each request.")
    ] = str(ADDED),
    depth: Annotated[
        str | None, typer.Option(metavar="N", help="Depth to search, instead of or besides a time.")
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(metavar="N", help="Clients to wait for; --agent has the other seats."),
    ] = None,
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Who plays the seats without a client.")
    ] = "mcts",
    games: Annotated[
        str, typer.Option(metavar="N", help="Games to play; clients join anew for each.")
    ] = "1",
    log: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where games.txt and the boards are written.")
    ] = Path("reversixt-log"),
    wait: Annotated[
        str,
        typer.Option(metavar="SECONDS", help="To join, and for a move that has no time limit."),
    ] = "600",
    grace: Annotated[
        str, typer.Option(metavar="MS", help="Of each move that is not charged, for the network.")
    ] = f"{GRACE * 1000:g}",
    pause: Annotated[
        str, typer.Option(metavar="SECONDS", help="From the map to the first request.")
    ] = "0.5",
) -> None:
    """Referee games of clients; whoever is late, leaves or sends nonsense is disqualified."""
    rules = game(GAME, map=map_name)
    seats = Option("players", 0, low=0, high=rules.num_players)
    clients = rules.num_players if players is None else int(seats.parse(players))
    fillers = [make_agent(agent) for _ in range(rules.num_players - clients)]
    limits = _allowance(time, account, added, depth)
    number, count = int(PORT.parse(port)), int(GAMES.parse(games))
    patience, leeway = float(WAIT.parse(wait)), float(GRACE_OPTION.parse(grace)) / 1000
    server = Server(
        map_name,
        limits,
        LogFolder(log, map_name),
        host,
        number,
        patience,
        leeway,
        float(PAUSE.parse(pause)),
        typer.echo,
    )
    asyncio.run(_serve(server, count, clients, fillers))


def _allowance(time: str | None, account: str | None, added: str, depth: str | None) -> Allowance:
    deep = 0 if depth is None else int(DEPTH.parse(depth))
    bank = 0 if account is None else int(ACCOUNT.parse(account))
    each = 0 if account is not None or depth is not None else DEFAULT_TIME
    if time is not None:
        each = int(TIME.parse(time))
    return Allowance(each, bank, int(ADDED_OPTION.parse(added)), deep)


async def _serve(server: Server, games: int, clients: int, fillers: list[Agent]) -> None:
    async with server:
        typer.echo(f"listening on {server.host}:{server.port}; {server.allowance.text}")
        for number in range(1, games + 1):
            await server.joined(clients)
            others = [asyncio.create_task(join(server.host, server.port, each)) for each in fillers]
            played = await server.play()
            typer.echo(_result(number, played))
            await asyncio.gather(*others)


def _result(number: int, played: Played) -> str:
    parts = [f"game {number}: stones {played.line.stones} in {played.seconds:.1f} s"]
    for player, reason in sorted(played.disqualified.items()):
        parts.append(f"player {player + 1} (group {played.groups[player]}) disqualified: {reason}")
    return "; ".join(parts)
