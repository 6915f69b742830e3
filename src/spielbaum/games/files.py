"""Files that games are made of: the maps of ReversiXT, shipped ones by name and others by path."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from spielbaum.base.errors import SpecError

MAPS = Path(__file__).parent / "maps"
MOST_BYTES = 1_000_000
"""No map is longer; the largest, with a transition at each side of each cell, has half of that."""


@cache
def shipped_maps() -> tuple[str, ...]:
    """The names of the maps of the package, numbers in the order of their size.

    >>> shipped_maps()[:2], shipped_maps()[-1]
    (('map0', 'map1'), 'othello8x8')
    """

    def by_number(name: str) -> list[tuple[str, int]]:
        return [(word, int(number or 0)) for word, number in re.findall(r"(\D+)(\d*)", name)]

    return tuple(sorted((path.stem for path in MAPS.glob("*.map")), key=by_number))


def is_shipped(value: str) -> bool:
    """Whether a map is named, not a path.

    >>> is_shipped("map22"), is_shipped("./map22.map")
    (True, False)
    """
    return value in shipped_maps()


@cache
def _shipped(name: str) -> str:
    return (MAPS / f"{name}.map").read_text("ascii")


@dataclass(frozen=True)
class MapFacts:
    """What the text of a map says in numbers; `special` counts its cells by their symbols."""

    name: str
    players: int
    overrides: int
    bombs: int
    strength: int
    rows: int
    columns: int
    transitions: int
    special: dict[str, int]


@cache
def map_facts(name: str) -> MapFacts:
    """The numbers of a map of the package.

    >>> facts = map_facts("map3")
    >>> facts.players, facts.rows, facts.columns, facts.transitions, facts.special
    (4, 31, 13, 12, {'b': 10, 'c': 8, 'i': 9, 'x': 8})
    """
    words = _shipped(name).split()
    players, overrides, bombs, strength, rows, columns = map(int, words[:6])
    cells = Counter(words[6 : 6 + rows * columns])
    special = {symbol: cells[symbol] for symbol in "bcix" if cells[symbol]}
    links = words.count("<->")
    return MapFacts(name, players, overrides, bombs, strength, rows, columns, links, special)


def read_file(game: str, option: str, value: str) -> str:
    """The content of a file that a game is made of.

    >>> read_file("reversixt", "map", "othello8x8").split()[:6]
    ['2', '0', '0', '0', '8', '8']
    >>> read_file("reversixt", "map", "nowhere/to/be/found")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: game reversixt: option map=nowhere/to/be/found: expected a \
file, or a name that `spielbaum games reversixt` lists
    """
    if is_shipped(value):
        return _shipped(value)
    problem = f"game {game}: option {option}={value}: expected"
    path = Path(value)
    try:
        if not path.is_file():
            raise SpecError(f"{problem} a file, or a name that `spielbaum games {game}` lists")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise SpecError(f"{problem} a file that can be read ({error.strerror})") from None
    if len(content) > MOST_BYTES:
        raise SpecError(f"{problem} a file of at most {MOST_BYTES:,} bytes")
    return content.decode("ascii", "replace")
