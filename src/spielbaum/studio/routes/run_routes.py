"""What can be done with a run by its name: show, start, stop and delete it."""

from __future__ import annotations

from typing import Any, Protocol

from fastapi import APIRouter
from pydantic import BaseModel

from spielbaum.studio.services.protocol import RunName


class RunService(Protocol):
    """Whatever has runs with names."""

    def view(self, name: str) -> BaseModel:
        """Return all that a page shows of a run."""

    def start(self, name: str) -> None:
        """Go on with a run."""

    def stop(self, name: str) -> None:
        """Let a run end early."""

    def remove(self, name: str) -> None:
        """Delete a run that has ended."""


def add_run_routes(
    routes: APIRouter, service: RunService, what: str, view: type[BaseModel]
) -> None:
    """Add the routes of one run, which is called ``what`` in their descriptions."""
    path = f"/{what}s/{{name}}"

    @routes.get(path, response_model=view, description=f"How a {what} stands.")
    def show(name: RunName) -> Any:
        return service.view(name)

    @routes.post(
        f"{path}/start", response_model=view, description=f"Go on with a {what} that was stopped."
    )
    def start(name: RunName) -> Any:
        service.start(name)
        return service.view(name)

    @routes.post(
        f"{path}/stop", response_model=view, description=f"Stop a {what}; it can go on later."
    )
    def stop(name: RunName) -> Any:
        service.stop(name)
        return service.view(name)

    @routes.delete(
        path,
        status_code=204,
        description=f"Delete a {what} and all that it has made; not while it is running.",
    )
    def remove(name: RunName) -> None:
        service.remove(name)
