"""Logs of games: one line each as the course's referee wrote them, and boards for people.

A line is ``map|name|moves|stones``. Moves are ``p:x,y,choice``; ``p!x,y,choice`` was refused as
invalid, and ``p!reason`` is another disqualification. Stones are those of each player at the end, D
for who was disqualified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from spielbaum.agents import Decision
from spielbaum.base.bounded import read_text
from spielbaum.base.errors import IllegalMove, NotationError, SpecError, StoreError
from spielbaum.games import Game, State, game
from spielbaum.games.files import is_shipped, read_file
from spielbaum.play.table import Table, Turn, Watcher
from spielbaum.protocols.reversixt.messages import Move

GAME = "reversixt"
HEADER = (
    "# map|name|moves p:x,y,c (p!x,y,c = rejected as invalid, p!reason = other disqualification)"
    "|final stone counts per player (D=disqualified)\n"
)
LARGEST_LOG = 256 << 20
_ENTRY = re.compile(r"([1-8])([:!])(\S+)")
_MOVE = re.compile(r"\d{1,5},\d{1,5},\d{1,3}")


class LogError(NotationError):
    """A line of a log that cannot be read, or that differs from the rules.

    >>> replay(GameLine("othello8x8", "x", ("1:2,4,0", "1:2,3,0"), "0,0"))
    Traceback (most recent call last):
        ...
    spielbaum.protocols.reversixt.logs.LogError: entry 2, 1:2,3,0: it is the turn of player 2
    """


@dataclass(frozen=True)
class GameLine:
    """A game as one line.

    >>> line = GameLine.parse("map0|some game|1:9,7,0 2!timeout_during_move|25,D")
    >>> line.entries, line.text
    (('1:9,7,0', '2!timeout_during_move'), 'map0|some game|1:9,7,0 2!timeout_during_move|25,D')
    """

    map: str
    """Name of a shipped map, or a file beside the log."""
    name: str
    entries: tuple[str, ...]
    stones: str

    @classmethod
    def parse(cls, text: str) -> GameLine:
        """Read a line; `LogError` says what is wrong with it."""
        fields = text.split("|")
        if len(fields) != 4:
            raise LogError(f"{len(fields)} fields; expected map|name|moves|stones")
        return cls(fields[0], fields[1], tuple(fields[2].split()), fields[3].strip())

    @property
    def text(self) -> str:
        """The line, without its end."""
        return "|".join([self.map, self.name, " ".join(self.entries), self.stones])


def stones_of(state: State) -> str:
    """The stones of each player as the last field of a line has them.

    >>> start = game("reversixt:map=map4").initial()
    >>> stones_of(start), stones_of(start.disqualify(1))
    ('6,6,6', '6,D,6')
    """
    return ",".join(
        "D" if player in state.disqualified else str(state.cells.count(player + 1))
        for player in range(state.num_players)
    )


def rules_of(name: str, folder: Path | None = None) -> Game:
    """The game on the map of a line: a file beside the log, or else the shipped map of that name.

    >>> rules_of("maps/map0.map").num_players
    2
    """
    path = Path(name)
    if folder is not None and (folder / path).is_file():
        return game(GAME, map=str(folder / path))
    if is_shipped(path.stem):
        return game(GAME, map=path.stem)
    raise LogError(f"map {name!r:.80}: expected a file beside the log, or the name of a map")


def replay(line: GameLine, folder: Path | None = None) -> State:
    """Play a game again and return its end; `LogError` says where it differs from the rules.

    ``folder``: where the log is.

    >>> replay(GameLine("othello8x8", "x", ("1:2,4,0", "2!0,0,0"), "4,D")).outcome.reason
    'last player left'
    """
    state = rules_of(line.map, folder).initial()
    for number, entry in enumerate(line.entries, 1):
        try:
            state = _after(state, entry)
        except LogError as error:
            raise LogError(f"entry {number}, {entry:.60}: {error}") from None
    if state.outcome is None:
        raise LogError(f"the game is not over after {len(line.entries)} entries")
    if stones_of(state) != line.stones:
        raise LogError(f"the stones are {stones_of(state)}, but the log has {line.stones:.80}")
    return state


def _after(state: State, entry: str) -> State:
    match = _ENTRY.fullmatch(entry)
    if match is None or (match[2] == ":" and not _MOVE.fullmatch(match[3])):
        raise LogError("expected p:x,y,choice, p!x,y,choice or p!reason")
    player, accepted, move = int(match[1]) - 1, match[2] == ":", match[3]
    if state.outcome is not None:
        raise LogError(f"the game is over: {state.outcome.reason}")
    if not accepted and not _MOVE.fullmatch(move):
        return _without(state, player)
    if state.to_move != player:
        raise LogError(f"it is the turn of player {state.to_move + 1}")
    try:
        after = state.play(move)
    except IllegalMove:
        if accepted:
            raise LogError("the move is not legal") from None
        return _without(state, player)
    if not accepted:
        raise LogError("the move was rejected, but is legal")
    return after


def _without(state: State, player: int) -> State:
    try:
        return state.disqualify(player)
    except IllegalMove as error:
        raise LogError(str(error)) from None


def replay_file(path: Path) -> Iterator[tuple[GameLine, State]]:
    """Replay the games of a log one after the other; `LogError` names the line that differs."""
    try:
        text = read_text(path, LARGEST_LOG)
    except OSError as error:
        raise StoreError(f"log {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise StoreError(f"log {path}: {error}") from None
    for number, written in enumerate(text.splitlines(), 1):
        if not written.strip() or written.startswith("#"):
            continue
        try:
            line = GameLine.parse(written)
            yield line, replay(line, path.parent)
        except (LogError, SpecError) as error:
            raise LogError(f"line {number}: {error}") from None


class LineLog(Watcher):
    """Keeps what a line has of a game."""

    def __init__(self) -> None:
        self.entries: list[str] = []

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        """Keep a move."""
        text = Move.parse(turn.state.text(move)).text
        self.entries.append(f"{turn.player + 1}:{text}")

    def disqualified(self, table: Table, player: int, how: str, why: str) -> None:
        """Keep a rejected move, or a reason in one word."""
        self.entries.append(f"{player + 1}!{'_'.join(why.split())}")


class BoardLog(Watcher):
    """Writes a game for people: every board, and how long each move took."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def say(self, text: str) -> None:
        """Write a line of its own."""
        print(text, file=self._file)

    def asked(self, turn: Turn) -> None:
        """Write the board, and the time that the player has left."""
        self.say(f"\n{turn.state}")
        left = turn.table.clocks[turn.player]
        if left is not None:
            self.say(f"player {turn.player + 1} has {left:.3f} s left")

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        """Write a move and how long it took, whatever of that the clock has charged."""
        text, took = turn.state.text(move), decision.stats.get("seconds", seconds)
        self.say(f"move {turn.ply + 1}: player {turn.player + 1} plays {text} in {took:.3f} s")

    def disqualified(self, table: Table, player: int, how: str, why: str) -> None:
        """Write who is disqualified, and why."""
        self.say(f"player {player + 1} is disqualified ({how}): {why}")

    def over(self, table: Table) -> None:
        """Write the last board and the stones."""
        assert table.result is not None
        self.say(f"\n{table.state}")
        self.say(f"end: {table.result.reason}; stones {stones_of(table.state)}")


