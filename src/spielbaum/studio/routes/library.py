"""Games, boards, positions and agents: what can be asked without thinking."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from spielbaum.agents import agents as all_agents
from spielbaum.base.version import VERSION
from spielbaum.games import game, games
from spielbaum.games.drawing.text import BoardFace
from spielbaum.games.game import declared_options
from spielbaum.solvers.solver import has_solver
from spielbaum.studio.server.guard import offered, permitted_agent
from spielbaum.studio.services.boards import board_of, sketch_of
from spielbaum.studio.services.files import shown
from spielbaum.studio.services.models import ModelSummary
from spielbaum.studio.services.options import agent_option_view, game_option_view
from spielbaum.studio.services.positions import describe, preview, replay, state_of
from spielbaum.studio.services.protocol import (
    AgentCheck,
    AgentChecked,
    AgentView,
    BoardView,
    DisqualifyRequest,
    GameView,
    Message,
    Position,
    PositionView,
    PreviewRequest,
    PreviewView,
)
from spielbaum.studio.services.services import Services


class About(Message):
    """The server in numbers."""

    version: str
    seconds: float
    megabytes: int
    threads: int
    waiting: int
    workers: int


def router(services: Services) -> APIRouter:
    """The routes, for these services."""
    routes = APIRouter(tags=["library"])
    settings = services.settings

    @routes.get("/about")
    def about() -> About:
        """Version and limits of this server, and how many searches wait."""
        return About(
            version=VERSION,
            seconds=settings.seconds,
            megabytes=settings.megabytes,
            threads=settings.threads,
            waiting=services.pool.waiting,
            workers=settings.workers,
        )

    @routes.get("/games")
    def list_games() -> list[GameView]:
        """Every game with its options."""
        return [_game_view(name) for name in games()]

    @routes.get("/board")
    def board(spec: Annotated[str, Query(alias="game", max_length=200)]) -> BoardView:
        """How the board of a game is drawn."""
        return board_of(spec)

    @routes.get("/sketch", response_class=Response)
    def sketch(spec: Annotated[str, Query(alias="game", max_length=200)]) -> Response:
        """The start of a game as a small picture (SVG)."""
        return Response(sketch_of(spec), media_type="image/svg+xml")

    @routes.post("/preview")
    def preview_move(asked: PreviewRequest) -> PreviewView:
        """What a move would change on the board."""
        return preview(state_of(asked.position), asked.move)

    @routes.post("/disqualify")
    def disqualify(asked: DisqualifyRequest) -> PositionView:
        """The position in which a player is out of the game, which begins a path of its own."""
        return describe(state_of(asked.position).disqualify(asked.player))

    @routes.post("/position")
    def position(asked: Position) -> PositionView:
        """A position: what lies where, whose turn it is, and which moves there are."""
        return describe(*replay(asked))

    @routes.get("/agents")
    def list_agents() -> list[AgentView]:
        """Every kind of agent with its options, from which the page makes its forms."""
        return [
            AgentView(
                name=info.name,
                help=info.help,
                options=[agent_option_view(info, option) for option in info.options],
            )
            for info in offered(all_agents())
        ]

    @routes.post("/agents/check")
    def check_agent(asked: AgentCheck) -> AgentChecked:
        """Whether the server accepts a spec, and its shortest form."""
        return AgentChecked(agent=shown(permitted_agent(asked.agent, settings), settings))

    @routes.get("/models")
    def list_models() -> list[ModelSummary]:
        """Trained agents: those that are shipped, and those that were trained here."""
        return services.models.all()

    return routes


def _game_view(name: str) -> GameView:
    rules = game(name)
    face = rules.face
    return GameView(
        name=name,
        title=face.title if isinstance(face, BoardFace) else name,
        summary=rules.summary,
        options=[game_option_view(name, option) for option in declared_options(name)],
        solver=has_solver(rules),
    )
