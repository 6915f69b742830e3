"""Trainings: set up, start, stop, and follow their curves."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from spielbaum.studio.routes.run_routes import add_run_routes
from spielbaum.studio.services.services import Services
from spielbaum.studio.services.training_forms import FormView, KindView
from spielbaum.studio.services.trainings import TrainingRequest, TrainingSummary, TrainingView

Word = Annotated[str, Query(min_length=1, max_length=80)]


def router(services: Services) -> APIRouter:
    """The routes, for these services."""
    routes = APIRouter(tags=["trainings"])
    trainings = services.trainings

    @routes.get("/training-kinds")
    def list_kinds() -> list[KindView]:
        """Kinds of trainings, and the configurations of each."""
        return trainings.kind_views()

    @routes.get("/training-form")
    def form(config: Word, kind: Word = "ntuple") -> FormView:
        """A configuration as a form: its options, and what they are set to."""
        return trainings.form(kind, config)

    @routes.get("/trainings")
    def list_trainings() -> list[TrainingSummary]:
        """Every training, the newest first."""
        return trainings.all()

    @routes.post("/trainings", status_code=201)
    def create(asked: TrainingRequest) -> TrainingView:
        """Make a training and start it."""
        trainings.create(asked)
        return trainings.view(asked.name)

    add_run_routes(routes, trainings, "training", TrainingView)
    return routes
