"""Tournaments: set up, start, stop, and look at what was played."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from spielbaum.studio.routes.run_routes import add_run_routes
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
    routes = APIRouter(tags=["tournaments"])
    tournaments = services.tournaments

    @routes.get("/tournaments")
    def list_tournaments() -> list[TournamentSummary]:
        """Every tournament, the newest first."""
        return tournaments.all()

    @routes.post("/tournaments", status_code=201)
    def create(asked: TournamentRequest) -> TournamentView:
        """Make a tournament and start it."""
        tournaments.create(asked)
        return tournaments.view(asked.name)

    add_run_routes(routes, tournaments, "tournament", TournamentView)

    @routes.get("/tournaments/{name}/games")
    def list_games(
        name: RunName,
        offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 100,
    ) -> list[GameSummary]:
        """Games that have been played."""
        return tournaments.games(name, offset, limit)

    @routes.get("/tournaments/{name}/games/{number}")
    def show_game(name: RunName, number: Annotated[int, Path(ge=0, le=10**9)]) -> StoredGame:
        """A game with all its moves."""
        return tournaments.game(name, number)

    return routes
