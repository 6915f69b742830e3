"""The tree of a search as moves, which shows itself: text in terminals, HTML in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum.games.drawing.svg import escaped, tint

if TYPE_CHECKING:
    from spielbaum.games.state import State

SHOWN_PLIES = 3
SHOWN_MOVES = 5
"""Of each position, the most visited first."""


@dataclass(frozen=True)
class TreeMove:
    """A move in a search tree.

    >>> TreeMove(None, 3, 120, 0.25).parent is None  # a move of the root
    True
    """

    parent: int | None
    """Index of the move before it, or None for a move of the root."""
    move: int
    """The action."""
    visits: int
    value: float
    """Worth in [-1, 1] for the player who moves."""
    proven: float | None = None
    prior: float | None = None


class SearchTree(tuple[TreeMove, ...]):
    """The moves of a tree, breadth first, and the position that they start from.

    >>> import spielbaum as sb
    >>> agent, state = sb.agent("uct:seed=2"), sb.game("tictactoe").state("a1 b2 a2 b3")
    >>> _ = agent.choose(state, sb.Budget(iterations=60))
    >>> for line in str(agent.tree(state.game)).splitlines()[:3]:
    ...     print(line)
    a3  48 visits  +1.000
    b1   7 visits  +0.429
      a3   3 visits  +0.333
    """

    root: State | None

    def __new__(cls, moves: Iterable[TreeMove] = (), root: State | None = None) -> SearchTree:
        """Keep moves, with the position whose names they have."""
        made = super().__new__(cls, moves)
        made.root = root
        return made

    def children(self, parent: int | None) -> list[int]:
        """The indices of the moves that follow a move, or those of the root, most visits first."""
        found = [index for index, each in enumerate(self) if each.parent == parent]
        return sorted(found, key=lambda index: -self[index].visits)

    def lines(self) -> Iterator[tuple[int, str, TreeMove]]:
        """The most visited moves as depth, name and move, each before its replies."""
        yield from self._lines(None, self.root, 0)

    def _lines(
        self, parent: int | None, state: State | None, depth: int
    ) -> Iterator[tuple[int, str, TreeMove]]:
        for index in self.children(parent)[:SHOWN_MOVES] if depth < SHOWN_PLIES else ():
            each = self[index]
            yield depth, str(each.move) if state is None else state.label(each.move), each
            after = None if state is None else state.play(each.move)
            yield from self._lines(index, after, depth + 1)

    def __str__(self) -> str:
        width = len(f"{max((each.visits for each in self), default=0):,}")
        return "\n".join(
            f"{'  ' * depth}{name}  {each.visits:>{width},} visits  {each.value:+z.3f}"
            + (" proven" if each.proven is not None else "")
            for depth, name, each in self.lines()
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><td style="text-align:left;padding-left:{1 + 2 * depth}em">{escaped(name)}</td>'
            f"<td>{each.visits:,}</td>"
            f'<td style="background:{tint(each.value)};color:#1b1f24">{each.value:+z.3f}</td></tr>'
            for depth, name, each in self.lines()
        )
        head = '<tr><th style="text-align:left">move</th><th>visits</th><th>value</th></tr>'
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
