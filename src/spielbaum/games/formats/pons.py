"""Connect Four as Pascal Pons writes it: the digits of columns, ``4453``, one game to a line.

What follows the digits, such as the score in his test sets, is kept as the tag ``Score``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

from spielbaum.base.errors import IllegalMove, NotationError, SpecError
from spielbaum.games.game import Game, game
from spielbaum.games.records import Format, GameTree, check_game, decoded, finished_rewards, plain


def read(file: IO[bytes], rules: Game | None) -> Iterator[GameTree]:
    """Read a game from each line; what follows a # is passed over."""
    chosen = rules or game("connect4")
    check_game(chosen, "pons", ("connect4",))
    for data in file:
        line = plain(decoded(data).partition("#")[0])
        if not line:
            continue
        columns, _, score = line.partition(" ")
        tree = GameTree(chosen.initial(), tags={"Score": score} if score else {})
        node, state = tree.root, tree.start
        try:
            for column in columns:
                move = state.parse(column)
                node, state = node.add(move), state.play(move)
        except (IllegalMove, NotationError) as error:
            tree.errors.append(str(error))
        tree.rewards = finished_rewards(state)
        yield tree


def write(trees: Iterable[GameTree]) -> Iterator[bytes]:
    """Write the main line of each game to a line."""
    for tree in trees:
        check_game(tree.game, "pons", ("connect4",))
        if tree.start != tree.game.initial() or int(tree.game.options["columns"]) > 9:
            raise SpecError("format pons holds games from the empty board with up to nine columns")
        score = plain(tree.tags.get("Score", ""))
        digits = "".join(str(move + 1) for move in tree.moves())
        yield (f"{digits} {score}".strip() + "\n").encode()


FORMAT = Format("Pons: Connect Four as digits of columns", (".pons",), read, write)
