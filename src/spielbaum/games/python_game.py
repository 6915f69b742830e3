"""`PythonGame`: the base class of games written in pure Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from spielbaum import _core
from spielbaum.base.errors import NotationError
from spielbaum.base.options import Option
from spielbaum.games.drawing.text import Choice, Layout, grid
from spielbaum.games.outcome import Outcome

if TYPE_CHECKING:
    from spielbaum.games.state import State

MOST_LETTERS = 26
"""Columns that have a letter."""


class PythonGame(ABC):
    """Rules in pure Python that run under every agent, test and command of Spielbaum.

    A subclass names the game, says how many actions there are, and writes six methods. Its own
    states may be any immutable value that compares with ``==``, such as a tuple. The options of
    its spec are passed to ``__init__`` as keywords. ``docs/python-games.md`` has an example;
    `spielbaum.testing.check_game` tests a game against the laws that searches rely on.

    >>> issubclass(PythonGame, ABC)
    True
    """

    name: ClassVar[str]
    """The name in specs: lower-case letters, digits, underscores."""
    options: ClassVar[Sequence[Option]] = ()
    """What can be set in a spec; see `spielbaum.Option`."""
    num_players: int = 2
    num_actions: int
    """Moves are numbers below this; at most 65,535."""
    num_symmetries: int = 1
    """With more than one, write `transform`, `transform_action` and positions as text (`notation`,
    `split_moves`, `parse_state`), because the image of a position has no moves to write."""
    num_cells: int = 0
    """With more than none, write `cell` and `move_cells`; for drawing, and for n-tuples."""
    num_contents: int = 0
    """How many contents `contents` tells apart, at most 36. With 0, n-tuple networks do not know
    the game; with more, write `contents` unless `cell` says it all, `neighbours` unless the cells
    are a grid, and `transform_cell` if there are symmetries."""
    repetition: bool = False
    """Whether a position that occurs for the third time is a draw; then write `irreversible`."""
    clock_limit: int = 0
    """Number of plies without an irreversible move that is a draw; 0: there is no such rule."""
    plane_shape: tuple[int, int, int] | None = None
    """(planes, rows, columns) of `planes`, which networks need."""
    partition_planes: int = 0
    """So many first planes hold exactly one 1 on each cell of the board (0: not checked)."""

    previews: bool = False
    """Whether moves change more cells than they name; the studio then shows which."""

    @property
    def max_moves(self) -> int:
        """A bound of the number of legal moves in a position."""
        return self.num_actions

    @abstractmethod
    def initial(self) -> Any:
        """The state in which the game starts."""

    @abstractmethod
    def to_move(self, state: Any) -> int:
        """The player whose turn it is."""

    @abstractmethod
    def legal_moves(self, state: Any) -> Sequence[int]:
        """The actions that can be played; asked only while the game goes on."""

    @abstractmethod
    def play(self, state: Any, action: int) -> Any:
        """The state after a legal action; ``state`` itself must not change."""

    @abstractmethod
    def outcome(self, state: Any) -> Outcome | None:
        """None while the game goes on."""

    @abstractmethod
    def key(self, state: Any) -> int | bytes:
        """Identifies the position: equal for equal positions, different for different ones."""

    def irreversible(self, state: Any, action: int) -> bool:
        """Whether no later position can equal one before this action; for `repetition`.

        The plies since the last such action and the earlier occurrences of a position are counted
        for the game: neither its states nor its keys have them, and `outcome` need not look.
        """
        return False

    def evaluate(self, state: Any) -> float:
        """Value of an unfinished position for the side to move, from -1 to 1; 0 unless overridden.

        Alpha-beta asks for it at its leaves, MCTS where it cuts playouts (``mcts:cut=20``).
        """
        return 0.0

    @classmethod
    def declares(cls, name: str) -> bool:
        """Whether the game has its own version of a method.

        >>> class Mine(PythonGame):
        ...     def evaluate(self, state): return 0.5
        >>> Mine.declares("evaluate"), Mine.declares("contents")
        (True, False)
        """
        return getattr(cls, name) is not getattr(PythonGame, name)

    def text(self, state: Any, action: int) -> str:
        """The text of a legal action; a number unless overridden."""
        return str(action)

    def label(self, state: Any, action: int) -> str:
        """What people read of a legal action, another one for each; its text unless overridden."""
        return self.text(state, action)

    def parse(self, state: Any, text: str) -> int | None:
        """The legal action that a text names, or None; labels are read without it."""
        for action in self.legal_moves(state):
            if self.text(state, action) == text:
                return action
        return None

    def join_moves(self, moves: Sequence[str]) -> str:
        """A game as text, from the texts of its moves."""
        return " ".join(moves)

    def split_moves(self, text: str) -> list[str] | None:
        """The texts of moves in a game's text, or None if it is a position's (`parse_state`)."""
        return text.split()

    def notation(self, state: Any) -> str:
        """The text of a position whose moves are not known."""
        return repr(state)

    def parse_state(self, text: str) -> Any:
        """The position that `notation` wrote."""
        raise NotationError(f"position {text!r}: {self.name} reads only moves from the start")

    def transform(self, state: Any, index: int) -> Any:
        """The image of a state under a symmetry; 0 is the identity."""
        return state

    def transform_action(self, action: int, index: int) -> int:
        """The image of an action under a symmetry."""
        return action

    def planes(self, state: Any) -> npt.NDArray[np.float32]:
        """Feature planes of shape ``plane_shape``, the side to move first."""
        raise NotImplementedError(f"{self.name} sets plane_shape and must write planes()")

    def cell(self, state: Any, cell: int) -> int:
        """What lies on a cell: 0 nothing, ``p + 1`` a stone of player ``p``."""
        return 0

    def contents(self, state: Any) -> Sequence[int]:
        """What n-tuples see on every cell, from 0 to ``num_contents - 1``; `cell` of each."""
        return [self.cell(state, cell) for cell in range(self.num_cells)]

    def transform_cell(self, cell: int, index: int) -> int:
        """The image of a cell under a symmetry, for n-tuples."""
        return cell

    def neighbours(self, cell: int) -> Sequence[int]:
        """Cells next to a cell, at most 8, along which n-tuples grow; they must reach all cells.

        Up to eight around it where the cells fill the rows and columns of `plane_shape`.
        """
        shape = self._grid()
        if shape is None:
            raise NotImplementedError(f"{self.name} sets num_contents and must write neighbours()")
        rows, columns = shape
        row, column = divmod(cell, columns)
        return [
            r * columns + c
            for r in range(max(row - 1, 0), min(row + 2, rows))
            for c in range(max(column - 1, 0), min(column + 2, columns))
            if (r, c) != (row, column)
        ]

    def _grid(self) -> tuple[int, int] | None:
        """Rows and columns, if the cells fill them as those of `plane_shape`."""
        if self.num_cells and self.plane_shape is not None:
            _, rows, columns = self.plane_shape
            if rows * columns == self.num_cells:
                return rows, columns
        return None

    def move_cells(self, state: Any, action: int) -> Sequence[int]:
        """The cells that an action touches: none, its target, or origin and target."""
        return ()

    def layout(self) -> Layout | None:
        """Where the cells are drawn; without it, in rows as `plane_shape` has them."""
        shape = self._grid()
        if shape is not None and shape[1] <= MOST_LETTERS:
            return grid(*shape, from_top=True)
        return None

    def counts(self, state: Any) -> Mapping[str, Sequence[int]]:
        """Numbers that the studio shows beside each player, by name, such as stones in hand."""
        return {}

    def notes(self, state: Any) -> Sequence[str]:
        """What the studio says about a position, such as its phase, in a few words each."""
        return ()

    def out(self, state: Any) -> Sequence[int]:
        """Players who are out of the game while it goes on; the studio shows them in grey."""
        return ()

    def choice(self, state: Any, action: int) -> Choice | None:
        """What the studio asks where several actions have the same `move_cells`, and the answer.

        None: it offers the texts of the actions.
        """
        return None

    def diagram(self, state: Any) -> str:
        """The position as text for the terminal."""
        return self.notation(state)


def value_of(state: State) -> Any:
    """What a game in Python calls its state."""
    return _core.python_value(state._core)
