"""The agent ``nboard``: an outside Othello engine that speaks NBoard's protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spielbaum.agents.decision import Decision
from spielbaum.agents.outside import PROGRAM, OutsideAgent
from spielbaum.agents.registry import register_agent
from spielbaum.base.errors import IllegalMove, SpecError
from spielbaum.base.options import Option
from spielbaum.engines.nboard import DISCS, NBoardProcess, game_text
from spielbaum.engines.process import HANDSHAKE_SECONDS
from spielbaum.engines.words import find_move
from spielbaum.games.game import game

if TYPE_CHECKING:
    from spielbaum.base.budget import Budget
    from spielbaum.games import State

OPTIONS = (
    *PROGRAM,
    Option("depth", 8, "plies that it looks ahead, which is its level", low=1, high=60),
    Option("version", "2", "of the protocol: Edax knows version 1", choices=("1", "2")),
    Option("patience", 60.0, "seconds that an answer may take beyond the budget", low=0.1),
)


class NBoardAgent(OutsideAgent[NBoardProcess]):
    """An Othello engine for NBoard, such as Edax or Ntest; plays Reversi on 8 x 8.

    Its level is a depth. It gets the whole game in GGF before every move.

    >>> import sys
    >>> import spielbaum as sb
    >>> agent = sb.agent("nboard", path=sys.executable, args="-m spielbaum nboard", depth=3)
    >>> state = sb.game("reversi").initial()
    >>> agent.choose(state).move in state.legal_moves
    True
    >>> agent.close()
    """

    kind = "nboard"

    def __init__(
        self,
        path: str,
        args: str = "",
        startup: float = HANDSHAKE_SECONDS,
        depth: int = 8,
        version: str = "2",
        patience: float = 60.0,
    ) -> None:
        super().__init__(path, args, startup)
        self._depth = depth
        self._version = version
        self._patience = patience

    def check(self, state: State) -> None:
        """Refuse other games and sizes."""
        if state.game != game("reversi"):
            raise SpecError(f"agent nboard plays reversi on 8 x 8, not {state.game}")

    def start(self) -> NBoardProcess:
        """Start the engine and set its depth."""
        return NBoardProcess(self.command, self._depth, self._version, self.startup)

    def ask(
        self, engine: NBoardProcess, state: State, limits: Budget, stopped: Callable[[], bool]
    ) -> Decision:
        """Send the game and let the engine choose."""
        began = time.perf_counter()
        stats: dict[str, bool | int | float | str] = {"engine": engine.name}

        def hear(words: Sequence[str]) -> None:
            if words[:1] == ["nodestats"] and len(words) > 1 and words[1].isdigit():
                stats["nodes"] = int(words[1])

        engine.send(f"set game {game_text(state)}")
        engine.synchronise()
        answer = engine.think(limits.seconds, stopped, hear, self._patience)
        try:
            move = find_move(state, answer[0] if answer else "")
        except IllegalMove:
            raise self.illegal(" ".join(answer), state) from None
        stats["seconds"] = time.perf_counter() - began
        return Decision(move, _value(answer[1:]), pv=(move,), stats=stats, state=state)


def _value(words: Sequence[str]) -> float:
    """The value of an evaluation in discs, if there is one."""
    for word in words[:2]:
        try:
            return max(-1.0, min(1.0, float(word) / DISCS))
        except ValueError:
            continue
    return 0.0


register_agent(
    "nboard",
    NBoardAgent,
    options=OPTIONS,
    help="an outside Othello engine that speaks NBoard's protocol",
)
