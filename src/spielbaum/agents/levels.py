"""Opponents by name, from one that a beginner beats to one that never loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum.base.budget import Budget
from spielbaum.base.errors import SpecError

if TYPE_CHECKING:
    from spielbaum.games import Game

DEFAULT_LEVEL = "club"
EVALUATED = ("chess", "reversi", "reversixt")
"""Games whose evaluation makes alpha-beta the stronger search at every level."""
PERFECT = ("tictactoe", "connect4")
"""Games that a solver plays perfectly from the first move on."""


@dataclass(frozen=True)
class Level:
    """An opponent with a name: its agent, and what it may spend on a move."""

    name: str
    agent: str
    budget: Budget


def levels(game: Game) -> tuple[Level, ...]:
    """List the levels of a game, the weakest first.

    >>> import spielbaum as sb
    >>> [level.name for level in levels(sb.game("tictactoe"))]
    ['beginner', 'casual', 'club', 'strong', 'perfect']
    >>> levels(sb.game("chess"))[1].agent, levels(sb.game("chess"))[1].budget.depth
    ('alphabeta', 2)
    """
    if game.name in EVALUATED:
        agent, efforts = "alphabeta", [Budget(depth=depth) for depth in (1, 2, 4)]
    else:
        agent, efforts = "mcts", [Budget(iterations=count) for count in (30, 300, 3000)]
    named = zip(
        ("beginner", "casual", "club", "strong"), (*efforts, Budget(seconds=2)), strict=True
    )
    found = [Level(name, agent, budget) for name, budget in named]
    if game.name in PERFECT and str(game) == game.name:
        found.append(Level("perfect", "perfect", Budget()))
    return tuple(found)


def level(game: Game, name: str) -> Level:
    """Find a level by its name; `SpecError` if the game has none of that name.

    >>> import spielbaum as sb
    >>> level(sb.game("hex"), "perfect")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: level 'perfect' of hex: expected beginner, casual, club or \
strong
    """
    known = {each.name: each for each in levels(game)}
    if name not in known:
        *others, last = known
        raise SpecError(
            f"level {name!r:.40} of {game.name}: expected {', '.join(others)} or {last}"
        )
    return known[name]
