"""Where games begin: positions that are given or drawn, so that no two games are copies."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spielbaum.base.bounded import read_text
from spielbaum.base.errors import SpecError
from spielbaum.games import Game, State
from spielbaum.games.records import first_plies, formats, read_records
from spielbaum.play.random_openings import random_openings

FILE = re.compile(r"(?P<path>.+?)(@(?P<plies>[1-9]\d{0,4}))?")


@dataclass(frozen=True)
class Opening:
    """A start position and moves from there.

    >>> Opening("", ("d1", "d2")).moves
    ('d1', 'd2')
    """

    start: str = ""
    moves: tuple[str, ...] = ()

    def state(self, rules: Game) -> State:
        """The position after it.

        >>> import spielbaum as sb
        >>> Opening("4", ("d2",)).state(sb.game("connect4")).notation
        '44'
        """
        state = rules.state(self.start) if self.start else rules.initial()
        for move in self.moves:
            state = state.play(move)
        return state


@dataclass(frozen=True)
class Openings:
    """A rule by which games begin.

    ``empty``, ``random:PLIES``, ``balanced:PLIES``, ``file:PATH``, or ``position:NOTATION``, the
    same one for all. A file has a position in each line, or is a file of games (.pgn, .sgf, .wtb),
    which may be named without ``file:``; ``games.pgn@8`` takes the first eight plies of each game.

    Without a number of plies, ``random`` and ``balanced`` take the fewest that leave a choice.

    >>> import spielbaum as sb
    >>> rule = Openings.parse("random:2")
    >>> [opening.moves for opening in rule.draw(sb.game("tictactoe"), 2, seed=1)]
    [('a2', 'c3'), ('a1', 'b3')]
    """

    kind: str = "random"
    plies: int | None = None
    path: str = ""
    """Of the file, or the notation of the position."""

    @classmethod
    def parse(cls, text: str) -> Openings:
        """Read a rule.

        >>> Openings.parse("middle")
        Traceback (most recent call last):
            ...
        spielbaum.base.errors.SpecError: openings 'middle': expected empty, random:PLIES, \
balanced:PLIES, file:PATH or position:NOTATION
        """
        kind, _, rest = text.partition(":")
        if kind == "position" and rest:
            return cls(kind, path=rest)
        named = FILE.fullmatch(rest if kind == "file" else text)
        if named and (kind == "file" or _holds_games(Path(named["path"]))):
            return cls("file", int(named["plies"]) if named["plies"] else None, named["path"])
        if kind == "empty" and not rest:
            return cls(kind, 0)
        if kind in ("random", "balanced") and (not rest or rest.isdecimal()):
            return cls(kind, int(rest) if rest else None)
        raise SpecError(
            f"openings {text!r:.60}: expected empty, random:PLIES, balanced:PLIES, file:PATH or "
            "position:NOTATION"
        )

    @property
    def text(self) -> str:
        """The rule as `parse` reads it."""
        plies = str(self.plies) if self.plies and self.kind != "empty" else ""
        rest = f"{self.path}@{plies}" if self.path and plies else self.path or plies
        return f"{self.kind}:{rest}" if rest else self.kind

    @property
    def is_fixed(self) -> bool:
        """Whether all games begin with the same position."""
        return self.kind in ("empty", "position") or self.plies == 0

    def draw(self, rules: Game, count: int, seed: int) -> list[Opening]:
        """So many openings, all different as long as there are enough; else they come in rounds."""
        return list(self.each(rules, count, seed))

    def each(self, rules: Game, count: int, seed: int) -> Iterator[Opening]:
        """The openings of `draw`, each when it is asked for: finding them may take a while."""
        if self.is_fixed:
            if self.path:
                rules.state(self.path)  # says what is wrong with it
            return itertools.repeat(Opening(self.path), count)
        if self.kind == "file":
            path = Path(self.path)
            found = _of_games(rules, path, self.plies) if _holds_games(path) else _read(rules, path)
            return itertools.islice(itertools.cycle(found), count)
        plies = self.plies if self.plies is not None else _enough_plies(rules, count)
        drawn = random_openings(rules, plies, count, seed, balanced=self.kind == "balanced")
        return (Opening("", moves) for moves in drawn)

    def states(self, rules: Game, count: int, seed: int) -> list[State]:
        """The positions after so many openings.

        >>> import spielbaum as sb
        >>> [each.notation for each in Openings("random", 2).states(sb.game("connect4"), 2, 1)]
        ['37', '16']
        >>> Openings("random", 9).states(sb.game("tictactoe"), 1, 1)
        Traceback (most recent call last):
            ...
        spielbaum.base.errors.SpecError: openings random:9: games of tictactoe are over or \
decided by then
        """
        return [opening.state(rules) for opening in self.draw(rules, count, seed)]


def _enough_plies(rules: Game, count: int) -> int:
    """The fewest plies, in whole rounds, after which there are many more positions than needed."""
    choices, plies, state = 1, 0, rules.initial()
    while choices < 8 * count and state.outcome is None and plies < 8:
        for _ in range(rules.num_players):
            if state.outcome is not None:
                break
            choices *= len(state.legal_moves)
            state = state.play(state.legal_moves[len(state.legal_moves) // 2])
            plies += 1
    return plies


def _read(rules: Game, path: Path) -> list[Opening]:
    """A position in each line; empty lines and what follows a # do not count."""
    try:
        lines = read_text(path).splitlines()
    except (OSError, ValueError) as error:
        raise SpecError(f"openings file:{path}: {error}") from None
    found = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            state = rules.state(text)
        except ValueError as error:
            raise SpecError(f"openings file:{path}, line {number}: {error}") from None
        if state.outcome is not None:
            raise SpecError(f"openings file:{path}, line {number}: the game is over there")
        found.append(Opening(text))
    if not found:
        raise SpecError(f"openings file:{path}: it has no position")
    return found


def _holds_games(path: Path) -> bool:
    """Whether a file has game records; one with the ending .txt has positions."""
    ending = path.suffix.lower()
    readable = (each for each in formats().values() if each.read is not None)
    return ending != ".txt" and any(ending in each.endings for each in readable)


def _of_games(rules: Game, path: Path, plies: int | None) -> list[Opening]:
    """The first plies of the games of a file, each beginning once."""
    found: dict[Opening, None] = {}
    for number, tree in enumerate(read_records(path, rules=rules), start=1):
        where = f"openings file:{path}, game {number}"
        if tree.errors:
            raise SpecError(f"{where}: {tree.errors[0]}")
        if tree.game != rules:
            raise SpecError(f"{where}: it is a game of {tree.game}, not of {rules}")
        state, moves = tree.start, []
        for move in (tree if plies is None else first_plies(tree, plies)).moves():
            moves.append(state.text(move))
            state = state.play(move)
        if state.outcome is not None:
            raise SpecError(f"{where}: it is over there; {path}@8 takes the first eight plies")
        start = "" if tree.start == rules.initial() else tree.start.notation
        found[Opening(start, tuple(moves))] = None
    if not found:
        raise SpecError(f"openings file:{path}: it has no game")
    return list(found)
