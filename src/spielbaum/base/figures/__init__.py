"""Drawings of results as PNG or SVG: the style that all of them share, and the common kinds.

Matplotlib is loaded when the first figure is made, and nothing of it is changed for others: figures
belong to no window and to no global state.
"""

from spielbaum.base.figures.canvas import COLOURS, figure, save_figure
from spielbaum.base.figures.kinds import Curve, bars, curves, heat_map

__all__ = ["COLOURS", "Curve", "bars", "curves", "figure", "heat_map", "save_figure"]
