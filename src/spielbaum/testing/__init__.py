"""Conformance laws that anybody can run on a game of their own."""

from spielbaum.testing.game_laws import LawBroken, check_game

__all__ = ["LawBroken", "check_game"]
