"""A ConnectX agent in one file of plain Python: Monte-Carlo tree search on bitboards.

``spielbaum kaggle export`` writes this file with the settings of a spec; Kaggle calls the last
function in it. The stones of a side are a whole number with a bit for each of them, the bit
``column * rows + height``. A cell, which also names a move, is the number that has only its bit.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from math import inf, log, sqrt
from typing import Any, NamedTuple


class Settings(NamedTuple):
    """Options of the agent ``mcts``; the same names mean the same.

    >>> Settings(select="uct", c=0.8).playout
    'lgr'
    """

    select: str = "rave"
    playout: str = "lgr"
    c: float = 0.4
    alpha: float = 0.5
    rave_k: float = 50.0
    tree_moves: bool = True
    forget: bool = False
    keep: bool = True
    final: str = "visits"
    solver: bool = True
    reuse: bool = True
    seed: int = 0
    iterations: int = 0
    """Most iterations for a move, if the time suffices; 0: as many as the time allows."""


SETTINGS = Settings()

SHARE_OF_MOVE = 0.9
"""The part of a move's time that is used; the rest is for a machine that is busy."""
RESERVE = 10.0
"""Seconds of the bank that are never planned for."""
SHARE_OF_BANK = 0.01
"""The part of the other seconds in the bank that one move may take."""
LEAST = 0.01
"""Seconds for a move when there is no time left at all."""


class Position(NamedTuple):
    """What Kaggle tells about the game: the rules, the cells from the top left, whose turn it is.

    >>> start = Position(1, 4, 3, (0, 0, 0, 0), 1)
    >>> Position(1, 4, 3, (1, 0, 2, 0), 1).follows(start)
    True
    >>> start.follows(start)
    False
    """

    rows: int
    columns: int
    inarow: int
    board: tuple[int, ...]
    mark: int

    def follows(self, earlier: Position) -> bool:
        """Whether it is the same game one stone of each side later."""
        changes = sorted(
            change for change in zip(earlier.board, self.board, strict=False) if len({*change}) > 1
        )
        return earlier[:3] == self[:3] and changes == [(0, 1), (0, 2)]


def field(record: Any, name: str, default: Any = None) -> Any:
    """A value of what Kaggle passes, which has attributes, or keys, or both.

    >>> field({"mark": 2}, "mark"), field({}, "remainingOverageTime", 0)
    (2, 0)
    """
    if isinstance(record, dict):
        return record.get(name, default)
    return getattr(record, name, default)


def read_position(observation: Any, configuration: Any) -> Position:
    """The position that Kaggle asks about.

    >>> read_position({"board": [0] * 42, "mark": 1}, {"rows": 6, "columns": 7, "inarow": 4})[:3]
    (6, 7, 4)
    """
    return Position(
        int(field(configuration, "rows", 6)),
        int(field(configuration, "columns", 7)),
        int(field(configuration, "inarow", 4)),
        tuple(int(cell) for cell in field(observation, "board")),
        int(field(observation, "mark")),
    )


def thinking_seconds(observation: Any, configuration: Any) -> float:
    """Seconds to think: most of the time of a move, and a little of what is in the bank.

    >>> thinking_seconds({"remainingOverageTime": 60}, {"actTimeout": 2})
    2.3
    >>> thinking_seconds({"remainingOverageTime": 5}, {"actTimeout": 2})
    1.8
    """
    usual = float(field(configuration, "actTimeout", 2)) * SHARE_OF_MOVE
    bank = float(field(observation, "remainingOverageTime", 0))
    return max(usual + max(bank - RESERVE, 0.0) * SHARE_OF_BANK, LEAST)


