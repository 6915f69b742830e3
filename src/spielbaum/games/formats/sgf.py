"""SGF: the Smart Game Format, FF[4], with comments and variations.

Othello is GM[2] and Hex GM[11], with cells as ``d3``; a pass of Othello is an empty move, and the
swap of Hex ``swap-pieces``. Files in which cells of Othello are two letters, as in Go, are read as
well.

Every other game is written in a private form: ``SB`` is the spec of the game, moves are their texts
(``B`` the first player's and ``W`` the second's; in chess the other way round), and in games of
more than two players ``MV[2 e5]`` is a move of the second of them. ``SP`` is the notation of a
start position, in every game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from spielbaum.base.errors import IllegalMove, NotationError
from spielbaum.games.discs import PASS, disc_rewards, discs
from spielbaum.games.game import Game, game
from spielbaum.games.properties import PropertyNode, escaped, parse_trees
from spielbaum.games.records import (
    MOST_DEPTH,
    Format,
    GameTree,
    Node,
    decoded,
    plain,
    whole,
)
from spielbaum.games.state import State

KINDS = {"reversi": "2", "hex": "11"}
SIZES = {"reversi": "8", "hex": "11"}
TAGS = {
    "EV": "Event",
    "PC": "Site",
    "DT": "Date",
    "RO": "Round",
    "TM": "TimeControl",
    "RU": "Rules",
    "BR": "BlackElo",
    "WR": "WhiteElo",
    "AN": "Annotator",
    "SO": "Source",
    "US": "Transcriber",
}
GLYPHS = {"TE": 1, "BM": 2, "IT": 5, "DO": 6, "DM": 10, "UC": 13}
"""Properties that mark a move or a position, and PGN's glyphs for them."""
MOST_ERRORS = 100


def read(file: IO[bytes], rules: Game | None) -> Iterator[GameTree]:
    """Read games one after the other."""
    found = False
    for root in parse_trees(decoded(whole(file))):
        found = True
        yield _Builder(root, rules).tree
    if not found:
        raise NotationError("there is no tree of SGF, which begins with (;")


def _sides(rules: Game) -> str:
    """Letters of the first and the second player."""
    return "WB" if rules.name == "chess" else "BW"


class _Builder:
    """Makes the record of one tree."""

    def __init__(self, root: PropertyNode, rules: Game | None) -> None:
        errors: list[str] = []
        start = (rules or game("reversi")).initial()
        try:
            chosen = rules or _game_of(root)
            start = chosen.initial()
            position = root.first("SP")
            start = chosen.state(position) if position else start
        except ValueError as error:
            errors.append(str(error))
        self.tree = tree = GameTree(start, errors=errors)
        self._game = tree.game
        names = {letter: plain(root.first(f"P{letter}")) for letter in _sides(self._game)}
        if any(names.values()):
            tree.players = [name or "?" for name in names.values()]
        if root.first("PN"):
            tree.players = [plain(name) for name in dict(root.properties)["PN"]]
        tree.tags = {tag: plain(root.first(name)) for name, tag in TAGS.items() if root.first(name)}
        tree.rewards = _result(root.first("RE"), self._game)
        if not errors:
            self._build(root)

    def _build(self, root: PropertyNode) -> None:
        """Walk the tree with an own stack: variations may lie deep inside of each other."""
        todo = [(root, self.tree.root, self.tree.start, 0)]
        while todo:
            source, node, state, depth = todo.pop()
            for key, values in source.properties:
                if (key in "BW" and len(key) == 1) or key == "MV":
                    for value in values:
                        try:
                            move = self._parse(state, key, value)
                        except (IllegalMove, NotationError) as error:
                            if len(self.tree.errors) < MOST_ERRORS:
                                self.tree.errors.append(str(error))
                            break
                        node, state = node.add(move), state.play(move)
                    else:
                        continue
                    break
            else:
                self._annotate(node, source)
                # The last child is taken from the stack first, so that it must be the main line's;
                # moves are added in that order.
                deeper = depth + (len(source.children) > 1)
                if deeper <= MOST_DEPTH:
                    todo += [(each, node, state, deeper) for each in reversed(source.children)]

    def _parse(self, state: State, key: str, value: str) -> int:
        text = plain(value).lower() if self._game.name in KINDS else plain(value)
        if key == "MV":
            player, _, text = text.partition(" ")
            expected = str(state.to_move + 1)
        else:
            player, expected = key, _sides(self._game)[state.to_move % 2]
        if state.outcome is None and player != expected:
            raise IllegalMove(f"move {key}[{plain(value)}]: it is another player's turn")
        if self._game.name == "reversi":
            text = _othello_move(text, int(self._game.options["size"]))
        elif self._game.name == "hex" and text == "swap-pieces":
            text = "swap"
        return state.parse(text)

    def _annotate(self, node: Node, source: PropertyNode) -> None:
        for key, values in source.properties:
            if key == "C":
                node.comment = plain(f"{node.comment} {values[0]}")
            elif key == "V" and node is not self.tree.root:
                node.facts["evaluation"] = plain(values[0])
            elif key in GLYPHS and node is not self.tree.root:
                strong = {"TE": 3, "BM": 4}.get(key, 0) if values[0].strip() == "2" else 0
                if (strong or GLYPHS[key]) not in node.nags:
                    node.nags.append(strong or GLYPHS[key])


