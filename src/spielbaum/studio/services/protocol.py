"""The messages between the page and the server, as the OpenAPI description shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

GameSpec: TypeAlias = Annotated[
    str, StringConstraints(min_length=1, max_length=200), Field(examples=["connect4"])
]
AgentSpec: TypeAlias = Annotated[
    str, StringConstraints(min_length=1, max_length=600), Field(examples=["uct:c=0.8"])
]
MoveText: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=40)]
RunName: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.+-]{0,59}$"), Field(examples=["cup"])
]


class Message(BaseModel):
    """What all messages have: nothing that is not declared, and no guessing of types.

    >>> Position(game="connect4", moves=["d1"]).start
    ''
    """

    model_config = ConfigDict(extra="forbid")


class Position(Message):
    """A position: a game, where it begins, and the moves since."""

    game: GameSpec
    start: str = Field(
        default="", max_length=4000, description="Notation; empty for the game's start."
    )
    moves: list[MoveText] = Field(default_factory=list, max_length=5000)


class ChoiceView(Message):
    """What tells a move from others on the same cells: a question and the move's answer to it."""

    question: str
    answer: str
    content: int = Field(description="What is drawn beside the answer, 0 for nothing.")


class LegalMove(Message):
    """A move that can be made, and the cells that it touches."""

    text: str
    cells: list[int]
    choice: ChoiceView | None = None


class OutcomeView(Message):
    """How a game ended."""

    rewards: list[float]
    winner: int | None
    reason: str


class PositionView(Message):
    """A position as the page shows it; ``start`` and ``moves`` are as short as they can be."""

    game: str
    start: str
    moves: list[str]
    notation: str
    to_move: int
    cells: list[int] = Field(description="What lies on every cell, 0 for nothing.")
    last_cells: list[int]
    legal: list[LegalMove]
    outcome: OutcomeView | None
    movers: list[int] = Field(description="Who made each of the moves.")
    counts: dict[str, list[int]] = Field(
        default_factory=dict, description="Numbers beside each player, by name."
    )
    notes: list[str] = Field(default_factory=list, description="What else is to be known.")
    out: list[int] = Field(default_factory=list, description="Players who are out of the game.")
    diagram: str = Field(default="", description="The board as text, for games without cells.")


class PreviewRequest(Message):
    """Ask what a move would change."""

    position: Position
    move: MoveText


class PreviewView(Message):
    """The cells that a move changes, and what lies on each of them afterwards."""

    cells: list[int]
    contents: list[int]


class DisqualifyRequest(Message):
    """Put a player out of a game that goes on without him."""

    position: Position
    player: int = Field(ge=0, le=7)


OptionKind: TypeAlias = Literal["switch", "choice", "whole", "number", "text", "lines", "model"]


class MapView(Message):
    """A map that a game can be played on."""

    name: str
    players: int
    rows: int
    columns: int


class OptionView(Message):
    """An option of a game, an agent or a training, as a form needs it."""

    name: str
    type: OptionKind
    default: bool | int | float | str
    help: str
    low: float | None = None
    high: float | None = None
    choices: list[bool | int | float | str] = Field(default_factory=list)
    expected: str
    bare: bool = Field(default=False, description="A spec may give it first, and without its name.")
    maps: list[MapView] = Field(default_factory=list, description="What the choices are like.")


class GameView(Message):
    """A game that can be played."""

    name: str
    title: str
    summary: str
    options: list[OptionView]
    solver: bool


class AgentView(Message):
    """A kind of agent."""

    name: str
    help: str
    options: list[OptionView]


class CellView(Message):
    """Where a cell is, what it is called, and which of the shapes it has."""

    name: str
    x: float
    y: float
    shape: int


class LabelView(Message):
    """A text on the board."""

    text: str
    x: float
    y: float
    size: float
    fill: str


class LinkView(Message):
    """Two cells that are joined: where the ends are (x, y, x, y), and the colour of both."""

    cells: tuple[int, int]
    ends: list[float]
    colour: str


class BoardView(Message):
    """How the board of a game is drawn: SVG markup about the origin, and where it goes."""

    game: str
    title: str
    players: int
    sides: list[str]
    solver: bool
    width: float = 0
    height: float = 0
    margin: float = 0
    frame: str = ""
    shapes: list[str] = Field(default_factory=list)
    cells: list[CellView] = Field(default_factory=list)
    stones: list[str] = Field(default_factory=list)
    chips: list[int] = Field(default_factory=list, description="The content for each player.")
    names: list[str] = Field(default_factory=list, description="What the stones are called.")
    labels: list[LabelView] = Field(default_factory=list)
    last: str = ""
    last_below: bool = False
    target: str = ""
    target_occupied: str = ""
    by_column: bool = False
    previews: bool = Field(default=False, description="Moves change more than the cells they name.")
    disqualifies: bool = Field(default=False, description="The game goes on without a player.")
    links: list[LinkView] = Field(default_factory=list)
    link_marks: str = Field(default="", description="The ends of all links as markup.")
    explained: list[int] = Field(default_factory=list, description="Contents that a legend names.")
    icons: dict[str, str] = Field(default_factory=dict, description="Pictures of what is counted.")
    words: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="Translations of the game's own words, by language."
    )


