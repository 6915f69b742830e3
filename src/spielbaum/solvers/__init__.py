"""Exact values of positions: from a search, from the opening book, or remembered on disk."""

from spielbaum._core import SolveProgress
from spielbaum.solvers.find import solve
from spielbaum.solvers.solution import NotSolved, Solution, SolvedMove

__all__ = ["NotSolved", "Solution", "SolveProgress", "SolvedMove", "solve"]
