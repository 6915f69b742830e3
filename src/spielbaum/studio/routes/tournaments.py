"""Tournaments: set up, start, stop, and look at what was played."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from spielbaum.studio.services.protocol import RunName
from spielbaum.studio.services.services import Services
from spielbaum.studio.services.tournaments import (
    GameSummary,
    StoredGame,
    TournamentRequest,
    TournamentSummary,
    TournamentView,
)


def router(services: Services) -> APIRouter:
    """The routes, for these services."""
    routes = APIRouter(prefix="/tournaments", tags=["tournaments"])
    tournaments = services.tournaments

    @routes.get("")
    def list_tournaments() -> list[TournamentSummary]:
        """Every tournament, the newest first."""
        return tournaments.all()

    @routes.post("", status_code=201)
    def create(asked: TournamentRequest) -> TournamentView:
        """Make a tournament and start it."""
        tournaments.create(asked)
        return tournaments.view(asked.name)

    @routes.get("/{name}")
    def show(name: RunName) -> TournamentView:
        """The table of a tournament."""
        return tournaments.view(name)

    @routes.post("/{name}/start")
    def start(name: RunName) -> TournamentView:
        """Go on with a tournament that was stopped."""
        tournaments.start(name)
        return tournaments.view(name)

    @routes.post("/{name}/stop")
    def stop(name: RunName) -> TournamentView:
        """Stop a tournament; it can go on later."""
        services.runs.stop(name)
        return tournaments.view(name)

    @routes.delete("/{name}", status_code=204)
    def remove(name: RunName) -> None:
        """Delete a tournament and all its games; not while it is running."""
        tournaments.remove(name)

    @routes.get("/{name}/games")
    def list_games(
        name: RunName,
        offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 100,
    ) -> list[GameSummary]:
        """Games that have been played."""
        return tournaments.games(name, offset, limit)

    @routes.get("/{name}/games/{number}")
    def show_game(name: RunName, number: Annotated[int, Path(ge=0, le=10**9)]) -> StoredGame:
        """A game with all its moves."""
        return tournaments.game(name, number)

    return routes