class LimitsView(Message):
    """How long an agent may think about a move; the first limit that is reached ends it."""

    iterations: int | None = Field(default=None, ge=1, le=1_000_000_000)
    seconds: float | None = Field(default=None, ge=0.001, le=3600)
    depth: int | None = Field(default=None, ge=1, le=1000)
    nodes: int | None = Field(default=None, ge=1, le=10**12)


class SearchRequest(Message):
    """Let an agent think about a position."""

    position: Position
    agent: AgentSpec
    limits: LimitsView = Field(default_factory=LimitsView)
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1)
    tree: int = Field(
        default=0, ge=0, le=5000, description="So many moves of the search tree, too."
    )


class SolveRequest(Message):
    """Find the exact value of a position."""

    position: Position
    seconds: float = Field(default=3.0, ge=0.001, le=3600)


class LineMove(Message):
    """A move of a line of play."""

    text: str
    cells: list[int]
    player: int


class MoveView(Message):
    """What an agent thinks of one legal move."""

    text: str
    value: float
    visits: int
    prior: float | None
    proven: float | None
    policy: float | None
    pv: list[LineMove]


class TreeRow(Message):
    """A move in a search tree; ``parent`` is the place of the move before it in the list."""

    parent: int | None
    text: str
    visits: int
    value: float
    proven: float | None
    prior: float | None


class DecisionView(Message):
    """What an agent thinks of a position; values are those of the player to move."""

    move: str
    value: float
    moves: list[MoveView] = Field(description="The most visited ones, at most 500.")
    more: int = Field(default=0, description="How many other moves there are.")
    pv: list[LineMove]
    stats: dict[str, bool | int | float | str]
    tree: list[TreeRow] = Field(default_factory=list)


class SolvedMoveView(Message):
    """The exact value of one move; a score where it is known."""

    text: str
    value: float
    score: int | None


class SolutionView(Message):
    """What a solver knows: nothing if it ran out of time."""

    solved: bool
    exact: bool = False
    value: float | None = None
    score: int | None = None
    moves: list[SolvedMoveView] = Field(default_factory=list)
    pv: list[LineMove] = Field(default_factory=list)
    source: str = ""
    reason: str = ""


class AgentCheck(Message):
    """A spec that the server may accept or not."""

    agent: AgentSpec


class AgentChecked(Message):
    """The spec in its shortest form."""

    agent: str


class SearchMessage(SearchRequest):
    """Over the socket: think, and tell how it goes."""

    type: Literal["search"]
    id: str = Field(min_length=1, max_length=40)
    session: str = Field(
        default="",
        max_length=40,
        description="A name for the game that is being played: each of its players has an agent "
        "that keeps what it knows from move to move, with a seed of its first search and at most "
        "64 MB. Without a name, nothing is kept.",
    )


class SolveMessage(SolveRequest):
    """Over the socket: solve, and tell how it goes."""

    type: Literal["solve"]
    id: str = Field(min_length=1, max_length=40)


class StopMessage(Message):
    """Over the socket: decide now."""

    type: Literal["stop"]
    id: str = Field(max_length=40)


class CancelMessage(Message):
    """Over the socket: nobody wants to know any more."""

    type: Literal["cancel"]
    id: str = Field(max_length=40)


class LeaveMessage(Message):
    """Over the socket: a game has ended, and its agents may forget it."""

    type: Literal["leave"]
    session: str = Field(min_length=1, max_length=40)


class WatchMessage(Message):
    """Over the socket: tell how a tournament, lab/ID or training/NAME goes; none: no more."""

    type: Literal["watch"]
    run: str | None = Field(max_length=80)


SocketMessage: TypeAlias = Annotated[
    SearchMessage | SolveMessage | StopMessage | CancelMessage | LeaveMessage | WatchMessage,
    Field(discriminator="type"),
]
SOCKET_MESSAGE: TypeAdapter[SocketMessage] = TypeAdapter(SocketMessage)


class Problem(BaseModel):
    """What every error has: one sentence."""

    detail: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "What is wrong, in one sentence."},
    401: {"model": Problem, "description": "The request has no token, or a wrong one."},
    403: {
        "model": Problem,
        "description": "The request comes from another page, or the disk is read-only.",
    },
    404: {"model": Problem, "description": "There is no such thing."},
    409: {"model": Problem, "description": "Not now."},
    413: {"model": Problem, "description": "The request is too large."},
    421: {"model": Problem, "description": "The server does not answer to that name."},
    422: {"model": Problem, "description": "What is wrong, in one sentence."},
    429: {"model": Problem, "description": "Too many requests, or too many searches."},
    507: {"model": Problem, "description": "The disk is full."},
}
