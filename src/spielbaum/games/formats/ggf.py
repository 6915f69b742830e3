"""GGF: the Generic Game Format of the Generic Game Server, for Othello (M. Buro, 1990s).

``(;GM[Othello]PC[..]PB[..]PW[..]RE[+4.000]TY[8]BO[8 ---.. *]B[d3//1.2]W[c3/-0.5];)``. Moves may
have an evaluation in discs and the seconds that they took, which are kept as facts of the move.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from spielbaum.base.errors import IllegalMove, NotationError
from spielbaum.games.discs import PASS, Scribe, disc_rewards, discs
from spielbaum.games.game import Game, game
from spielbaum.games.properties import PropertyNode, escaped, parse_trees
from spielbaum.games.records import Format, GameTree, check_game, decoded, plain, whole
from spielbaum.games.state import State

TAGS = {"PC": "Site", "DT": "Date", "TI": "TimeControl", "TY": "Type"}
RATINGS = {"RB": "BlackElo", "RW": "WhiteElo", "TB": "BlackTime", "TW": "WhiteTime"}
ENDS = {"r": "resignation", "t": "time", "s": "mutual score"}
PASSES = ("pa", "pass", "ps", "")


def read(file: IO[bytes], rules: Game | None) -> Iterator[GameTree]:
    """Read games; what stands between them, such as the numbers of a log, is passed over."""
    found = False
    for root in parse_trees(decoded(whole(file))):
        found = True
        yield tree_of(root)
    if not found:
        raise NotationError("there is no game of GGF, which begins with (;GM[Othello]")


def parse(text: str) -> GameTree:
    """Read one game of GGF from a text; raises `NotationError` if there is none.

    >>> tree = parse("(;GM[Othello]PB[a]PW[b]TY[8]B[F5//1.5]W[f6];)")
    >>> tree.players, tree.end().previous.label(tree.moves()[-1])
    (['a', 'b'], 'f6')
    """
    for root in parse_trees(text):
        return tree_of(root)
    raise NotationError(f"there is no game of GGF in {plain(text)!r:.60}")


def tree_of(root: PropertyNode) -> GameTree:
    """Make the record of a game of its properties."""
    errors: list[str] = []
    start = game("reversi").initial()
    try:
        start = _start(root)
    except ValueError as error:
        errors.append(str(error))
    tree = GameTree(start, errors=errors)
    if root.first("PB") or root.first("PW"):
        tree.players = [plain(root.first(name)) or "?" for name in ("PB", "PW")]
    for name, tag in {**TAGS, **RATINGS}.items():
        if root.first(name):
            tree.tags[tag] = plain(root.first(name))
    tree.rewards = _result(root.first("RE"), tree.tags)
    if not errors:
        _play(root, tree)
    return tree


def _start(root: PropertyNode) -> State:
    kind = root.first("GM", "Othello")
    if kind.lower() not in ("othello", "reversi"):
        raise NotationError(f"game {kind!r:.40}: expected Othello")
    board = root.first("BO").split()
    if not board:
        kinds = re.match(r"\d{1,4}", root.first("TY", "8"))
        return game("reversi", size=int(kinds[0]) if kinds else 8).initial()
    size, cells = board[0], "".join(board[1:])
    if not size.isdecimal() or len(cells) != int(size[:4]) ** 2 + 1:
        raise NotationError(f"board {' '.join(board)!r:.90}: expected a size, its cells and a side")
    rules = game("reversi", size=int(size))
    letters = cells.replace("*", "X").upper()
    return rules.state(f"{letters[:-1]} {letters[-1]}")


def _result(text: str, tags: dict[str, str]) -> tuple[float, ...] | None:
    found = re.match(r"\s*([+-]?\d+(?:\.\d*)?)\s*(?::\s*([rts]))?", text)
    if found is None:
        return None
    if found[2]:
        tags["Termination"] = ENDS[found[2]]
    return disc_rewards(float(found[1]))


def _play(root: PropertyNode, tree: GameTree) -> None:
    """Play the moves; a pass may be written or left out."""
    scribe, turn = Scribe(tree), root
    turns = [root]
    while turn.children:
        turn = turn.children[0]
        turns.append(turn)
    moves = [(key, value) for each in turns for key, values in each.properties for value in values]
    for key, value in moves:
        if key not in ("B", "W"):
            continue
        text, *facts = (part.strip() for part in value.split("/"))
        try:
            node = scribe.play(PASS if text.lower() in PASSES else text)
        except (IllegalMove, NotationError) as error:
            tree.errors.append(str(error))
            return
        node.facts = {
            name: plain(fact)
            for name, fact in zip(("evaluation", "seconds"), facts, strict=False)
            if fact
        }


def write(trees: Iterable[GameTree]) -> Iterator[bytes]:
    """Write one game to a line."""
    for tree in trees:
        yield (text_of(tree) + "\n").encode()


def text_of(tree: GameTree) -> str:
    """Write a game of Reversi in GGF, variations and comments left out.

    >>> import spielbaum as sb
    >>> start = sb.game("reversi").initial()
    >>> text_of(GameTree.of_moves(start, ["f5", "f6"]))[-17:]
    ' *]B[f5]W[f6];)'
    """
    rules = tree.game
    check_game(rules, "ggf", ("reversi",))
    size = int(rules.options["size"])
    names = tree.players or ["?", "?"]
    cells, side = tree.start.notation.replace("X", "*").split()
    rows = " ".join(cells[row * size : (row + 1) * size] for row in range(size))
    named = {name: tree.tags.get(tag, "") for name, tag in {**TAGS, **RATINGS}.items()}
    result = ""
    if tree.rewards is not None:
        flag = {text: f":{flag}" for flag, text in ENDS.items()}.get(
            tree.tags.get("Termination", ""), ""
        )
        result = f"{discs(tree):+.3f}{flag}"
    properties = [
        ("GM", "Othello"),
        *((name, named[name]) for name in ("PC", "DT") if named[name]),
        ("PB", names[0]),
        ("PW", names[1]),
        *((name, named[name]) for name in (*RATINGS, "TI") if named[name]),
        ("TY", named["TY"] or str(size)),
        *([("RE", result)] if result else []),
        ("BO", f"{size} {rows} {side}"),
    ]
    state = tree.start
    for node in tree.main_line():
        value = state.text(node.move)
        facts = [node.facts.get("evaluation", ""), node.facts.get("seconds", "")]
        while facts and not facts[-1]:
            facts.pop()
        properties.append(("BW"[state.to_move], "/".join([value, *facts])))
        state = state.play(node.move)
    return "(;" + "".join(f"{name}[{escaped(plain(value))}]" for name, value in properties) + ";)"


FORMAT = Format("GGF: Othello games of the Generic Game Server", (".ggf",), read, write)
