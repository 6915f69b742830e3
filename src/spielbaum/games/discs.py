"""What records of Othello share: passes that nobody writes, and results in discs."""

from __future__ import annotations

from spielbaum.games.records import GameTree, Node

PASS = "pa"


class Scribe:
    """Writes moves into a record one after the other, and adds passes that were left out.

    >>> import spielbaum as sb
    >>> scribe = Scribe(GameTree(sb.game("reversi:size=4").initial()))
    >>> for cell in ("a2", "a1", "b1", "a3", "a4", "c1", "d1", "d2"):
    ...     _ = scribe.play(cell)
    >>> len(scribe.tree.moves())
    8
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.state = tree.start
        self._node = tree.root

    def play(self, text: str) -> Node:
        """Add a move, and the pass before it if that is forced; may raise `IllegalMove`."""
        moves = self.state.legal_moves
        if text != PASS and len(moves) == 1 and self.state.text(moves[0]) == PASS:
            self._add(moves[0])
        return self._add(self.state.parse(text))

    def _add(self, move: int) -> Node:
        self.state = self.state.play(move)
        self._node = self._node.add(move)
        return self._node


def discs(tree: GameTree) -> int:
    """Discs by which the first player won: empty cells count for the winner.

    A game that was not played to its end counts as won with all discs, or, without a result, as it
    stands.

    >>> import spielbaum as sb
    >>> discs(GameTree.of_moves(sb.game("reversi").initial(), ["f5"]))
    3
    """
    end = tree.end()
    cells = end.cells
    ahead = cells.count(1) - cells.count(2)
    if end.outcome is None:
        first = 0.0 if tree.rewards is None else tree.rewards[0]
        return ahead if tree.rewards is None else len(cells) * _sign(first)
    return ahead + _sign(ahead) * cells.count(0)


def disc_rewards(ahead: float) -> tuple[float, float]:
    """Rewards of a result in discs.

    >>> disc_rewards(-4)
    (-1.0, 1.0)
    """
    return float(_sign(ahead)), float(-_sign(ahead))


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
