"""Small pieces of SVG markup: elements, shapes about the origin, text, and the marks on cells.

Nothing here has an id, so that any number of pictures can stand on one page.
"""

from __future__ import annotations

import re
from html import escape

INK = "#1b1f24"  # the colour of text and outlines on marks

NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escaped(content: str) -> str:
    """Any text, made safe as content or attribute value of XML.

    >>> escaped('a < "b" & c')
    'a &lt; &quot;b&quot; &amp; c'
    """
    return escape(NOT_XML.sub("\ufffd", content))


def tag(name: str, *children: str, **attributes: str | float) -> str:
    """An element. The children are markup; in the names of attributes, write "_" for "-".

    >>> tag("circle", class_="stone", r=40.0, stroke_width=2.504)
    '<circle class="stone" r="40" stroke-width="2.5"/>'
    >>> tag("g", tag("title", escaped("x < o")))
    '<g><title>x &lt; o</title></g>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def _attribute(value: str | float) -> str:
    return escaped(value) if isinstance(value, str) else f"{round(value, 2):.10g}"


def picture(title: str, box: tuple[float, float, float, float], size: int, *children: str) -> str:
    """A whole picture; `box` is left, top, width and height, `size` the pixels of the longer side.

    >>> picture("Nothing", (0, 0, 20, 10), 100)[:75]
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" width="100" hei'
    """
    if size < 1:
        raise ValueError(f"size {size} is too small: expected at least 1 pixel")
    _, _, width, height = box
    return tag(
        "svg",
        tag("title", escaped(title)),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=" ".join(map(_attribute, box)),
        width=size * width / max(width, height),
        height=size * height / max(width, height),
        role="img",
        aria_label=title,
        font_family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif",
        font_weight="600",
        text_anchor="middle",
    )


def square(side: float, fill: str, **attributes: str | float) -> str:
    """A square about the origin.

    >>> square(10, "red")
    '<rect x="-5" y="-5" width="10" height="10" fill="red"/>'
    """
    return tag("rect", x=-side / 2, y=-side / 2, width=side, height=side, fill=fill, **attributes)


def circle(radius: float, fill: str, **attributes: str | float) -> str:
    """A disc about the origin.

    >>> circle(40, "red", cy=3)
    '<circle r="40" fill="red" cy="3"/>'
    """
    return tag("circle", r=radius, fill=fill, **attributes)


def ring(radius: float, stroke: str, width: float) -> str:
    """A circular line about the origin.

    >>> ring(20, "red", 4)
    '<circle r="20" fill="none" stroke="red" stroke-width="4"/>'
    """
    return circle(radius, "none", stroke=stroke, stroke_width=width)


def placed(point: tuple[float, float], shape: str, **attributes: str | float) -> str:
    """A shape drawn about the origin, moved to a point.

    >>> placed((50, 150), circle(40, "red"), class_="stone")
    '<g class="stone" transform="translate(50 150)"><circle r="40" fill="red"/></g>'
    """
    x, y = (_attribute(value) for value in point)
    return tag("g", shape, **attributes, transform=f"translate({x} {y})")


def text(content: str, point: tuple[float, float], size: float, fill: str) -> str:
    """A text centred on a point.

    >>> text("a<b", (0, 0), 20, "red")
    '<text x="0" y="7" font-size="20" fill="red">a&lt;b</text>'
    """
    x, y = point
    # Baselines differ between browsers; digits and capitals are about 0.7 of the font size high.
    return tag("text", escaped(content), x=x, y=y + 0.35 * size, font_size=size, fill=fill)


def label_of(mark: str | float) -> str:
    """A mark as one line of text: numbers with their sign and two decimals.

    >>> label_of(0.5), label_of(-0.001), label_of("best")
    ('+0.50', '+0.00', 'best')
    """
    if isinstance(mark, str):
        return " ".join(mark.split())
    return f"{round(float(mark), 2) + 0.0:+.2f}"  # adding 0.0 turns -0.0 into 0.0


def tint(value: float) -> str:
    """The colour of a value: red at -1, nearly white at 0, green at 1.

    >>> tint(-1), tint(0), tint(1)
    ('#f28b82', '#fbf8ef', '#74cc8c')
    """
    neutral, end = (251, 248, 239), (116, 204, 140) if value > 0 else (242, 139, 130)
    strength = min(1.0, abs(value))
    channels = (round(a + strength * (b - a)) for a, b in zip(neutral, end, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def plate(mark: str | float) -> str:
    """A mark on a small plate about the origin, readable on any background; numbers are tinted."""
    label = label_of(mark)
    size = min(25.0, 122.0 / max(1, len(label)))
    width = min(96.0, 0.63 * size * len(label) + 14)
    background = tag(
        "rect",
        x=-width / 2,
        y=-0.7 * size,
        width=width,
        height=1.4 * size,
        rx=0.45 * size,
        fill=tint(0.0 if isinstance(mark, str) else float(mark)),
        stroke=INK,
        stroke_opacity=0.5,
        stroke_width=1.5,
    )
    return background + text(label, (0, 0), size, INK)