def _game_of(root: PropertyNode) -> Game:
    spec = plain(root.first("SB"))
    if spec:
        return game(spec)
    kind = plain(root.first("GM", "1"))
    name = next((name for name, number in KINDS.items() if number == kind), None)
    if name is None:
        raise NotationError(
            f"game GM[{kind:.20}]: expected 2 (Othello), 11 (Hex), or a game in SB[]"
        )
    size = plain(root.first("SZ", SIZES[name]))
    if not size.isdecimal():
        raise NotationError(f"board SZ[{size:.20}]: expected one number")
    options = {"size": int(size[:4])}
    swaps = any("swap" in value for value in _values(root))
    if name == "hex" and swaps:
        return game(name, **options, swap=True)
    return game(name, **options)


def _values(root: PropertyNode) -> Iterator[str]:
    """Moves of the first few nodes of the main line, where a swap would be."""
    node = root
    for _ in range(4):
        yield from (values[0].lower() for key, values in node.properties if key in ("B", "W"))
        if not node.children:
            return
        node = node.children[0]


def _othello_move(text: str, size: int) -> str:
    if text in ("", PASS, "pass", "tt", "--"):
        return PASS
    if re.fullmatch("[a-j]{2}", text):
        return f"{text[0]}{'abcdefghij'.index(text[1]) + 1}"
    return text


def _result(text: str, rules: Game) -> tuple[float, ...] | None:
    """Rewards of RE: ``B+4``, ``W+R``, ``0`` or ``Draw``; of more players, numbers with slashes."""
    text = plain(text)
    if rules.num_players > 2:
        numbers = text.split("/")
        try:
            rewards = tuple(float(each) for each in numbers)
        except ValueError:
            return None
        return rewards if len(rewards) == rules.num_players else None
    if text.lower() in ("0", "draw"):
        return (0.0, 0.0)
    if text[:2] in ("B+", "W+"):
        return disc_rewards(1 if text[0] == _sides(rules)[0] else -1)
    return None


def write(trees: Iterable[GameTree]) -> Iterator[bytes]:
    """Write a collection: one tree to each game."""
    for tree in trees:
        yield (_text(tree) + "\n").encode()


def _text(tree: GameTree) -> str:
    rules = tree.game
    head: list[tuple[str, str]] = [("FF", "4"), ("CA", "UTF-8"), ("AP", "Spielbaum")]
    if rules.name in KINDS:
        head += [("GM", KINDS[rules.name]), ("SZ", str(rules.options["size"]))]
    if rules.name not in KINDS or _is_more(rules):
        head.append(("SB", str(rules)))
    if tree.start != rules.initial():
        head.append(("SP", tree.start.notation))
    several = ""
    if rules.num_players > 2:
        several = "PN" + "".join(f"[{escaped(name)}]" for name in tree.players)
        several = several if tree.players else ""
    elif tree.players:
        head += [
            (f"P{letter}", name) for letter, name in zip(_sides(rules), tree.players, strict=False)
        ]
    head += [(name, tree.tags[tag]) for name, tag in TAGS.items() if tag in tree.tags]
    if tree.rewards is not None:
        head.append(("RE", _result_text(tree)))
    if tree.root.comment:
        head.append(("C", tree.root.comment))
    words = ["(;", "".join(f"{name}[{escaped(plain(value))}]" for name, value in head), several]
    todo: list[tuple[Node, State] | str] = [")", *_following(tree.root, tree.start)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            words.append(item)
        else:
            node, state = item
            words.append(_node_text(node, state))
            todo += _following(node, state.play(node.move))
    return "".join(words)


def _following(node: Node, state: State) -> list[tuple[Node, State] | str]:
    """What comes after a node, the last of it first; several lines are put in brackets."""
    if len(node.children) == 1:
        return [(node.children[0], state)]
    found: list[tuple[Node, State] | str] = []
    for child in reversed(node.children):
        found += [")", (child, state), "("]
    return found


def _node_text(node: Node, state: State) -> str:
    rules, text = state.game, state.label(node.move)
    if rules.name == "reversi" and text == PASS:
        text = ""
    elif rules.name == "hex" and text == "swap":
        text = "swap-pieces"
    if rules.num_players > 2:
        words = f";MV[{state.to_move + 1} {escaped(text)}]"
    else:
        words = f";{_sides(rules)[state.to_move]}[{escaped(text)}]"
    if "evaluation" in node.facts:
        words += f"V[{escaped(plain(node.facts['evaluation']))}]"
    said = plain(f"{node.before} {node.comment}")
    if said:
        words += f"C[{escaped(said)}]"
    for nag in node.nags:
        key = next((key for key, glyph in GLYPHS.items() if glyph == nag), None)
        if nag in (3, 4):
            words += ("TE[2]", "BM[2]")[nag - 3]
        elif key is not None:
            words += f"{key}[]" if key in ("IT", "DO") else f"{key}[1]"
    return words


def _result_text(tree: GameTree) -> str:
    assert tree.rewards is not None
    if len(tree.rewards) > 2:
        return "/".join(f"{each:g}" for each in tree.rewards)
    if tree.rewards[0] == 0:
        return "0"
    letter = _sides(tree.game)[0 if tree.rewards[0] > 0 else 1]
    return f"{letter}+{abs(discs(tree))}" if tree.game.name == "reversi" else f"{letter}+"


def _is_more(rules: Game) -> bool:
    """Whether a game has more options than its size, which its number alone does not say."""
    return str(rules) != str(game(rules.name, size=int(rules.options["size"])))


FORMAT = Format("SGF FF[4]: Othello, Hex, and all others in a private form", (".sgf",), read, write)
