"""Shapes that the boards of hexagons share."""

from __future__ import annotations

from math import sqrt

from spielbaum.games.drawing.svg import tag
from spielbaum.games.drawing.text import CELL, Layout


def outline(radius: float) -> str:
    """The corners of a hexagon about the origin that stands on a corner."""
    half, width = radius / 2, radius * sqrt(3) / 2
    corners = (
        (0, -radius),
        (width, -half),
        (width, half),
        (0, radius),
        (-width, half),
        (-width, -half),
    )
    return " ".join(f"{x:.5g},{y:.5g}" for x, y in corners)


def rounded_frame(layout: Layout, margin: float, fill: str) -> str:
    """What is behind a board of hexagons: its outline through the ends of the rows, widened."""
    left = [row.cells[0] for row in layout.rows]
    right = [row.cells[-1] for row in layout.rows]
    corners = " ".join("{:.5g},{:.5g}".format(*layout.centres[i]) for i in (*left, *right[::-1]))
    return tag(
        "polygon",
        points=corners,
        fill=fill,
        stroke=fill,
        stroke_width=CELL + 2 * margin,
        stroke_linejoin="round",
    )
