"""Game records: what was played, with comments and variations, and the files that hold them.

One tree for all formats. Each format is a module of `spielbaum.games.formats` with a `FORMAT`, and
is found by being there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TypeAlias

from spielbaum.base.discover import load, names
from spielbaum.base.errors import NotationError, SpecError
from spielbaum.games.game import Game
from spielbaum.games.state import State

PACKAGE = "spielbaum.games.formats"
MOST_BYTES = 1 << 30
"""Largest file that is read as a whole; PGN is read line by line and has no limit."""
MOST_DEPTH = 200
"""Most variations inside of each other that are read."""


@dataclass
class Node:
    """A move of a record, what is said about it, and what may follow.

    >>> Node(3, nags=[1]).children
    []
    """

    move: int = -1
    """Action that was played; -1 for the root, which stands for the start position."""
    comment: str = ""
    """Text after the move, with single spaces; at the root, the text before the first move."""
    before: str = ""
    """Text before the move."""
    nags: list[int] = field(default_factory=list)
    """Numeric annotation glyphs of PGN: 1 is a good move, 2 a poor one, 3 a very good one."""
    facts: dict[str, str] = field(default_factory=dict)
    """What a program knew: ``seconds`` it took, ``evaluation`` in its own unit."""
    children: list[Node] = field(default_factory=list)
    """Moves that follow: first the main line, then the variations."""

    def add(self, move: int) -> Node:
        """Append a move that may follow, and return its node."""
        node = Node(move)
        self.children.append(node)
        return node


@dataclass
class GameTree:
    """A game record: where it began, who played, the tree of moves, and how it ended.

    >>> import spielbaum as sb
    >>> tree = GameTree.of_moves(sb.game("tictactoe").initial(), ["b2", "a1"])
    >>> [tree.start.text(tree.moves()[0]), tree.end().notation]
    ['b2', 'b2 a1']
    """

    start: State
    players: list[str] = field(default_factory=list)
    """Names in the order of turns; empty if they are not known."""
    rewards: tuple[float, ...] | None = None
    """Result of each player, from -1 to 1; None if the game was not finished."""
    tags: dict[str, str] = field(default_factory=dict)
    """Other facts under PGN's names: Event, Site, Date, Round, Termination."""
    root: Node = field(default_factory=Node)
    errors: list[str] = field(default_factory=list, compare=False)
    """What could not be read; the line in which it stood ends there."""

    @classmethod
    def of_moves(cls, start: State, moves: Iterable[str | int]) -> GameTree:
        """Make a record without variations; raises `IllegalMove` at a move that is not legal."""
        tree = cls(start)
        node, state = tree.root, start
        for each in moves:
            move = state.parse(each) if isinstance(each, str) else each
            node, state = node.add(move), state.play(move)
        return tree

    @property
    def game(self) -> Game:
        """Rules of the game."""
        return self.start.game

    def main_line(self) -> Iterator[Node]:
        """Nodes of the moves that were played, in their order."""
        node = self.root
        while node.children:
            node = node.children[0]
            yield node

    def moves(self) -> list[int]:
        """Actions that were played."""
        return [node.move for node in self.main_line()]

    def end(self) -> State:
        """Position after the main line."""
        state = self.start
        for move in self.moves():
            state = state.play(move)
        return state


Reader: TypeAlias = Callable[[IO[bytes], Game | None], Iterator[GameTree]]
Writer: TypeAlias = Callable[[Iterable[GameTree]], Iterator[bytes]]


@dataclass(frozen=True)
class Format:
    """A file format of game records.

    ``read`` takes an open file and the game to read it as (None: what the file or the format says)
    and yields one record after the other. It raises `NotationError` if the file is of another kind;
    what is wrong inside of a record goes to its `GameTree.errors`. ``write`` yields the file in
    pieces, and raises `SpecError` for a record that the format cannot hold.
    """

    summary: str
    endings: tuple[str, ...]
    read: Reader | None
    write: Writer | None


def formats() -> dict[str, Format]:
    """All formats by name.

    >>> {"pgn", "sgf", "ggf", "wthor", "transcript", "pons"} <= set(formats())
    True
    """
    return {name: load(PACKAGE, name).FORMAT for name in names(PACKAGE)}


def format_of(path: Path, name: str | None = None) -> Format:
    """Find a format by its name, or by the ending of a file.

    >>> format_of(Path("games.pgn")) is formats()["pgn"]
    True
    >>> format_of(Path("games.doc"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: file games.doc: expected an ending of .ggf, .json, .pgn, \
.pons, .sgf, .txt, .wtb, or the name of a format
    """
    known = formats()
    if name is not None:
        if name not in known:
            raise SpecError(f"format {name!r:.40}: expected {', '.join(known)}")
        return known[name]
    for each in known.values():
        if path.suffix.lower() in each.endings:
            return each
    endings = ", ".join(sorted(ending for each in known.values() for ending in each.endings))
    raise SpecError(f"file {path}: expected an ending of {endings}, or the name of a format")


def read_records(
    path: Path, name: str | None = None, rules: Game | None = None
) -> Iterator[GameTree]:
    """Read the records of a file, one after the other.

    ``name`` is the format, found by the file's ending if it is missing. ``rules`` is the game,
    where neither file nor format say it. Raises `SpecError` if there is no such file, and
    `NotationError` if it is of another kind.
    """
    form = format_of(path, name)
    if form.read is None:
        raise SpecError(f"file {path}: {form.summary} can be written only")
    try:
        if not path.is_file() and path.exists():
            raise SpecError(f"games {path}: it is not a file")
        with path.open("rb") as file:
            try:
                yield from form.read(file, rules)
            except NotationError as error:
                raise NotationError(f"games {path}: {error}") from None
    except OSError as error:
        raise SpecError(f"games {path}: {error.strerror or error}") from None


def whole(file: IO[bytes]) -> bytes:
    """Read all of a file; `NotationError` if it is larger than any database of games."""
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise NotationError(f"it has more than {MOST_BYTES:,} bytes")
    return data


def decoded(data: bytes) -> str:
    r"""Read text as UTF-8 with or without a byte order mark, or else as Latin-1.

    >>> decoded(b"\xef\xbb\xbfa"), decoded("é".encode("latin-1"))
    ('a', 'é')
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def plain(text: str) -> str:
    r"""One line of a text: single spaces, and no characters that cannot be written.

    >>> plain("  a\tb ")
    'a b'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def finished_rewards(state: State) -> tuple[float, ...] | None:
    """Rewards of a position in which the game is over; None of any other."""
    return None if state.outcome is None else state.outcome.rewards


def check_game(rules: Game, form: str, names: Sequence[str]) -> None:
    """Raise `SpecError` unless the format is made for the game."""
    if rules.name not in names:
        raise SpecError(f"format {form} holds games of {' and '.join(names)}, not of {rules}")


def first_plies(tree: GameTree, most: int) -> GameTree:
    """Cut a record after a number of plies, in all of its lines.

    >>> import spielbaum as sb
    >>> tree = GameTree.of_moves(sb.game("connect4").state("44"), "123")
    >>> first_plies(tree, 2).end().notation
    '4412'
    """
    root = replace(tree.root, children=[])
    todo = [(tree.root, root, 0)]
    while todo:
        old, new, ply = todo.pop()
        for child in old.children if ply < most else ():
            copied = replace(child, children=[])
            new.children.append(copied)
            todo.append((child, copied, ply + 1))
    return replace(tree, root=root)
