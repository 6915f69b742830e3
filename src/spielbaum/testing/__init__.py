"""Conformance laws that anybody can run on a game or an evaluator of their own."""

from spielbaum.testing.evaluator_laws import check_evaluator
from spielbaum.testing.game_laws import LawBroken, check_game

__all__ = ["LawBroken", "check_evaluator", "check_game"]