class LogFolder:
    """A folder of logs: ``games.txt`` with a line per game, one file per game, and the maps.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     logs = LogFolder(Path(folder) / "logs", "othello8x8")
    ...     _ = logs.add("first", ["1!left"], "D,2")
    ...     [line.name for line, _ in replay_file(logs.games)], logs.map
    (['first'], 'maps/othello8x8.map')
    """

    def __init__(self, folder: Path, map_name: str) -> None:
        """Copy the map, so that the log replays wherever it is taken."""
        self.folder = folder
        self.games = folder / "games.txt"
        content = read_file(GAME, "map", map_name).encode("ascii", "replace")
        # What divides a line, or a spec, must not be in a name.
        stem, copy = re.sub(r"[\s|,=]", "_", Path(map_name).stem), 1
        (folder / "maps").mkdir(parents=True, exist_ok=True)
        path = folder / "maps" / f"{stem}.map"
        while path.exists() and path.read_bytes() != content:
            copy += 1
            path = folder / "maps" / f"{stem}-{copy}.map"
        path.write_bytes(content)
        self.map = path.relative_to(folder).as_posix()

    def free_name(self, start: str) -> str:
        """A name for the next game: ``start`` and the first number that no file has."""
        number = 1
        while (self.folder / f"{start}-{number}.txt").exists():
            number += 1
        return f"{start}-{number}"

    def boards(self, name: str) -> TextIO:
        """A new file for the boards of a game."""
        return (self.folder / f"{name}.txt").open("x", encoding="utf-8")

    def add(self, name: str, entries: list[str], stones: str) -> GameLine:
        """Append the line of a game that has ended."""
        line = GameLine(self.map, name, tuple(entries), stones)
        with self.games.open("a", encoding="utf-8") as file:
            if file.tell() == 0:
                file.write(HEADER)
            file.write(f"{line.text}\n")
        return line
