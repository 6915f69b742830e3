"""The boards of the games as geometry and markup, from the faces that also draw them elsewhere."""

from __future__ import annotations

from functools import lru_cache

from spielbaum.games.drawing.text import LINK_COLOURS, BoardFace
from spielbaum.solvers.solver import has_solver
from spielbaum.studio.server.guard import permitted_game
from spielbaum.studio.services.protocol import BoardView, CellView, LabelView, LinkView


@lru_cache(maxsize=128)
def board_of(spec: str) -> BoardView:
    """How the board of a game is drawn; without cells if the game has only a text.

    >>> board = board_of("yavalath")
    >>> len(board.cells), board.cells[30].name, board.sides
    (61, 'e5', ['white', 'black'])
    """
    rules = permitted_game(spec)
    face = rules.face
    players = rules.num_players
    if not isinstance(face, BoardFace):
        sides = [f"player {number + 1}" for number in range(players)]
        return BoardView(
            game=str(rules),
            title=rules.name,
            players=players,
            sides=sides,
            solver=has_solver(rules),
        )
    layout = face.layout(rules)
    margin = face.margin(layout)
    shapes: list[str] = []
    cells = []
    for cell in range(len(layout.names)):
        shape = face.cell_shape(layout, cell)
        if shape not in shapes:
            shapes.append(shape)
        x, y = layout.centres[cell]
        cells.append(CellView(name=layout.names[cell], x=x, y=y, shape=shapes.index(shape)))
    contents = range(1, face.num_contents(rules) + 1)
    return BoardView(
        game=str(rules),
        title=face.title,
        players=players,
        sides=list(face.drawn_sides[:players]),
        solver=has_solver(rules),
        width=layout.width,
        height=layout.height,
        margin=margin,
        frame=face.frame(layout, margin),
        shapes=shapes,
        cells=cells,
        stones=[face.stone(content) for content in contents],
        chips=[face.chip(player) for player in range(players)],
        names=[face.content_name(content) for content in contents],
        labels=[
            LabelView(
                text=label.content,
                x=label.point[0],
                y=label.point[1],
                size=label.size,
                fill=label.fill,
            )
            for label in face.labels(layout, margin)
        ],
        last=face.last_shape(),
        last_below=face.last_below,
        target=face.target_shape(occupied=False),
        target_occupied=face.target_shape(occupied=True),
        by_column=face.by_column,
        previews=face.previews,
        disqualifies=rules.can_disqualify,
        links=[
            LinkView(
                cells=link.cells,
                ends=[round(value, 1) for point, _ in ends for value in point],
                colour=LINK_COLOURS[number % len(LINK_COLOURS)],
            )
            for number, link in enumerate(layout.links)
            for ends in [link.ends(layout.centres)]
        ],
        link_marks=face.link_marks(layout),
        explained=list(face.explained),
        icons=dict(face.icons),
        words={language: dict(words) for language, words in face.words.items()},
    )


@lru_cache(maxsize=128)
def sketch_of(spec: str) -> str:
    """The start of a game as a small picture, for choosing among many.

    >>> sketch_of("reversixt:map=map22").startswith("<svg")
    True
    """
    start = permitted_game(spec).initial()
    face = start.game.face
    return face.sketch(start) if isinstance(face, BoardFace) else face.svg(start, size=160)
