"""Books of moves: how often each move was played in each position, and how it scored.

JSON with the spec of the game and, under the key of a position in hexadecimal digits, the text of
each move with the number of games and the points of the player who moved: 1 for a win, 0.5 for a
draw or a game without a result. Positions of variations count as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from spielbaum.base.bounded import DAMAGE, read_bytes
from spielbaum.base.errors import BookError, SpecError
from spielbaum.games.game import game
from spielbaum.games.records import Format, GameTree
from spielbaum.games.state import State

KIND = "spielbaum move book 1"
MOST_BYTES = 1 << 28


def key_text(state: State) -> str:
    """Key of a position, as it stands in a book."""
    return f"{state.key:016x}"


def write(trees: Iterable[GameTree]) -> Iterator[bytes]:
    """Count the moves of games, which must be of one game."""
    spec = ""
    positions: dict[str, dict[str, list[float]]] = {}
    for tree in trees:
        spec = spec or str(tree.game)
        if str(tree.game) != spec:
            raise SpecError(f"format book: games of {spec} and of {tree.game} do not share a book")
        todo = [(tree.root, tree.start)]
        while todo:
            node, state = todo.pop()
            for child in node.children:
                points = 0.5 if tree.rewards is None else (tree.rewards[state.to_move] + 1) / 2
                moves = positions.setdefault(key_text(state), {})
                entry = moves.setdefault(state.text(child.move), [0, 0.0])
                entry[0] += 1
                entry[1] += points
                todo.append((child, state.play(child.move)))
    yield json.dumps({"format": KIND, "game": spec, "positions": positions}, indent=0).encode()


class MoveBook:
    """A book of moves that was written by `write`; `BookError` if a file holds no such book.

    >>> import spielbaum as sb, tempfile
    >>> start = sb.game("tictactoe").initial()
    >>> trees = [GameTree.of_moves(start, [move]) for move in ("b2", "b2", "a1")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "book.json"
    ...     _ = path.write_bytes(b"".join(write(trees)))
    ...     book = MoveBook(path)
    >>> {start.text(move): counts for move, counts in book.moves(start).items()}
    {'b2': (2, 1.0), 'a1': (1, 0.5)}
    """

    def __init__(self, path: Path) -> None:
        data = read_bytes(path, MOST_BYTES, "book", BookError)
        try:
            told = json.loads(data)
            if told["format"] != KIND:
                raise ValueError
            self.game = game(told["game"]) if told["game"] else None
            self._positions = {
                str(key): {
                    str(text): (int(games), float(points))
                    for text, (games, points) in moves.items()
                }
                for key, moves in told["positions"].items()
            }
        except DAMAGE:
            raise BookError(f"book {path}: it is not a book of moves, or damaged") from None

    def __len__(self) -> int:
        return len(self._positions)

    def moves(self, state: State) -> dict[int, tuple[int, float]]:
        """Legal moves that the book has: games and points of each, the most frequent first."""
        known = self._positions.get(key_text(state), {}) if state.game == self.game else {}
        legal = {state.text(move): move for move in state.legal_moves} if known else {}
        order = sorted(known, key=lambda text: (-known[text][0], text))
        return {legal[text]: known[text] for text in order if text in legal}


FORMAT = Format("book of moves with frequencies", (".json",), None, write)
