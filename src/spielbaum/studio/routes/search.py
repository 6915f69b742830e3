"""Thinking: over HTTP with one answer, and over the socket with news on the way."""

from __future__ import annotations

import asyncio
import contextlib

from fastapi import APIRouter, Request, WebSocket

from spielbaum.studio.server.guard import permitted_agent
from spielbaum.studio.services.positions import state_of
from spielbaum.studio.services.protocol import (
    DecisionView,
    SearchRequest,
    SolutionView,
    SolveRequest,
)
from spielbaum.studio.services.services import Services
from spielbaum.studio.services.sessions import Session
from spielbaum.studio.services.worker import Answer


def router(services: Services) -> APIRouter:
    """The routes, for these services."""
    routes = APIRouter(tags=["search"])

    @routes.post("/search")
    async def search(asked: SearchRequest, request: Request) -> DecisionView:
        """Let an agent think about a position, and wait for what it decides."""
        spec = permitted_agent(asked.agent, services.settings)
        answer = await _ask(request, asked.model_copy(update={"agent": spec}))
        assert isinstance(answer, DecisionView)
        return answer

    @routes.post("/solve")
    async def solve(asked: SolveRequest, request: Request) -> SolutionView:
        """Exact values of a position and its moves, where the game has a solver."""
        answer = await _ask(request, asked)
        assert isinstance(answer, SolutionView)
        return answer

    async def _ask(request: Request, asked: SearchRequest | SolveRequest) -> Answer:
        state_of(asked.position)
        visitor = request.client.host if request.client else ""
        answer = asyncio.create_task(services.pool.ask(f"http {visitor}", asked))
        gone = asyncio.create_task(_disconnected(request))
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if not answer.done():
            answer.cancel()
        return await answer

    @routes.websocket("/socket")
    async def socket(connection: WebSocket) -> None:
        if services.pages >= services.settings.visitors:
            await connection.close(1013, "too many pages are open")
            return
        services.pages += 1
        try:
            await Session(services, connection).run()
        finally:
            services.pages -= 1

    return routes


async def _disconnected(request: Request) -> None:
    """Ends when whoever asked has gone away."""
    with contextlib.suppress(RuntimeError):
        while not await request.is_disconnected():
            await asyncio.sleep(0.2)
