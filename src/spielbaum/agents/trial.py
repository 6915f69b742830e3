"""Whether agents can play a game at all, before anything depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spielbaum.agents.registry import agent, stored_agent
from spielbaum.base.budget import Budget
from spielbaum.base.errors import ModelError, SpecError

if TYPE_CHECKING:
    from spielbaum.games import Game

GLANCE = Budget(seconds=0.05, iterations=1, nodes=1, depth=1)


def check_players(specs: Sequence[str], game: Game, *, written: bool = False) -> None:
    """Let each of some agents choose a first move; what does not fit the game is told.

    Agents that fail in another way are not judged here: whoever plays with them will see. Of specs
    that were ``written`` just now, every option must have an effect.

    >>> import spielbaum as sb
    >>> check_players(["uct", "uci:path=true"], sb.game("connect4"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: agent uci plays chess, not connect4
    """
    for spec in dict.fromkeys(specs):
        made = agent(spec) if written else stored_agent(spec)
        try:
            made.choose(game.initial(), GLANCE)
        except (ModelError, SpecError):
            raise
        except Exception:
            continue
        finally:
            made.stop()
