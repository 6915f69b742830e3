"""The web application: routes, errors, and the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.responses import Response
from starlette.types import ASGIApp, Scope

from spielbaum.base.errors import (
    BookError,
    EngineError,
    IllegalMove,
    NotationError,
    SpecError,
    StoreError,
)
from spielbaum.base.imports import import_modules
from spielbaum.base.version import VERSION
from spielbaum.studio.routes import lab, library, ntuple, search, tournaments, trainings
from spielbaum.studio.server.problems import disk_status, sentence_of
from spielbaum.studio.server.security import Gate
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.configurations import NoSuchConfiguration
from spielbaum.studio.services.models import NoSuchModel
from spielbaum.studio.services.pool import TooManySearches
from spielbaum.studio.services.protocol import PROBLEMS
from spielbaum.studio.services.runs import NotNow
from spielbaum.studio.services.services import Services
from spielbaum.studio.services.sessions import sentence
from spielbaum.studio.services.tournaments import NoSuchGame
from spielbaum.studio.services.trainings import NoSuchTraining

STATIC = Path(__file__).parents[1] / "page"

STATUS: dict[type[Exception], int] = {
    BookError: 400,
    EngineError: 400,
    IllegalMove: 400,
    NotationError: 400,
    SpecError: 400,
    ValueError: 400,
    StoreError: 404,
    NoSuchConfiguration: 404,
    NoSuchGame: 404,
    NoSuchModel: 404,
    NoSuchTraining: 404,
    NotNow: 409,
    TooManySearches: 429,
    FileNotFoundError: 404,
    OSError: 500,
}
"""What a visitor is answered when something is wrong; disks have `disk_status`."""


class Studio(FastAPI):
    """The application behind its gate, which also sees the answers to what went wrong."""

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(**options)
        self._settings = settings

    def build_middleware_stack(self) -> ASGIApp:
        """Put the gate around all that Starlette has, its own errors included."""
        return Gate(super().build_middleware_stack(), self._settings)


class Page(StaticFiles):
    """The files of the page; browsers ask each time whether a file has changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, never an old one."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def create_app(settings: Settings | None = None) -> FastAPI:
    """The studio with its services, which start and end with the application.

    >>> app = create_app(Settings(workers=1))
    >>> app.title
    'Spielbaum studio'
    """
    chosen = settings or Settings()
    import_modules(chosen.imports)
    services = Services.of(chosen)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services.pool.start()
        services.runs.start_loop()
        yield
        services.runs.stop_all()
        await services.pool.close()
        services.models.reader.close()

    app = Studio(
        chosen,
        title="Spielbaum studio",
        version=VERSION,
        description="Play, analyse and compare: what the page uses, for programs of your own.",
        docs_url=None,  # its pages are fetched from elsewhere; ours is page/api.html
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        responses=PROBLEMS,
    )
    app.state.services = services
    for topic in (library, search, tournaments, lab, ntuple, trainings):
        app.include_router(topic.router(services), prefix="/api")
    for kind, status in STATUS.items():
        app.add_exception_handler(kind, _answer(status, chosen))
    app.add_exception_handler(RequestValidationError, _explain)
    app.add_exception_handler(Exception, _excuse)
    app.mount("/", Page(directory=STATIC, html=True), name="page")
    return app


def _answer(status: int, settings: Settings) -> Any:
    async def handler(request: Request, error: Exception) -> JSONResponse:
        sentence = sentence_of(error, settings)
        return JSONResponse({"detail": sentence}, disk_status(error) or status)

    return handler


async def _explain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"detail": sentence(error)}, 422)


async def _excuse(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": "the server made a mistake, which its log describes"}, 500)
