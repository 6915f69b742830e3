"""Engines of GTP: how they are driven, and what GTP calls our games' players and sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spielbaum.base.errors import EngineError
from spielbaum.engines.process import EngineProcess

if TYPE_CHECKING:
    from spielbaum.games.game import Game

SIZES = ("size", "board_size", "boardsize")
"""Options of games that say how large a square board is."""


def colours(game: Game) -> tuple[str, str]:
    """The colours of the first and the second player: black begins, except in chess.

    >>> import spielbaum as sb
    >>> colours(sb.game("reversi")), colours(sb.game("chess"))
    (('black', 'white'), ('white', 'black'))
    """
    return ("white", "black") if game.name == "chess" else ("black", "white")


class GtpProcess(EngineProcess):
    """A running engine of GTP.

    >>> GtpProcess(["/bin/true"])
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.EngineError: engine /bin/true ended before it said an answer to \
list_commands; is it a GTP engine?
    """

    def __init__(self, command: Sequence[str], startup: float | None = None) -> None:
        super().__init__(command)
        self.commands: frozenset[str] = frozenset()
        with self.closed_on_error():
            listed = self.ask("list_commands", "; is it a GTP engine?", startup)
            self.commands = frozenset(listed.split())
            if "name" in self.commands:
                self.name = self.ask("name") or self.path

    def ask(self, command: str, hint: str = "", seconds: float | None = None) -> str:
        """Send a short command and return its answer; `EngineError` if it fails."""
        answer = _Answer()
        self.send(command)
        self.await_line(answer.hear, f"an answer to {command.split()[0]}{hint}", seconds)
        return self._taken(answer, command)

    def tries(self, command: str) -> bool:
        """Send a short command that the engine may refuse."""
        try:
            self.ask(command)
        except RefusedError:
            return False
        return True

    def think(
        self, command: str, seconds: float | None, stopped: Callable[[], bool], patience: float
    ) -> str:
        """Send a command that takes its time; an engine of GTP cannot be interrupted by it."""
        answer = _Answer()
        self.send(command)
        self.watch(answer.hear, seconds, stopped, patience=patience)
        return self._taken(answer, command)

    def _taken(self, answer: _Answer, command: str) -> str:
        text = "\n".join(answer.lines)
        if answer.failed:
            raise RefusedError(f"engine {self.path} refused {command!r:.60}: {text:.200}")
        return text


class RefusedError(EngineError):
    """A command that an engine answered by ``?``."""


class _Answer:
    """The lines of an answer: from ``=`` or ``?`` to an empty line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.failed = False
        self._begun = False

    def hear(self, line: str) -> bool:
        if not self._begun:
            if line[:1] not in ("=", "?"):
                return False  # rubbish before the answer
            self._begun, self.failed = True, line[0] == "?"
            line = line[1:].lstrip("0123456789").strip()
            self.lines += [line] if line else []
            return False
        if not line:
            return True
        self.lines.append(line)
        return False
