"""Files that games are made of: the maps of ReversiXT, shipped ones by name and others by path."""

from __future__ import annotations

import re
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
