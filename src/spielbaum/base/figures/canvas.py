"""An empty figure in our style, and the way to a file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielbaum.base.options import Option

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, which people with any kind of colour vision can tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d00", "#000000")
INK, FAINT = "#222222", "#dddddd"
IMAGE = Option("image", "png", choices=("png", "svg"))

# Matplotlib's own type for this lists hundreds of names.
_STYLE: Any = {
    "font.size": 9.0,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": FAINT,
    "axes.axisbelow": True,
    # Letters stay letters, and equal figures are equal files.
    "svg.fonttype": "none",
    "svg.hashsalt": "spielbaum",
}


def figure(title: str, *, width: float = 7.0, height: float = 4.0) -> tuple[Figure, Axes]:
    """A figure with one set of axes; sizes in inches.

    >>> made, axes = figure("Nothing yet")
    >>> axes.get_title(loc="left")
    'Nothing yet'
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    class Shown(Figure):
        """Shows itself in a notebook, without the windows of pyplot."""

        def _repr_png_(self) -> bytes:
            written = io.BytesIO()
            self.savefig(written, format="png", dpi=100)
            return written.getvalue()

    with mpl.rc_context(_STYLE):
        made = Shown(figsize=(width, height), layout="constrained")
        axes = made.add_subplot()
        axes.set_title(title, loc="left")
    return made, axes


def save_figure(made: Figure, path: Path) -> Path:
    """Write a figure to a file, whose ending says the format: ``.png`` or ``.svg``."""
    import matplotlib as mpl

    image = str(IMAGE.parse(path.suffix.removeprefix(".")))
    metadata = {"Date": None} if image == "svg" else {"Software": None}
    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(_STYLE):
        made.savefig(path, format=image, dpi=150, metadata=metadata)
    return path
