"""Transcripts of Othello: a line of cells for each game, ``f5d6c3d3c4``, passes left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from spielbaum.base.errors import IllegalMove, NotationError, SpecError
from spielbaum.games.discs import PASS, Scribe
from spielbaum.games.game import Game, game
from spielbaum.games.records import Format, GameTree, check_game, decoded, finished_rewards, plain
from spielbaum.games.state import State

MOVE = re.compile(r"pa(ss)?|ps|--|(?P<cell>[a-j](10|\d))")


def read(file: IO[bytes], rules: Game | None) -> Iterator[GameTree]:
    """Read a game from each line; what follows a # is passed over."""
    start = (rules or game("reversi")).initial()
    check_game(start.game, "transcript", ("reversi",))
    for data in file:
        line = decoded(data).partition("#")[0].strip()
        if line:
            yield _tree(start, line.lower())


def _tree(start: State, line: str) -> GameTree:
    tree = GameTree(start)
    scribe, words, at = Scribe(tree), "".join(line.split()), 0
    try:
        while at < len(words):
            found = MOVE.match(words, at)
            if found is None:
                raise NotationError(
                    f"transcript {plain(words[at:])!r:.40}: expected cells, as f5d6c3"
                )
            scribe.play(found["cell"] or PASS)
            at = found.end()
    except (IllegalMove, NotationError) as error:
        tree.errors.append(str(error))
    tree.rewards = finished_rewards(scribe.state)
    return tree


def write(trees: Iterable[GameTree]) -> Iterator[bytes]:
    """Write the main line of each game to a line."""
    for tree in trees:
        check_game(tree.game, "transcript", ("reversi",))
        state, words = tree.start, []
        if state != tree.game.initial():
            raise SpecError("format transcript holds games from the start position only")
        for move in tree.moves():
            text = state.text(move)
            words.append("" if text == PASS else text)
            state = state.play(move)
        yield ("".join(words) + "\n").encode()


FORMAT = Format("transcripts of Othello: a line of cells for each game", (".txt",), read, write)
