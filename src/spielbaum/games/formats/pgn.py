r"""PGN: chess games in algebraic notation with comments, glyphs and variations.

Games of other kinds are written the same way, with the spec of the game as ``Variant``, the names
of players as ``Player1``, ``Player2`` and so on, and the notation of a start position as ``FEN``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import IO

from spielbaum.base.errors import IllegalMove, NotationError, SpecError
from spielbaum.games.game import Game, game
from spielbaum.games.records import MOST_DEPTH, Format, GameTree, Node, decoded, plain
from spielbaum.games.state import State

ROSTER = ("Event", "Site", "Date", "Round")
UNKNOWN_DATE = "????.??.??"
RESULTS = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), "1/2-1/2": (0.0, 0.0)}
PLAIN_CHESS = ("", "standard", "chess", "normal", "from position")
CHESS960 = ("chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random")
SUFFIXES = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
WIDTH = 79
MOST_TAGS = 1000
MOST_ERRORS = 100

TAG = re.compile(r'\[\s*([A-Za-z0-9_]+)\s+"(.*)"\s*\]?\s*$')
TOKEN = re.compile(
    r"""(?P<comment>\{) | (?P<rest>;.*) | (?P<open>\() | (?P<close>\)) | \$(?P<nag>\d{1,3})
    | (?P<result>1-0|0-1|1/2-1/2|1/2|\*)(?=[\s(){};]|$) | (?P<number>\d+\.+|\.+) | <[^>]*>
    | (?P<move>[^\s(){};$!?.]+) (?P<suffix>[!?]*) | (?P<glyph>[!?]+) | (?P<other>\S)""",
    re.VERBOSE,
)


def read(file: IO[bytes], rules: Game | None) -> Iterator[GameTree]:
    """Read games one after the other; a file without any tag or move has none."""
    tags: dict[str, str] = {}
    parser: _Parser | None = None
    for data in file:
        line = decoded(data).rstrip("\r\n")
        in_comment = parser is not None and parser.in_comment
        if line.startswith("%") and not in_comment:
            continue
        tag = None if in_comment else TAG.match(line)
        if tag is not None:
            if parser is not None:
                yield parser.finish()
                parser, tags = None, {}
            if len(tags) < MOST_TAGS:
                tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
            continue
        at = 0
        while in_comment or TOKEN.search(line, at):
            parser = parser or _Parser(tags, rules)
            at = parser.feed(line, at)
            if parser.done:
                yield parser.finish()
                parser, tags, in_comment = None, {}, False
            else:
                break
    if parser is not None or tags:
        yield (parser or _Parser(tags, rules)).finish()


@dataclass(frozen=True)
class _Place:
    """Where a line of a game has come to."""

    node: Node
    state: State
    parent: Node | None = None
    """Node before; None if no move has been read in this line yet."""
    earlier: State | None = None
    """Position before the last move."""
    skips: bool = False
    """Whether the rest of the line is passed over, because of an error."""


class _Parser:
    """Reads one game, line by line."""

    def __init__(self, tags: dict[str, str], rules: Game | None) -> None:
        self.done = False
        self.in_comment = False
        self._comment: list[str] = []
        self._result = ""
        self._tags = tags
        self._errors: list[str] = []
        self._rules = rules or self._game_of_tags()
        self._tree = GameTree(self._start(), errors=self._errors)
        self._place = _Place(self._tree.root, self._tree.start, skips=bool(self._errors))
        self._stack: list[_Place] = []
        self._too_deep = 0
        self._before: list[str] = []  # what is said before the first move of a variation

    def _game_of_tags(self) -> Game:
        variant = plain(self._tags.get("Variant", ""))
        if variant.lower() in (*PLAIN_CHESS, *CHESS960):
            return game("chess")
        try:
            return game(variant)
        except ValueError as error:
            self._errors.append(f"variant {variant!r:.60}: {error}")
            return game("chess")

    def _start(self) -> State:
        fen = self._tags.get("FEN", "").strip()
        try:
            return self._rules.state(fen) if fen else self._rules.initial()
        except ValueError as error:
            self._errors.append(str(error))
            return self._rules.initial()

    def feed(self, line: str, at: int) -> int:
        """Read a line from a column on, up to its end or the end of the game; where that is."""
        while True:
            if self.in_comment:
                end = line.find("}", at)
                self._comment.append(line[at:] if end < 0 else line[at:end])
                if end < 0:
                    return len(line)
                self._end_comment()
                at = end + 1
            found = TOKEN.search(line, at)
            if found is None:
                return len(line)
            at = found.end()
            self.in_comment = found["comment"] is not None
            if not self.in_comment:
                self._take(found)
                if self.done:
                    return at

    def _take(self, found: re.Match[str]) -> None:
        if found["open"]:
            self._open()
        elif found["close"]:
            self._close()
        elif found["result"] and not self._stack and not self._too_deep:
            self._result, self.done = found["result"], True
        elif self._place.skips or self._too_deep:
            return
        elif found["rest"]:
            self._say(found["rest"][1:])
        elif found["nag"] or found["glyph"]:
            self._glyph(int(found["nag"] or SUFFIXES.get(found["glyph"], 0)))
        elif found["move"]:
            self._move(found["move"])
            self._glyph(SUFFIXES.get(found["suffix"], 0))
        elif found["other"]:
            self._fail(f"{found['other']!r} makes no sense there")

    def _end_comment(self) -> None:
        if not self._place.skips and not self._too_deep:
            self._say(" ".join(self._comment))
        self.in_comment, self._comment = False, []

    def _say(self, text: str) -> None:
        if self._place.parent is None and self._stack:
            self._before.append(text)
        else:
            node = self._place.node
            node.comment = plain(f"{node.comment} {text}")

    def _glyph(self, number: int) -> None:
        nags = self._place.node.nags
        if self._place.parent is not None and 0 < number < 256 and number not in nags:
            nags.append(number)

    def _open(self) -> None:
        if self._too_deep or len(self._stack) >= MOST_DEPTH:
            self._too_deep += 1
            return
        place = self._place
        self._stack.append(place)
        if place.parent is not None and place.earlier is not None:
            self._place = _Place(place.parent, place.earlier, skips=place.skips)
        elif not place.skips:
            self._fail("a variation begins before any move")
        self._before = []

    def _close(self) -> None:
        if self._too_deep:
            self._too_deep -= 1
        elif self._stack:
            self._place = self._stack.pop()
            self._before = []

    def _move(self, text: str) -> None:
        if self._rules.name == "chess" and (text.isdecimal() or text in ("e", "p", "ep")):
            return  # the number of a move without its dot, or "e.p."
        place = self._place
        try:
            move = place.state.parse(text)
        except (IllegalMove, NotationError) as error:
            self._fail(str(error))
            return
        node = place.node.add(move)
        node.before, self._before = plain(" ".join(self._before)), []
        self._place = _Place(node, place.state.play(move), place.node, place.state)

    def _fail(self, problem: str) -> None:
        if len(self._errors) < MOST_ERRORS:
            self._errors.append(problem)
        self._place = replace(self._place, skips=True)

    def finish(self) -> GameTree:
        """The game as far as it has come."""
        self._end_comment()
        tree, tags = self._tree, self._tags
        names = _player_tags(tree.game)
        if any(tags.get(name, "?") not in ("", "?") for name in names):
            tree.players = [plain(tags.get(name, "?")) for name in names]
        result = self._result if self._result not in ("", "*") else tags.get("Result", "*")
        tree.rewards = _rewards(result, tree.game.num_players)
        known = (*names, "Result", "FEN", "SetUp", "Variant")
        tree.tags = {
            name: plain(text)
            for name, text in tags.items()
            if name not in known and not (name in ROSTER and text in ("?", UNKNOWN_DATE))
        }
        return tree


def _player_tags(rules: Game) -> list[str]:
    if rules.name == "chess":
        return ["White", "Black"]
    return [f"Player{number}" for number in range(1, rules.num_players + 1)]


def _rewards(result: str, players: int) -> tuple[float, ...] | None:
    if players == 2:
        return RESULTS.get("1/2-1/2" if result == "1/2" else result)
    try:
        rewards = tuple(float(each) for each in result.split("/"))
    except ValueError:
        return None
    fits = len(rewards) == players and all(-1 <= each <= 1 for each in rewards)
    return rewards if fits and abs(sum(rewards)) < 1e-6 else None


def write(trees: Iterable[GameTree]) -> Iterator[bytes]:
    """Write games with their tags, and movetext in lines of at most 79 characters."""
    for number, tree in enumerate(trees):
        yield (("\n" if number else "") + _text(tree)).encode()


def _text(tree: GameTree) -> str:
    rules, tags = tree.game, tree.tags
    chess = rules.name == "chess"
    result = next((text for text, each in RESULTS.items() if each == tree.rewards), "*")
    shown = result
    if rules.num_players > 2 and tree.rewards is not None:
        shown = "/".join(f"{each:g}" for each in tree.rewards)
    names = _player_tags(rules)
    roster = {name: tags.get(name, UNKNOWN_DATE if name == "Date" else "?") for name in ROSTER}
    players = tree.players or ["?"] * len(names)
    headers = {
        **(roster if chess else {name: tags[name] for name in ROSTER if name in tags}),
        **dict(zip(names, players, strict=False)),
        "Result": shown,
        **_setup(tree),
        **{name: text for name, text in tags.items() if name not in ROSTER},
    }
    lines = [
        '[{} "{}"]'.format(name, plain(text).replace("\\", "\\\\").replace('"', '\\"'))
        for name, text in headers.items()
    ]
    words = [*_movetext(tree), result]
    wrapped = textwrap.wrap(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
    # A line that begins with a bracket or a per cent sign would be a tag or an escape.
    body = [f" {line}" if line[0] in "[%" else line for line in wrapped]
    return "\n".join([*lines, "", *body, ""])


def _setup(tree: GameTree) -> dict[str, str]:
    rules, start = tree.game, tree.start.notation
    found = {}
    if rules.name != "chess":
        found["Variant"] = str(rules)
    if start != rules.initial().notation:
        if rules.name == "chess" and _is_960(tree.start):
            found["Variant"] = "Chess960"
        found |= {"SetUp": "1", "FEN": start}
    return found


def _is_960(state: State) -> bool:
    """Whether a king or a rook that may still castle stands on another square than in chess."""
    board, _, rights, *_ = state.notation.split()
    rows = [re.sub(r"\d", lambda digit: "." * int(digit[0]), row) for row in board.split("/")]
    for row, king, letters in ((rows[7], "K", "KQAH"), (rows[0], "k", "kqah")):
        for right in rights:
            if right.isupper() == king.isupper() and right != "-":
                rook = row[7 if right in "KkHh" else 0]
                if right not in letters or row[4] != king or rook.lower() != "r":
                    return True
    return False


def _movetext(tree: GameTree) -> Iterator[str]:
    """Words of the movetext; an own stack, for variations may lie deep inside of each other."""
    if tree.root.comment:
        yield _comment(tree.root.comment)
    players = tree.game.num_players
    # What is left to write: a closing bracket, or a node whose children come next.
    todo: list[tuple[Node, State, int, bool] | str] = []
    first = _first_ply(tree.start)
    if tree.root.children:
        todo.append((tree.root, tree.start, first, True))
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
            continue
        parent, state, ply, numbered = item
        main, *variations = parent.children
        yield from _move_words(main, state, ply, numbered, players)
        told = bool(main.comment or variations)
        if main.children:
            todo.append((main, state.play(main.move), ply + 1, told))
        for each in reversed(variations):
            todo.append(")")
            if each.children:
                todo.append((each, state.play(each.move), ply + 1, bool(each.comment)))
            todo.append(" ".join(["(", *_move_words(each, state, ply, True, players)]))


def _first_ply(start: State) -> int:
    """Number of the first ply: chess counts on from the number that a FEN has."""
    if start.game.name != "chess":
        return 0
    fields = start.notation.split()
    return 2 * (int(fields[5]) - 1) + (fields[1] == "b")


def _move_words(node: Node, state: State, ply: int, numbered: bool, players: int) -> Iterator[str]:
    if node.before:
        yield _comment(node.before)
    turn, seat = divmod(ply, players)
    if seat == 0:
        yield f"{turn + 1}."
    elif numbered or node.before:
        yield f"{turn + 1}..."
    label = state.label(node.move)
    found = TOKEN.fullmatch(label)
    if found is None or found["move"] != label:
        raise SpecError(f"format pgn: the move {label!r:.40} of {state.game} cannot be written")
    yield label
    yield from (f"${nag}" for nag in node.nags)
    if node.comment:
        yield _comment(node.comment)


def _comment(text: str) -> str:
    """A comment in braces, which cannot hold a closing one itself."""
    return "{ " + plain(text).replace("}", ")") + " }"


FORMAT = Format(
    "PGN: chess in algebraic notation, other games by their texts", (".pgn",), read, write
)