class Board:
    """The geometry of a board: its cells, and the lines through each of them.

    >>> board = Board(6, 7, 4)
    >>> len(board.lines[1 << 3 * 6]), board.column(1 << 3 * 6)
    (7, 3)
    """

    def __init__(self, rows: int, columns: int, inarow: int) -> None:
        self.rows = rows
        self.inarow = inarow
        self.full = (1 << rows * columns) - 1
        self.tops = sum(1 << column * rows + rows - 1 for column in range(columns))
        self.bottoms = [1 << column * rows for column in range(columns)]
        lines: dict[int, list[int]] = {1 << i: [] for i in range(rows * columns)}
        for column in range(columns):
            for height in range(rows):
                for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    end_column, end_height = (
                        column + right * (inarow - 1),
                        height + up * (inarow - 1),
                    )
                    if end_column < columns and 0 <= end_height < rows:
                        cells = [
                            1 << (column + right * i) * rows + height + up * i
                            for i in range(inarow)
                        ]
                        for cell in cells:
                            lines[cell].append(sum(cells))
        self.lines = {cell: tuple(through) for cell, through in lines.items()}

    def stones(self, cells: Sequence[int], mark: int) -> int:
        """The stones of one side.

        >>> Board(2, 2, 2).stones((0, 0, 1, 2), 2)
        4
        """
        columns = len(self.bottoms)
        return sum(
            self.bottoms[i % columns] << self.rows - 1 - i // columns
            for i, cell in enumerate(cells)
            if cell == mark
        )

    def open_cells(self, stones: int) -> list[int]:
        """The cells where a stone can come to rest.

        >>> Board(2, 2, 2).open_cells(0b0001)
        [2, 4]
        """
        cells = []
        for cell in self.bottoms:
            top = cell << self.rows - 1
            while cell & stones and cell != top:
                cell <<= 1
            if not cell & stones:
                cells.append(cell)
        return cells

    def wins(self, stones: int, cell: int) -> bool:
        """Whether a stone on the cell completes a line.

        >>> Board(2, 2, 2).wins(0b0001, 0b0100)
        True
        """
        stones |= cell
        return any(stones & line == line for line in self.lines[cell])

    def column(self, cell: int) -> int:
        """The column of a cell."""
        return (cell.bit_length() - 1) // self.rows


class Node:
    """A position in the tree. Rewards are those of the player whose move led to it."""

    __slots__ = (
        *("own", "other", "cell", "visits", "total", "amaf_visits", "amaf_total"),
        *("untried", "children", "end", "proof", "has_draw"),
    )

    def __init__(self, own: int, other: int, cell: int = 0) -> None:
        self.own = own  # the stones of the player to move
        self.other = other
        self.cell = cell  # the move that led here
        self.visits = self.amaf_visits = 0
        self.total = self.amaf_total = 0.0
        self.untried: list[int] | None = None
        self.children: list[Node] = []
        self.end: float | None = None  # the reward if the game is over
        self.proof: float | None = None  # the reward if it is certain
        self.has_draw = False  # a move is proven to draw, so that the player to move need not lose

    def mean(self) -> float:
        """The reward on average, or the proven one."""
        return self.total / self.visits if self.proof is None else self.proof


