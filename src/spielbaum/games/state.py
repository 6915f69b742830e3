"""`State`: a position with the path to it, as an immutable value."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
import numpy.typing as npt

from spielbaum import _core
from spielbaum.base.errors import IllegalMove, SpecError, check_encodable
from spielbaum.games.outcome import Outcome

if TYPE_CHECKING:
    from spielbaum.games.game import Game


class State:
    """A position of a game and the moves that led to it; made by a `Game` or by `play`.

    States never change, can be hashed, compared, copied and pickled, and cost about a microsecond
    to make. Equal states have the same game, position, clock and repeats; the path travels along
    but does not count.

    >>> import spielbaum as sb
    >>> s = sb.game("connect4").state("44")
    >>> t = s.play("d3")
    >>> t.notation, t.to_move, s.notation
    ('444', 1, '44')
    >>> print(t)
       1 2 3 4 5 6 7
    6  . . . . . . .
    5  . . . . . . .
    4  . . . . . . .
    3  . . .[x]. . .
    2  . . . o . . .
    1  . . . x . . .
       a b c d e f g
    o to move
    """

    __slots__ = ("_core", "_game")

    def __init__(self, game: Game, core: _core.State) -> None:
        self._game = game
        self._core = core

    @property
    def game(self) -> Game:
        """The rules that this position belongs to."""
        return self._game

    @property
    def num_players(self) -> int:
        """How many players take part."""
        return self._game.num_players

    @property
    def to_move(self) -> int:
        """The player whose turn it is, from 0."""
        return self._core.to_move

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """The moves that can be played; empty exactly when the game is over."""
        return self._core.legal_moves

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on.

        >>> import spielbaum as sb
        >>> sb.game("tictactoe").state("a1 b1 a2 b2 a3").outcome.reason
        'three in a row'
        """
        result = self._core.outcome
        return None if result is None else Outcome(*result)

    def play(self, move: SupportsIndex | str) -> State:
        """The state after a move, given as a number or as text; this state does not change.

        >>> import spielbaum as sb
        >>> sb.game("chess").initial().play("e2e4").notation
        'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'
        """
        if isinstance(move, str):
            move = self.parse(move)
        return State(self._game, self._core.play(move))

    def text(self, move: SupportsIndex) -> str:
        """The text of a legal move.

        >>> import spielbaum as sb
        >>> sb.game("reversi").initial().text(19)
        'd3'
        """
        return self._core.text(move)

    def label(self, move: SupportsIndex) -> str:
        """A legal move as people read it: algebraic notation in chess, the text in most games.

        `parse` and `play` read both.

        >>> import spielbaum as sb
        >>> s = sb.game("chess").initial().play("e4")
        >>> [s.label(move) for move in s.legal_moves if s.text(move) in ("g8f6", "d7d5")]
        ['Nf6', 'd5']
        >>> sb.game("reversi").initial().label(19)
        'd3'
        """
        return self._core.label(move)

    def parse(self, text: str) -> int:
        """The legal move that a text or a label names.

        >>> import spielbaum as sb
        >>> sb.game("yavalath").initial().parse("e5")
        30
        >>> start = sb.game("chess").initial()
        >>> start.parse("Nf3") == start.parse("g1f3")
        True
        """
        check_encodable(text, "move", IllegalMove)
        return self._core.parse(text)

    @property
    def notation(self) -> str:
        """The position as text; `Game.state` reads it back."""
        return self._core.notation

    @property
    def last_move(self) -> int | None:
        """The move that led here, or None at the start of the path."""
        return self._core.last_move

    @property
    def history(self) -> tuple[int, ...]:
        """The moves since the start of the path.

        >>> import spielbaum as sb
        >>> sb.game("connect4").state("4453").history
        (3, 3, 4, 2)
        """
        return self._core.history

    @property
    def texts(self) -> tuple[str, ...]:
        """The same moves as texts.

        >>> import spielbaum as sb
        >>> sb.game("connect4").state("4453").texts
        ('d1', 'd2', 'e1', 'c1')
        """
        return self._core.texts

    def wander(self, plies: int, rng: _core.Rng) -> State:
        """The state after so many random moves, or fewer if the game ends before.

        >>> import spielbaum as sb
        >>> sb.game("tictactoe").initial().wander(100, _core.Rng(1)).outcome.reason
        'three in a row'
        """
        return State(self._game, self._core.wander(plies, rng))

    @property
    def previous(self) -> State | None:
        """The state before the last move, or None at the start of the path.

        >>> import spielbaum as sb
        >>> sb.game("connect4").state("44").previous.notation
        '4'
        """
        parent = self._core.parent
        return None if parent is None else State(self._game, parent)

    @property
    def root(self) -> State:
        """The state in which the path starts.

        >>> import spielbaum as sb
        >>> sb.game("connect4").state("4453").root == sb.game("connect4").initial()
        True
        """
        return State(self._game, self._core.root)

    @property
    def key(self) -> int:
        """A hash of the position in 64 bits: equal positions have equal keys on every machine.

        Clock and repeats of chess, and the path, do not count.
        """
        return self._core.key

    @property
    def cells(self) -> tuple[int, ...]:
        """What lies on every cell: 0 nothing, ``p + 1`` a stone of player ``p``.

        Chess has 1 to 6 for white's pawn, knight, bishop, rook, queen and king, 7 to 12 for black.
        """
        return self._core.cells

    def cells_of(self, move: SupportsIndex) -> tuple[int, ...]:
        """The cells that a legal move touches: none, its target, or origin and target.

        >>> import spielbaum as sb
        >>> start = sb.game("chess").initial()
        >>> start.cells_of(start.parse("e2e4"))
        (12, 28)
        """
        return self._core.cells_of(move)

    @property
    def last_cells(self) -> tuple[int, ...]:
        """The cells that the last move touched."""
        parent, move = self._core.parent, self._core.last_move
        return () if parent is None or move is None else parent.cells_of(move)

    def image(self, index: int) -> State:
        """This state under one of the `Game.num_symmetries` symmetries of the board.

        0 is the identity and keeps the path; every other image starts a path of its own.

        >>> import spielbaum as sb
        >>> sb.game("connect4").state("1").image(1) == sb.game("connect4").state("7")
        True
        """
        return State(self._game, self._core.transform(index))

    def symmetries(self) -> tuple[Symmetry, ...]:
        """This state under every symmetry of the board, the identity first.

        >>> import spielbaum as sb
        >>> mirrored = sb.game("connect4").state("1").symmetries()[1]
        >>> mirrored.state == sb.game("connect4").state("7"), mirrored.actions
        (True, (6, 5, 4, 3, 2, 1, 0))
        """
        core = self._game._core
        return tuple(
            Symmetry(self.image(index), tuple(core.symmetry_actions(index)))
            for index in range(core.num_symmetries)
        )

    def planes(self, encoding: str = "own") -> npt.NDArray[np.float32]:
        """The position as feature planes for a network, of shape (planes, rows, columns).

        The default has the pieces of the side to move first, then each opponent's in turn order,
        then the empty cells. Row 0 is the top row as the board is drawn.

        >>> import spielbaum as sb
        >>> sb.game("connect4").state("4").planes("regular")[0, 5]
        array([0., 0., 0., 1., 0., 0., 0.], dtype=float32)
        """
        self._game.plane_shape(encoding)  # raises if there is none of that name
        return self._core.planes(encoding)

    @property
    def details(self) -> dict[str, tuple[int, ...]]:
        """What the position has besides its cells, by name; nothing in most games.

        >>> import spielbaum as sb
        >>> sb.game("reversixt:map=map4").initial().details
        {'phase': (1,), 'overrides': (0, 0, 0), 'bombs': (3, 3, 3), 'disqualified': ()}
        """
        return self._core.details

    @property
    def disqualified(self) -> tuple[int, ...]:
        """The players who are out of the game, while it goes on for the others."""
        return self._core.eliminated

    def disqualify(self, player: SupportsIndex) -> State:
        """The state in which a player is out of the game, as the start of a path of its own.

        Raises `IllegalMove` if the game is over, the player is out already, or the game does not go
        on without a player (see `Game.can_disqualify`).

        >>> import spielbaum as sb
        >>> state = sb.game("reversixt:map=map4").initial().disqualify(0)
        >>> state.to_move, state.disqualified, state.disqualify(1).outcome.winner
        (1, (0,), 2)
        """
        return State(self._game, self._core.eliminate(operator.index(player)))

    def diagram(
        self,
        *,
        marks: Mapping[int, str | float] | None = None,
        paint: Callable[[int | None, str], str] | None = None,
    ) -> str:
        """The board as text; ``marks`` are labels of cells, such as values of moves.

        ``paint`` colours the cells, given whose stone is there (None: nobody's) and its text.
        """
        return self._game.face.diagram(self, marks=marks, paint=paint)

    def svg(
        self,
        *,
        size: int = 360,
        marks: Mapping[int, str | float] | None = None,
        last_move: bool = True,
        coordinates: bool = True,
        highlights: Collection[int] = (),
    ) -> str:
        """The board as an SVG picture.

        ``marks`` label cells with a text, or with a value in [-1, 1] that is tinted; ``highlights``
        are cells shown as targets.

        >>> import spielbaum as sb
        >>> sb.game("yavalath").state("e5 d4").svg().startswith("<svg")
        True
        """
        return self._game.face.svg(
            self,
            size=size,
            marks=marks,
            last_move=last_move,
            coordinates=coordinates,
            highlights=highlights,
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.diagram()

    def __repr__(self) -> str:
        return f"{self._game!r}.state({self.notation!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._game == other._game and self._core.equals(other._core)

    def __hash__(self) -> int:
        return hash(self._core.key)

    def __copy__(self) -> State:
        return self

    def __deepcopy__(self, memo: object) -> State:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self._game, self._core.root_notation, self.history)


