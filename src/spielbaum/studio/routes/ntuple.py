"""N-tuple networks: look into them, and draw tuples for new ones."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from spielbaum.studio.services.configurations import (
    ConfigRequest,
    ConfigSummary,
    ConfigTuples,
    SavedConfig,
)
from spielbaum.studio.services.inspector import (
    EntryRequest,
    EntryView,
    ModelName,
    NetworkPosition,
    NetworkView,
    SumsView,
)
from spielbaum.studio.services.protocol import RunName
from spielbaum.studio.services.services import Services

Model = Annotated[ModelName, Query(description="As /models names it.")]


def router(services: Services) -> APIRouter:
    """The routes, for these services."""
    routes = APIRouter(prefix="/ntuple", tags=["n-tuple networks"])
    inspector, configurations = services.inspector, services.configurations

    @routes.get("")
    def show(model: Model) -> NetworkView:
        """A network with all its tuples."""
        return inspector.network(model)

    @routes.post("/position")
    def position(asked: NetworkPosition) -> SumsView:
        """What every tuple adds to the sum of a position, and of those after each move."""
        return inspector.sums(asked)

    @routes.get("/strongest")
    def strongest(
        model: Model,
        number: Annotated[int, Query(alias="tuple", ge=0, le=10**6)],
        count: Annotated[int, Query(ge=1, le=200)] = 20,
    ) -> list[EntryView]:
        """The entries of a tuple with the largest weights."""
        return inspector.strongest(model, number, count)

    @routes.post("/entry")
    def entry(asked: EntryRequest) -> EntryView:
        """The entry for given contents of a tuple's cells."""
        return inspector.entry(asked)

    @routes.get("/configs")
    def list_configs() -> list[ConfigSummary]:
        """Configurations of trainings: visitors' own, and those of the package."""
        return configurations.all()

    @routes.get("/tuples")
    def show_tuples(config: Annotated[str, Query(min_length=1, max_length=80)]) -> ConfigTuples:
        """The tuples of a configuration."""
        return configurations.tuples(config)

    @routes.post("/configs", status_code=201)
    def save_config(asked: ConfigRequest) -> SavedConfig:
        """Save tuples that were drawn by hand as a configuration."""
        return configurations.save(asked)

    @routes.delete("/configs/{name}", status_code=204)
    def remove_config(name: RunName) -> None:
        """Delete a configuration of one's own."""
        configurations.remove(name)

    return routes
