"""Exact values of positions: from a search, from the opening book, or remembered on disk."""

from spielbaum.solving.solution import NotSolved, Solution, SolvedMove
from spielbaum.solving.solve import solve

__all__ = ["NotSolved", "Solution", "SolvedMove", "solve"]
