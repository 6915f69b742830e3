"""The pictures of `svg` as pixels, without a display: of SVG, what the faces of games write."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import atan2, cos, hypot, sin, sqrt, tau
from typing import TYPE_CHECKING, Any, TypeAlias
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.path import Path

Attributes: TypeAlias = Mapping[str, str]
Point: TypeAlias = tuple[float, float]

_WORD = re.compile(r"[A-Za-z]|[-+]?(?:\d+\.?\d*|\.\d+)")
_INHERITED = (
    *("fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin"),
    *("font-family", "font-weight", "text-anchor"),
)
_CAPS = {"butt": "butt", "round": "round", "square": "projecting"}
_NUMBERS = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "C": 6, "A": 7, "Z": 0}
"""How many numbers a command of a path takes."""
ARC_POINTS = 16


def pixels(svg: str) -> npt.NDArray[np.uint8]:
    """A picture as an array of shape (height, width, 3), on white.

    >>> import spielbaum as sb
    >>> pixels(sb.game("connect4").initial().svg(size=100)).shape[1:]
    (100, 3)
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    root = ElementTree.fromstring(svg)
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    scale = float(root.attrib["width"]) / width
    # With 72 dots per inch a point, in which lines and letters are measured, is a pixel.
    size = max(1, round(width * scale)), max(1, round(height * scale))
    figure = Figure(figsize=(size[0] / 72, size[1] / 72), dpi=72, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)  # matplotlib has no types for it
    _Painter(figure, scale, (left, top), height).paint(root, (0.0, 0.0), {})
    canvas.draw()
    return np.array(np.asarray(canvas.buffer_rgba())[..., :3])


class _Painter:
    """Puts the elements of a picture into a figure, those inside of others moved with them."""

    def __init__(self, figure: Figure, scale: float, corner: Point, height: float) -> None:
        from matplotlib.transforms import Affine2D

        self._figure = figure
        self._scale = scale
        # Pictures count from the top, figures from the bottom.
        self._to_pixels = (
            Affine2D().translate(-corner[0], -corner[1]).scale(scale, -scale)
        ).translate(0, height * scale)
        self._shapes: dict[str, Callable[[Attributes], Path]] = {
            "rect": _rectangle,
            "circle": _ellipse,
            "ellipse": _ellipse,
            "polygon": lambda each: path_of(f"M{each['points']}Z"),
            "path": lambda each: path_of(each["d"]),
        }

    def paint(self, element: ElementTree.Element, at: Point, above: Attributes) -> None:
        """Draw an element and what is inside of it, from back to front."""
        name = element.tag.rpartition("}")[2]
        attributes = {**{key: above[key] for key in _INHERITED if key in above}, **element.attrib}
        moved = [float(word) for word in _WORD.findall(attributes.get("transform", ""))[9:]]
        if moved:
            at = (at[0] + moved[0], at[1] + moved[1])
        if name in self._shapes:
            self._draw(self._shapes[name](attributes), at, attributes)
        elif name == "text":
            self._write(element, at, attributes)
            return
        for child in element:
            self.paint(child, at, attributes)

    def _draw(self, shape: Path, at: Point, attributes: Attributes) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.transforms import Affine2D

        patch = PathPatch(
            shape,
            transform=Affine2D().translate(*at) + self._to_pixels,
            facecolor=_colour(attributes, "fill", "#000000"),
            edgecolor=_colour(attributes, "stroke", "none"),
            linewidth=float(attributes.get("stroke-width", 1)) * self._scale,
            capstyle=_CAPS[attributes.get("stroke-linecap", "butt")],
            joinstyle=attributes.get("stroke-linejoin", "miter"),
        )
        self._figure.add_artist(patch)

    def _write(self, element: ElementTree.Element, at: Point, attributes: Attributes) -> None:
        point = (at[0] + float(attributes.get("x", 0)), at[1] + float(attributes.get("y", 0)))
        x, y = self._to_pixels.transform(point)
        mono = attributes["font-family"] == "monospace"
        self._figure.text(
            x,
            y,
            # A dollar sign would begin a formula.
            "".join(element.itertext()).replace("$", r"\$"),
            transform=None,
            fontsize=float(attributes["font-size"]) * self._scale,
            # Those of matplotlib itself, which are the same on every machine.
            family="DejaVu Sans Mono" if mono else "DejaVu Sans",
            fontweight="bold" if int(attributes["font-weight"]) >= 600 else "normal",
            color=attributes.get("fill", "#000000"),
            ha={"start": "left", "middle": "center"}[attributes["text-anchor"]],
            va="baseline",
        )