def _restore(rules: Game, root: str | None, moves: tuple[int, ...]) -> State:
    """Plays a pickled path again, so that a forged file cannot make an impossible state."""
    state = rules.initial() if root is None else rules.state(root)
    for move in moves:
        state = state.play(move)
    return state


@dataclass(frozen=True)
class Symmetry:
    """The image of a state under one symmetry, and where each action goes.

    >>> import spielbaum as sb
    >>> mirrored = sb.game("connect4").initial().symmetries()[1]
    >>> mirrored.policy([1, 2, 3, 4, 5, 6, 7])
    array([7., 6., 5., 4., 3., 2., 1.], dtype=float32)
    """

    state: State
    actions: tuple[int, ...]
    """``actions[a]`` is the action that ``a`` becomes."""

    def policy(self, policy: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """A vector over the actions of the original state, as one over those of the image."""
        vector = np.asarray(policy, dtype=np.float32)
        if vector.shape != (len(self.actions),):
            raise IllegalMove(
                f"policy of shape {vector.shape}: expected one number for each of the "
                f"{len(self.actions)} actions"
            )
        image = np.empty_like(vector)
        image[list(self.actions)] = vector
        return image


def perft(state: State, depth: int) -> int:
    """The number of move sequences of length ``depth``: the standard check of a move generator.

    A game that ends earlier counts nothing; in Reversi, by convention of its published counts, it
    counts as one.

    >>> import spielbaum as sb
    >>> sb.perft(sb.game("chess").initial(), 4)
    197281
    """
    plies = operator.index(depth)
    if not 0 <= plies <= 200:
        raise SpecError(f"perft depth {depth}: expected a number from 0 to 200")
    return _core.perft(state._core, plies)


def playouts(state: State, count: int, seed: int) -> tuple[int, int]:
    """Play random games to their ends; the plies of all of them, and a sum that depends on each.

    >>> import spielbaum as sb
    >>> playouts(sb.game("tictactoe").initial(), 100, 1) == playouts(
    ...     sb.game("tictactoe").initial(), 100, 1
    ... )
    True
    """
    return _core.playouts(state._core, count, seed)
