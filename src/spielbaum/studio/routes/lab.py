"""The lab: published and measured figures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from spielbaum.studio.services.experiments import ExperimentStart, ExperimentSummary, ExperimentView
from spielbaum.studio.services.services import Services

Id = Annotated[str, Path(max_length=60)]
Games = Annotated[int, Query(ge=2, le=10_000, description="Games of each cell.")]


def router(services: Services) -> APIRouter:
    """The routes, for these services."""
    routes = APIRouter(prefix="/lab", tags=["lab"])
    experiments = services.experiments

    @routes.get("")
    def list_experiments() -> list[ExperimentSummary]:
        """Every experiment of the source documents."""
        return experiments.all()

    @routes.get("/{id}")
    def show(id: Id, games: Games = 20) -> ExperimentView:  # noqa: A002  the word of Experiment
        """The figures of an experiment."""
        return experiments.view(id, games)

    @routes.post("/{id}/start")
    def start(id: Id, asked: ExperimentStart) -> ExperimentView:  # noqa: A002
        """Play the games of an experiment in the background."""
        experiments.start(id, asked.games)
        return experiments.view(id, asked.games)

    @routes.post("/{id}/stop")
    def stop(id: Id, asked: ExperimentStart) -> ExperimentView:  # noqa: A002
        """Stop; what was played counts, and is not played again."""
        experiments.stop(id)
        return experiments.view(id, asked.games)

    return routes