def _colour(attributes: Attributes, kind: str, default: str) -> str | tuple[str, float]:
    value = attributes.get(kind, default)
    if value in ("none", "transparent"):
        return "none"
    return value, float(attributes.get(f"{kind}-opacity", 1))


def _rectangle(attributes: Attributes) -> Path:
    x, y, width, height, r = (
        float(attributes.get(key, 0)) for key in ("x", "y", "width", "height", "rx")
    )
    inner = (width - 2 * r, height - 2 * r)
    return path_of(
        f"M{x + r} {y}h{inner[0]}q{r} 0 {r} {r}v{inner[1]}q0 {r} {-r} {r}"
        f"h{-inner[0]}q{-r} 0 {-r} {-r}v{-inner[1]}q0 {-r} {r} {-r}z"
    )


def _ellipse(attributes: Attributes) -> Path:
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

    middle = (float(attributes.get("cx", 0)), float(attributes.get("cy", 0)))
    radii = (float(attributes.get(key, attributes.get("r", 0))) for key in ("rx", "ry"))
    return Path.unit_circle().transformed(Affine2D().scale(*radii).translate(*middle))


def arc(start: Point, end: Point, radius: float, *, large: bool, sweep: bool) -> list[Point]:
    """Points on an arc of a circle, as close as pixels are; ``end`` is the last.

    >>> [(round(x), round(y)) for x, y in arc((-5, 0), (5, 0), 5, large=False, sweep=True)[7::8]]
    [(0, -5), (5, 0)]
    """
    (x0, y0), (x1, y1) = start, end
    middle, half = ((x0 + x1) / 2, (y0 + y1) / 2), hypot(x1 - x0, y1 - y0) / 2
    away = sqrt(max(0.0, radius**2 - half**2)) / half * (1 if large != sweep else -1)
    # The centre is beside the middle of the chord, at a right angle to it.
    x, y = middle[0] - away * (y1 - y0) / 2, middle[1] + away * (x1 - x0) / 2
    first, last = atan2(y0 - y, x0 - x), atan2(y1 - y, x1 - x)
    turn = (last - first) % tau if sweep else -((first - last) % tau)
    angles = [first + turn * i / ARC_POINTS for i in range(1, ARC_POINTS)]
    return [*((x + radius * cos(each), y + radius * sin(each)) for each in angles), end]


def path_of(text: str) -> Path:
    """The path of an element's ``d``: moves, lines and curves, absolute or relative.

    >>> path_of("M1 2h3zm1 1L5 5").vertices.tolist()
    [[1.0, 2.0], [4.0, 2.0], [1.0, 2.0], [2.0, 3.0], [5.0, 5.0]]
    """
    from matplotlib.path import Path

    words = _WORD.findall(text)
    kinds = {"M": Path.MOVETO, "Q": Path.CURVE3, "C": Path.CURVE4}
    vertices: list[Point] = []
    codes: list[np.uint8] = []
    here = start = (0.0, 0.0)
    command = ""
    while words:
        if words[0].isalpha():
            command = words.pop(0)
        name = command.upper()
        count = _NUMBERS[name]
        numbers = [float(words.pop(0)) for _ in range(count)]
        base = here if command.islower() else (0.0, 0.0)
        if name == "Z":
            points = [start]
        elif name == "H":
            points = [(base[0] + numbers[0], here[1])]
        elif name == "V":
            points = [(here[0], base[1] + numbers[0])]
        elif name == "A":
            end = (base[0] + numbers[5], base[1] + numbers[6])
            points = arc(here, end, numbers[0], large=numbers[3] > 0, sweep=numbers[4] > 0)
        else:
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            points = [(base[0] + x, base[1] + y) for x, y in pairs]
        here = points[-1]
        if name == "M":
            start = here
        vertices += points
        codes += [Path.CLOSEPOLY if name == "Z" else kinds.get(name, Path.LINETO)] * len(points)
        if name == "M":  # further points of a move are lines
            command = "l" if command.islower() else "L"
    return Path(vertices, codes)