class Search:
    """A tree that grows by one playout at a time, and is kept from move to move.

    >>> search = Search(Board(6, 7, 4), Settings())
    >>> search.start_from(0b111, 0b111 << 6)
    >>> search.run(time.perf_counter() + 0.05)
    0
    """

    new_node = Node

    def __init__(self, board: Board, settings: Settings) -> None:
        self.board = board
        self.settings = settings
        self.root: Node | None = None
        self._chance = random.Random(settings.seed).random
        self._choose = getattr(self, f"_{settings.playout}_move")
        # By player who replies: the move that he answers, and the reply of his last won playout.
        self._replies: tuple[dict[int, int], dict[int, int]] = ({}, {})

    def start_from(self, own: int, other: int) -> None:
        """Go on with the part of the tree below a position, if it is there."""
        if not self.settings.keep:
            self._replies = ({}, {})
        known = None
        if self.settings.reuse and self.root is not None:
            near = [self.root, *self.root.children]
            near += [below for child in self.root.children for below in child.children]
            known = next((node for node in near if (node.own, node.other) == (own, other)), None)
        self.root = known or self.new_node(own, other)

    def run(self, deadline: float) -> int:
        """Search until the clock shows the deadline, and give the column of the best move.

        Every move is tried once however late it is. With a limit of iterations, those that were
        kept from earlier moves do not count.
        """
        root = self.root
        assert root is not None
        most, done = self.settings.iterations or inf, 0
        while root.proof is None and (
            root.untried is None or root.untried or (done < most and time.perf_counter() < deadline)
        ):
            self._iterate(root)
            done += 1
        return self.board.column(self.best(root).cell)

    def best(self, node: Node) -> Node:
        """The best move: a proven win, then what is searched, then proven draws and losses.

        A proven draw comes before what is searched if the best of that is worth less.
        """

        def key(child: Node) -> tuple[float, float]:
            if self.settings.final == "select" and child.proof is None:
                return (self._blended(child), child.visits)
            key = (child.visits, child.mean())
            return key if self.settings.final == "visits" else key[::-1]

        ordered = sorted(node.children, key=key, reverse=True)
        searched = next((child for child in ordered if child.proof is None), None)
        draws = 1 if searched is not None and searched.mean() < 0 else 3
        ranks = {1.0: 0, 0.0: draws, None: 2, -1.0: 4}
        return min(ordered, key=lambda child: ranks[child.proof])

    # One iteration

    def _iterate(self, root: Node) -> None:
        node = root
        path = [node]
        is_new = False
        while not is_new and node.end is None and (node.proof is None or node is root):
            if node.untried is None:
                node.untried = self.board.open_cells(node.own | node.other)
            is_new = bool(node.untried)
            node = self._open(node, node.untried) if is_new else self._select(node)
            path.append(node)
        known = node.proof if node.end is None else node.end
        if known is None:
            reward, own, other = self._play_out(node.own, node.other)
            self._back_up(path, -reward, other, own)
        else:
            self._back_up(path, known, node.other, node.own)

    def _open(self, node: Node, untried: list[int]) -> Node:
        """A move that has not been tried."""
        cell = untried.pop(int(self._chance() * len(untried)))
        child = Node(node.other, node.own | cell, cell)
        if self.board.wins(node.own, cell):
            child.end = 1.0
        elif child.own | child.other == self.board.full:
            child.end = 0.0
        if self.settings.solver:
            child.proof = child.end
        node.children.append(child)
        return child

    def _select(self, node: Node) -> Node:
        """The move with the highest score of those whose result is not certain."""
        weight = self.settings.c * sqrt(log(node.visits))
        best, best_score = node.children[0], -inf
        for child in node.children:
            if child.proof is not None:
                continue
            score = self._blended(child) + weight / sqrt(child.visits)
            if score > best_score:
                best, best_score = child, score
        return best

    def _blended(self, child: Node) -> float:
        """The mean of a move, mixed with that of all playouts that have it."""
        mean = child.total / child.visits
        share = self.settings.alpha
        if self.settings.select == "rave":
            share = sqrt(self.settings.rave_k / (3 * child.visits + self.settings.rave_k))
        elif self.settings.select == "uct":
            return mean
        amaf = child.amaf_total / child.amaf_visits if child.amaf_visits else 0.0
        return mean + share * (amaf - mean)

    def _back_up(self, path: list[Node], reward: float, stones: int, others: int) -> None:
        """Add a result; the stones at the end are first those of the last move's player."""
        leaf = path[-1]
        uses_amaf = self.settings.select != "uct"
        if not self.settings.tree_moves:
            stones, others = stones ^ leaf.other, others ^ leaf.own
        prove = self.settings.solver
        for i in range(len(path) - 1, 0, -1):
            child, parent = path[i], path[i - 1]
            child.visits += 1
            child.total += reward
            if uses_amaf:
                # What was empty here and has a stone of the player now was played further on.
                for each in parent.children:
                    if each.cell & stones:
                        each.amaf_visits += 1
                        each.amaf_total += reward
            prove = prove and self._prove(parent, child)
            if parent.has_draw and reward < 0:
                reward = 0.0
            reward = -reward
            stones, others = others, stones
        path[0].visits += 1

    def _prove(self, parent: Node, child: Node) -> bool:
        """Whether the child proves something of its parent."""
        if child.proof is None:
            return False
        if child.proof == 1.0:
            parent.proof = -1.0
            return True
        parent.has_draw = parent.has_draw or child.proof == 0.0
        proofs = [each.proof for each in parent.children if each.proof is not None]
        if parent.untried or len(proofs) < len(parent.children):
            return False
        parent.proof = -max(proofs)
        return True

    # Playouts

    def _play_out(self, own: int, other: int) -> tuple[float, int, int]:
        """Play to the end: the reward of the player to move, and the stones of either side."""
        lines, tops, choose = self.board.lines, self.board.tops, self._choose
        cells = self.board.open_cells(own | other)
        first = (own | other).bit_count() % 2  # the player to move
        trace: list[int] = []
        won = False
        while cells and not won:
            index = choose(cells, own, other, trace, first)
            cell = cells[index]
            trace.append(cell)
            own, other = other, own | cell
            for line in lines[cell]:
                if other & line == line:
                    won = True
                    break
            if cell & tops:
                cells[index] = cells[-1]
                cells.pop()
            else:
                cells[index] = cell << 1
        if len(trace) % 2:
            own, other = other, own
        if not won:
            return 0.0, own, other
        winner = (first + len(trace) - 1) % 2
        if self.settings.playout == "lgr":
            self._learn(trace, first, winner)
        return (1.0 if winner == first else -1.0), own, other

    def _random_move(self, cells: list[int], *_: object) -> int:
        return int(self._chance() * len(cells))

    def _lgr_move(self, cells: list[int], _: int, __: int, trace: list[int], first: int) -> int:
        """The last good reply, if it can be played."""
        if trace:
            reply = self._replies[(first + len(trace)) % 2].get(trace[-1])
            if reply in cells:
                return cells.index(reply)
        return self._random_move(cells)

    def _learn(self, trace: list[int], first: int, winner: int) -> None:
        """Keep the winner's replies; with ``forget``, drop those to his moves."""
        for i in range(1, len(trace)):
            player = (first + i) % 2
            if player == winner:
                self._replies[player][trace[i - 1]] = trace[i]
            elif self.settings.forget:
                self._replies[player].pop(trace[i - 1], None)

    def _gdk_move(self, cells: list[int], own: int, other: int, *_: object) -> int:
        """A win; else a block that does not lose at once; else any move that does not."""
        wins = self.board.wins
        for index, cell in enumerate(cells):
            if wins(own, cell):
                return index
        tops = self.board.tops
        safe = [
            index for index, cell in enumerate(cells) if cell & tops or not wins(other, cell << 1)
        ]
        blocks = [index for index in safe if wins(other, cells[index])]
        some = blocks or safe or range(len(cells))
        return some[int(self._chance() * len(some))]


