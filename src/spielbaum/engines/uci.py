"""Engines of UCI and UGI: how they are driven, what they are told, and what they say."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.base.scores import end_score, evaluation_score
from spielbaum.engines.process import EngineProcess
from spielbaum.engines.words import move_word

if TYPE_CHECKING:
    from spielbaum.games.state import State


_OPTION = re.compile(r"option name (?P<name>.+?) type (?P<kind>\w+)(?P<rest>.*)")
_LIMIT = re.compile(r"\b(min|max) (-?\d{1,18})\b", re.ASCII)


class UciProcess(EngineProcess):
    """A running engine of UCI, or of UGI if that is its ``dialect``.

    >>> UciProcess(["/bin/true"])
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.EngineError: engine /bin/true ended before it said uciok; is it a UCI \
engine?
    """

    def __init__(
        self, command: Sequence[str], dialect: str = "uci", startup: float | None = None
    ) -> None:
        super().__init__(command)
        self._options: dict[str, tuple[str, dict[str, int]]] = {}  # name as written, and its limits
        with self.closed_on_error():
            self.send(dialect)
            self._await(f"{dialect}ok", f"; is it a {dialect.upper()} engine?", startup)

    def has(self, option: str) -> bool:
        """Whether the engine has an option; capitals do not count."""
        return option.lower() in self._options

    def set_option(self, option: str, value: str) -> None:
        """Set an option; `SpecError` if the engine does not have it."""
        if not self.has(option):
            raise SpecError(f"engine {self.path} has no option {option!r:.60}")
        self.send(f"setoption name {self._options[option.lower()][0]} value {value}")

    def set_number(self, option: str, value: int, ours: str) -> None:
        """Set a number, within the limits of the engine; ``ours`` is what our users call it."""
        if not self.has(option):
            raise SpecError(f"engine {self.path} has no option {option!r}, which {ours}= sets")
        limits = self._options[option.lower()][1]
        low, high = limits.get("min"), limits.get("max")
        try:
            Option(ours, low or high or 0, low=low, high=high).check(value)
        except SpecError as error:
            raise SpecError(f"engine {self.path}: {error}") from None
        self.set_option(option, str(value))

    def get_ready(self) -> None:
        """Wait until the engine has done what it was told."""
        self.send("isready")
        self._await("readyok")

    def search(
        self,
        go: str,
        seconds: float | None,
        stopped: Callable[[], bool],
        heard: Callable[[Sequence[str]], None],
    ) -> list[str]:
        """Send a ``go`` line and return what follows ``bestmove``; ``heard`` gets every info."""
        answer: list[str] = []

        def listen(line: str) -> bool:
            words = line.split()
            if words[:1] == ["info"]:
                heard(words)
            answer.extend(words[1:] if words[:1] == ["bestmove"] else ())
            return words[:1] == ["bestmove"]

        self.send(go)
        self.watch(listen, seconds, stopped, stop="stop", probe="isready")
        return answer

    def _await(self, word: str, hint: str = "", seconds: float | None = None) -> None:
        """Read until a line begins with the word; remember name and options on the way."""

        def listen(line: str) -> bool:
            words = line.split()
            if words[:2] == ["id", "name"]:
                self.name = " ".join(words[2:]) or self.path
            elif option := _OPTION.fullmatch(" ".join(words)):
                limits = {name: int(number) for name, number in _LIMIT.findall(option["rest"])}
                self._options[option["name"].lower()] = (option["name"], limits)
            return words[:1] == [word]

        self.await_line(listen, f"{word}{hint}", seconds)


def move_text(state: State, move: int, chess960: bool) -> str:
    """A move as UCI writes it: in Chess960 mode castling is always king takes rook.

    >>> import spielbaum as sb
    >>> state = sb.game("chess").state("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    >>> castle = state.parse("e1g1")
    >>> move_text(state, castle, chess960=False), move_text(state, castle, chess960=True)
    ('e1g1', 'e1h1')
    """
    text = move_word(state, move)
    if not chess960 or text not in ("e1g1", "e1c1", "e8g8", "e8c8"):
        return text
    origin, target = state.cells_of(move)
    # Only castling takes a king two squares far; if a rook is there, it is written so already.
    if state.cells[origin] not in (6, 12) or state.cells[target]:
        return text
    return f"{text[:2]}{'h' if text[2] == 'g' else 'a'}{text[3]}"


def position_text(state: State, chess960: bool) -> str:
    """A position with the path to it, as the command ``position`` wants them.

    >>> import spielbaum as sb
    >>> position_text(sb.game("chess").initial().play("e2e4"), chess960=False)
    'startpos moves e2e4'
    """
    return path_text(state, lambda before, move: move_text(before, move, chess960))


def path_text(state: State, text: Callable[[State, int], str]) -> str:
    """The same, with a function that writes moves."""
    moves = []
    while (before := state.previous) is not None and (move := state.last_move) is not None:
        moves.append(text(before, move))
        state = before
    root = state.notation
    start = "startpos" if root == state.game.initial().notation else f"fen {root}"
    return f"{start} moves {' '.join(reversed(moves))}" if moves else start


def is_chess960(state: State) -> bool:
    """Whether somebody can castle in the position, or could earlier, as in Chess960 only.

    >>> import spielbaum as sb
    >>> is_chess960(sb.game("chess").state("4k3/8/8/8/8/8/8/4KR2 w K - 0 1"))
    True
    >>> is_chess960(sb.game("chess").initial().play("e2e4"))
    False
    """
    board, _, rights = state.root.notation.split()[:3]
    ranks = board.split("/")
    for right in rights.replace("-", ""):
        row = _squares(ranks[-1] if right.isupper() else ranks[0])
        king, rook = ("K", "R") if right.isupper() else ("k", "r")
        corner = {"K": 7, "Q": 0}.get(right.upper())
        if corner is None or row[4] != king or row[corner] != rook:
            return True
    return False


def _squares(rank: str) -> str:
    """The eight squares of a rank of FEN."""
    return "".join("." * int(each) if each.isdigit() else each for each in rank)


@dataclass(frozen=True)
class Info:
    """What an engine says about one of its best lines.

    >>> Info.read("info depth 5 score mate -2 nodes 99 pv e2e4 e7e5".split())
    Info(depth=5, nodes=99, score=-31996, line=('e2e4', 'e7e5'), number=1)
    >>> Info.read("info depth five score cp 3 pv e2e4".split()) is None
    True
    """

    depth: int
    nodes: int
    score: int
    """Tells the score in the scale of `spielbaum.base.scores`."""
    line: tuple[str, ...]
    number: int = 1
    """Ranks the line among several (MultiPV); the best is 1."""

    @classmethod
    def read(cls, words: Sequence[str]) -> Info | None:
        """The info of a line; None if it has no exact score of a line, or is nonsense."""
        if "pv" not in words or "score" not in words or "string" in words:
            return None
        if "lowerbound" in words or "upperbound" in words:
            return None
        at = words.index("pv")
        head, line = words[:at], tuple(words[at + 1 :])
        try:
            number = _after(head, "multipv") if "multipv" in head else 1
            nodes = _after(head, "nodes") if "nodes" in head else 0
            depth = _after(head, "depth") if "depth" in head else 0
            if "cp" in head:
                return cls(depth, nodes, evaluation_score(_after(head, "cp")), line, number)
            moves = _after(head, "mate")
        except (IndexError, ValueError):
            return None
        plies = 2 * moves - 1 if moves > 0 else -2 * moves
        return cls(depth, nodes, end_score(1.0 if moves > 0 else -1.0, plies), line, number)


def _after(words: Sequence[str], name: str) -> int:
    """The number after a word."""
    return int(words[words.index(name) + 1])
