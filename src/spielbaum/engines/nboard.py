"""Engines of NBoard's protocol: how they are driven, and what it calls moves and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spielbaum.engines.process import EngineProcess
from spielbaum.engines.words import vertex
from spielbaum.games.formats.ggf import text_of
from spielbaum.games.records import GameTree

if TYPE_CHECKING:
    from spielbaum.games.state import State

VERSIONS = ("1", "2")
DISCS = 64.0
"""Discs by which a game is won that has a value of 1."""


def move_name(state: State, move: int) -> str:
    """A move as NBoard writes it: two capitals.

    >>> import spielbaum as sb
    >>> move_name(sb.game("reversi").initial(), 19)
    'D3'
    """
    name = vertex(state, move)
    return "PA" if name == "pass" else name


def discs_of(value: float) -> float:
    """A value as a number of discs, which NBoard shows; it is no count of discs.

    >>> discs_of(0.25), discs_of(-1.0)
    (16.0, -64.0)
    """
    return DISCS * value


def game_text(state: State) -> str:
    """The game that led to a position, in GGF.

    >>> import spielbaum as sb
    >>> game_text(sb.game("reversi").initial().play("f5")).endswith(" *]B[f5];)")
    True
    """
    return text_of(GameTree.of_moves(state.root, state.history))


class NBoardProcess(EngineProcess):
    """A running engine of NBoard's protocol."""

    def __init__(
        self,
        command: Sequence[str],
        depth: int,
        version: str = "2",
        startup: float | None = None,
    ) -> None:
        super().__init__(command)
        self._pings = 0
        with self.closed_on_error():
            self.send(f"nboard {version}")
            self.send(f"set depth {depth}")
            self.synchronise("; is it an NBoard engine?", startup)

    def synchronise(self, hint: str = "", seconds: float | None = None) -> None:
        """Wait until the engine has done what it was told, and thinks no more."""
        self._pings += 1
        wanted = ["pong", str(self._pings)]

        def hear(line: str) -> bool:
            words = line.split()
            if words[:2] == ["set", "myname"]:
                self.name = " ".join(words[2:]) or self.path
            return words == wanted

        self.send(f"ping {self._pings}")
        self.await_line(hear, f"pong {self._pings}{hint}", seconds)

    def think(
        self,
        seconds: float | None,
        stopped: Callable[[], bool],
        heard: Callable[[Sequence[str]], None],
        patience: float,
    ) -> list[str]:
        """Send ``go`` and return the words of the answer; ``heard`` gets every other line."""
        answer: list[str] = []

        def listen(line: str) -> bool:
            words = line.split()
            if words[:1] != ["==="]:
                heard(words)
                return False
            answer.extend(" ".join(words[1:]).replace("/", " / ").split())
            return True

        self.send("go")
        self.watch(listen, seconds, stopped, patience=patience)
        return answer
