"""`game()`: rules by name and options, native or registered from Python."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from spielbaum import _core
from spielbaum.base.discover import load, names
from spielbaum.base.errors import NotationError, SpecError, check_encodable
from spielbaum.base.options import (
    Option,
    OptionValue,
    check_name,
    did_you_mean,
    format_spec,
    parse_spec,
    resolve,
)
from spielbaum.games.files import read_file
from spielbaum.games.python_game import PythonGame
from spielbaum.games.state import State

if TYPE_CHECKING:
    from spielbaum.games.drawing.text import Face


class Game:
    """The rules of a game with its options; made by `spielbaum.game`.

    Games with the same spec are equal, so a game can be a key of a dictionary.

    >>> import spielbaum as sb
    >>> g = sb.game("connect4:columns=9")
    >>> g.num_players, g.num_actions, g.options
    (2, 9, {'rows': 6, 'columns': 9, 'inarow': 4})
    >>> str(g), g == sb.game("connect4", columns=9)
    ('connect4:columns=9', True)
    """

    def __init__(
        self,
        name: str,
        summary: str,
        spec: str,
        options: dict[str, OptionValue],
        core: _core.Game,
        python: PythonGame | None = None,
        file: str = "",
    ) -> None:
        self._name = name
        self._summary = summary
        self._spec = spec
        self._options = options
        self._core = core
        self._python = python
        self._file = file

    @property
    def is_python(self) -> bool:
        """Whether the rules are written in Python; searches and trainings are then slower."""
        return self._python is not None

    @property
    def name(self) -> str:
        """The name without options."""
        return self._name

    @property
    def summary(self) -> str:
        """One line about the game."""
        return self._summary

    @property
    def options(self) -> dict[str, OptionValue]:
        """Every option with its value."""
        return dict(self._options)

    @property
    def num_players(self) -> int:
        """How many players take part; they are numbered from 0."""
        return self._core.num_players

    @property
    def num_actions(self) -> int:
        """Moves are numbers from 0 to ``num_actions - 1``; the length of a policy vector."""
        return self._core.num_actions

    @property
    def max_moves(self) -> int:
        """A bound of the number of legal moves in any position."""
        return self._core.max_moves

    @cached_property
    def encodings(self) -> tuple[str, ...]:
        """Names of the feature planes that `State.planes` can write; the first is the default.

        >>> import spielbaum as sb
        >>> sb.game("connect4").encodings
        ('own', 'naive', 'regular', 'planes')
        """
        return tuple(self._plane_shapes)

    @cached_property
    def _plane_shapes(self) -> dict[str, tuple[int, int, int]]:
        return {encoding.name: encoding.shape for encoding in self._core.encodings}

    @property
    def can_disqualify(self) -> bool:
        """Whether the game goes on without a disqualified player; see `State.disqualify`.

        >>> import spielbaum as sb
        >>> sb.game("reversixt").can_disqualify, sb.game("chess").can_disqualify
        (True, False)
        """
        return self._core.eliminates

    @property
    def num_symmetries(self) -> int:
        """How many symmetries the board has, the identity included; see `State.image`."""
        return self._core.num_symmetries

    @property
    def has_plane_actions(self) -> bool:
        """Whether actions lie on the board as planes: (row * columns + column) * k + i."""
        return self._core.has_plane_actions

    def plane_shape(self, encoding: str = "own") -> tuple[int, int, int]:
        """Planes, rows and columns that `State.planes` writes.

        >>> import spielbaum as sb
        >>> sb.game("connect4").plane_shape(), sb.game("connect4").plane_shape("naive")
        ((3, 6, 7), (1, 6, 7))
        """
        shape = self._plane_shapes.get(encoding)
        if shape is None:
            known = ", ".join(self.encodings) or "none"
            raise SpecError(f"{self._name} has no encoding {encoding!r:.60}; it has: {known}")
        return shape

    def plane_partition(self, encoding: str = "own") -> int:
        """How many planes, from the first on, share the cells out: each cell is in one of them.

        >>> import spielbaum as sb
        >>> sb.game("connect4").plane_partition("own")
        3
        """
        return self._core.encodings[self.encodings.index(encoding)].partition

    @cached_property
    def face(self) -> Face:
        """How the game is drawn: text diagrams, SVG, and the names of its cells."""
        # Drawing is loaded only when something is drawn.
        made: Face = load("spielbaum.games.drawing", "faces").face_of(self)
        return made

    def initial(self) -> State:
        """The position in which the game starts.

        >>> import spielbaum as sb
        >>> sb.game("reversi").initial().notation[26:38]
        '-OX------XO-'
        """
        return State(self, self._core.initial())

    def state(self, text: str) -> State:
        """A position in the notation of the game.

        >>> import spielbaum as sb
        >>> sb.game("connect4").state("4453").to_move
        0
        >>> sb.game("connect4").state("D1,D2;C1,E1").notation
        '4435'
        """
        check_encodable(text, "position", NotationError)
        return State(self, self._core.state(text))

    def state_from_kaggle(self, board: Sequence[int], mark: int) -> State:
        """A position of Connect Four from Kaggle's ConnectX: the flat board and whose turn it is.

        ``board`` runs row by row from the top left with 0 for an empty cell, 1 and 2 for stones.

        >>> import spielbaum as sb
        >>> s = sb.game("connect4").state_from_kaggle([0] * 38 + [1, 0, 0, 0], mark=2)
        >>> s == sb.game("connect4").state("4")
        True
        """
        if self._name != "connect4":
            raise SpecError(f"state_from_kaggle is for connect4, not for {self._name}")
        rows, columns = int(self._options["rows"]), int(self._options["columns"])
        cells = list(board)
        if len(cells) != rows * columns:
            raise NotationError(
                f"Kaggle board with {len(cells)} cells: expected {rows} x {columns} = "
                f"{rows * columns}"
            )
        letters = {0: ".", 1: "x", 2: "o"}
        for cell in (*cells, mark):
            if cell not in letters or isinstance(cell, float):
                raise NotationError(f"Kaggle board with {cell!r}: expected 0, 1 or 2")
        if mark == 0:
            raise NotationError("mark 0: expected 1 or 2, the stones of the side to move")
        text = "".join(letters[cell] for cell in cells)
        lines = [text[row * columns : (row + 1) * columns] for row in range(rows)]
        return self.state(f"{'/'.join(lines)} {letters[mark]}")

    def __str__(self) -> str:
        return self._spec

    def __repr__(self) -> str:
        return f"spielbaum.game({self._spec!r})"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Game):
            return NotImplemented
        # A Python game may have been replaced by another of the same name, and a file by another.
        same_rules = type(self._python) is type(other._python) and self._file == other._file
        return self._spec == other._spec and same_rules

    def __hash__(self) -> int:
        return hash(self._spec)

    def __reduce__(self) -> tuple[object, ...]:
        return game, (self._spec,)


@dataclass(frozen=True)
class _Family:
    """What the core declares about a native game; `file` is its option that names a file."""

    summary: str
    options: tuple[Option, ...]
    file: str | None


@cache
def _native_families() -> dict[str, _Family]:
    return {
        family.name: _Family(
            family.summary,
            (
                *([Option(file.name, file.initial, file.help)] if file else ()),
                *(_option(declared) for declared in family.options),
            ),
            file.name if file else None,
        )
        for family in _core.catalog()
        for file in [family.file]
    }


def _option(declared: _core.OptionDeclaration) -> Option:
    name, initial, words = declared.name, declared.initial, declared.help
    if declared.on_off:
        return Option(name, bool(initial), words)
    if declared.names:
        return Option(name, declared.names[initial], words, choices=tuple(declared.names))
    return Option(name, initial, words, low=declared.low, high=declared.high)


_python_games: dict[str, type[PythonGame]] = {}

_OUTSIDE = "spielbaum.games.outside"


def games() -> tuple[str, ...]:
    """The names of all games, native and registered.

    >>> import spielbaum as sb
    >>> {"chess", "connect4", "reversi", "tictactoe", "yavalath"} <= set(sb.games())
    True
    """
    return tuple(sorted({*native_games(), *_python_games}))


def native_games() -> tuple[str, ...]:
    """The names of the games of the core.

    >>> "connect4" in native_games()
    True
    """
    return tuple(sorted(_native_families()))


def outside_games() -> tuple[str, ...]:
    """The names under which games of other packages can be made; these need optional extras.

    >>> outside_games()
    ('openspiel',)
    """
    return names(_OUTSIDE)


def _python_kind(name: str) -> type[PythonGame] | None:
    """The class of a game in Python: one that was registered, or of another package."""
    if name in _python_games:
        return _python_games[name]
    found: type[PythonGame] | None = None
    if name in outside_games():
        found = load(_OUTSIDE, name).GAME
    return found


def file_option(name: str) -> str | None:
    """The option by which a native game names the file that it is made of.

    >>> file_option("reversixt"), file_option("chess")
    ('map', None)
    """
    family = _native_families().get(name)
    return family.file if family else None


def declared_options(name: str, given: Mapping[str, object] | None = None) -> tuple[Option, ...]:
    """The options that a game declares; some games have others beside what is ``given``.

    >>> [option.name for option in declared_options("connect4")]
    ['rows', 'columns', 'inarow']
    """
    kind = _python_kind(name)
    if kind is not None:
        return tuple(kind.options if given is None else kind.declare(given))
    if name in _native_families():
        return _native_families()[name].options
    raise SpecError(
        f"there is no game {name!r:.60}{did_you_mean(name, games())}; "
        f"the games are {', '.join(games())}, and those of {', '.join(outside_games())}"
    )


def game(spec: str, /, **options: OptionValue) -> Game:
    """Make a game from its spec; options can also be given as keywords.

    >>> import spielbaum as sb
    >>> sb.game("connect4:rows=6,columns=7,inarow=4") == sb.game("connect4")
    True
    >>> sb.game("reversi", size=6)
    spielbaum.game('reversi:size=6')
    """
    if options or file_option(spec.partition(":")[0]):  # a file may have changed since
        return _resolved(spec, options)
    return _written(spec)


@lru_cache(maxsize=256)
def _written(spec: str) -> Game:
    return _resolved(spec, {})


def _resolved(spec: str, options: dict[str, OptionValue]) -> Game:
    name, written = parse_spec(spec)
    for key in options:
        if key in written:
            raise SpecError(f"game {name}: option {key} is given twice")
    given = {**written, **options}
    declared = declared_options(name, given)
    values = resolve("game", name, declared, given)
    option = file_option(name)
    file = read_file(name, option, str(values[option])) if option else ""
    return _make(name, format_spec(name, declared, values), tuple(values.items()), file)


# Equal specs share one game as long as it lives: searches and solvers belong to one of them. (A
# file may have changed since.)
_alive: WeakValueDictionary[tuple[str, str], Game] = WeakValueDictionary()
_making = threading.RLock()


@lru_cache(maxsize=256)
def _make(name: str, spec: str, values: tuple[tuple[str, OptionValue], ...], file: str) -> Game:
    with _making:  # also for threads that ask for it at the same time
        made = _alive.get((spec, file))
        if made is None:
            made = _build(name, spec, dict(values), file)
            _alive[spec, file] = made
        return made


def _build(name: str, spec: str, options: dict[str, OptionValue], file: str) -> Game:
    kind = _python_kind(name)
    if kind is not None:
        rules = kind(**options)
        summary = (kind.__doc__ or "").strip().split("\n")[0]
        return Game(name, summary, spec, options, _core.python_game(rules), rules)
    family = _native_families()[name]
    try:
        numbers = [
            int(option.choices.index(value) if option.choices else value)
            for option, value in zip(family.options, options.values(), strict=True)
            if option.name != family.file
        ]
        core = _core.make_game(name, numbers, str(options.get(family.file or "", "")), file)
    except _core.OptionError as error:
        raise SpecError(f"game {error}") from None
    return Game(name, family.summary, spec, options, core, file=file)


Kind = TypeVar("Kind", bound=type[PythonGame])


def register_game(kind: Kind, *, replace: bool = False) -> Kind:
    """Make a game in pure Python known under its ``name``; also usable as a decorator.

    >>> import spielbaum as sb
    >>> class Coin(sb.PythonGame):
    ...     name = "coin"
    ...     num_actions = 2
    ...     def initial(self): return ()
    ...     def to_move(self, moves): return len(moves) % 2
    ...     def legal_moves(self, moves): return [0, 1]
    ...     def play(self, moves, action): return (*moves, action)
    ...     def outcome(self, moves):
    ...         return sb.Outcome.win(sum(moves) % 2) if len(moves) == 2 else None
    ...     def key(self, moves): return bytes(moves)
    >>> _ = sb.register_game(Coin, replace=True)
    >>> sb.game("coin").state("1 0").outcome.winner
    1
    """
    name = check_name("game", kind.name)
    if name in _native_families():
        raise SpecError(f"game {name} is a native game and cannot be replaced")
    if name in _python_games and not replace:
        raise SpecError(f"game {name} is registered already; give replace=True to replace it")
    if _python_games.get(name) is not kind:
        _python_games[name] = kind
        _make.cache_clear()
        _written.cache_clear()
        for key in [key for key, made in _alive.items() if made.name == name]:
            _alive.pop(key, None)  # the collector of garbage may have been quicker
    return kind