class Player:
    """Plays one game after the other, and remembers what it thought in the game at hand.

    >>> player = Player(Settings(playout="gdk"))
    >>> board = [0] * 35 + [1, 1, 1, 0, 2, 2, 2]
    >>> player.choose({"board": board, "mark": 1}, {"actTimeout": 1})
    3
    """

    def __init__(self, settings: Settings, kind: type[Search] = Search) -> None:
        self.settings = settings
        self.kind = kind
        self.search: Search | None = None
        self._last: Position | None = None

    def choose(self, observation: Any, configuration: Any) -> int:
        """The column for the next stone."""
        began = time.perf_counter()
        position = read_position(observation, configuration)
        if self.search is None or self._last is None or not position.follows(self._last):
            self.search = self.kind(Board(*position[:3]), self.settings)
        self._last = position
        board = self.search.board
        stones = [board.stones(position.board, mark) for mark in (position.mark, 3 - position.mark)]
        self.search.start_from(*stones)
        return self.search.run(began + thinking_seconds(observation, configuration))


PLAYER = Player(SETTINGS)


def agent(observation: Any, configuration: Any) -> int:
    """What Kaggle calls: the column for the next stone.

    >>> agent({"board": [0] * 39 + [1, 1, 1], "mark": 2}, {"actTimeout": 0.1})
    3
    """
    return PLAYER.choose(observation, configuration)
