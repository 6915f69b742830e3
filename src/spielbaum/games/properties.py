r"""Trees of properties, ``(;GM[2]PB[Ann];B[d3](;W[c3])(;W[e3]))``: what SGF and GGF are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spielbaum.base.errors import NotationError

Properties = list[tuple[str, list[str]]]
"""Names with their values, in the order of the file; a name may come again."""

NAME = re.compile(r"[A-Za-z]+")
VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
SPACE = re.compile(r"\s*")
MOST_NODES = 10_000_000


@dataclass
class PropertyNode:
    """A node: its properties, and the nodes that follow, the first of them on the main line."""

    properties: Properties = field(default_factory=list)
    children: list[PropertyNode] = field(default_factory=list)

    def first(self, name: str, default: str = "") -> str:
        """First value of a property.

        >>> PropertyNode([("GM", ["2"])]).first("GM")
        '2'
        """
        return next((values[0] for key, values in self.properties if key == name), default)


def parse_trees(text: str) -> Iterator[PropertyNode]:
    r"""Read one tree after the other; what stands between them is passed over.

    Raises `NotationError` at a bracket that is not closed, and where a node makes no sense.

    >>> [tree] = parse_trees("(;GM[2]C[a \\] b];B[d3](;W[c3])(;W[e3]))")
    >>> tree.first("C"), [child.first("W") for child in tree.children[0].children]
    ('a ] b', ['c3', 'e3'])
    """
    at = 0
    while (begin := re.compile(r"\(\s*;").search(text, at)) is not None:
        tree, at = _parse_tree(text, begin.start())
        yield tree


def _parse_tree(text: str, begin: int) -> tuple[PropertyNode, int]:
    root = PropertyNode()
    node, stack, at = root, [root], begin + 1
    while True:
        at = _skip(text, at)
        sign = text[at : at + 1]
        if sign == ";":
            # GGF ends with ";)": a node without anything in it is no node.
            after = _skip(text, at + 1)
            if text[after : after + 1] == ")":
                at = after
                continue
            child = PropertyNode()
            node.children.append(child)
            node, at = child, _read_properties(text, at + 1, child)
        elif sign == "(":
            stack.append(node)
            at += 1
        elif sign == ")":
            node = stack.pop()
            at += 1
            if not stack:
                break
        elif sign == "":
            raise NotationError(f"the tree that begins at character {begin + 1} is not closed")
        else:
            near = text[at : at + 20]
            raise NotationError(f"character {at + 1}: expected a node or a bracket, not {near!r}")
    if not root.children:
        raise NotationError(f"the tree that begins at character {begin + 1} is empty")
    return root.children[0], at


def _skip(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    assert found is not None
    return found.end()


def _read_properties(text: str, at: int, node: PropertyNode) -> int:
    while True:
        at = _skip(text, at)
        name = NAME.match(text, at)
        if name is None:
            return at
        values = []
        at = _skip(text, name.end())
        while (value := VALUE.match(text, at)) is not None:
            values.append(unescaped(value[1]))
            at = _skip(text, value.end())
        if not values:
            raise NotationError(f"character {at + 1}: the property {name[0]:.20} has no value")
        # Old files write names in full (Black[..]): the capitals are what counts.
        key = "".join(letter for letter in name[0] if letter.isupper()) or name[0].upper()
        node.properties.append((key, values))


def unescaped(text: str) -> str:
    r"""A value without its backslashes; a line that ends with one goes on.

    >>> unescaped("a\\:b\\\nc")
    'a:bc'
    """
    return re.sub(r"\\(\r\n|\n\r|\n|\r|.)", _kept, text, flags=re.DOTALL)


def _kept(found: re.Match[str]) -> str:
    return "" if found[1] in ("\n", "\r", "\r\n", "\n\r") else found[1]


def escaped(text: str) -> str:
    r"""A value as it may stand in brackets.

    >>> escaped("a]b\\")
    'a\\]b\\\\'
    """
    return text.replace("\\", "\\\\").replace("]", "\\]")
