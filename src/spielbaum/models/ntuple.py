"""N-tuple networks: the value of a position as a sum of entries of many small tables.

A tuple is a list of cells. The contents of its cells, read as a number, are the index of an entry
of its table; the value of a position is ``tanh(k * sum)`` of one entry for each tuple and each
symmetry of the board, or ``k * sum`` without squashing. What a network is and how it is trained is
told in ``docs/ntuple.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spielbaum import _core
from spielbaum.base.errors import ModelError, SpecError

if TYPE_CHECKING:
    from spielbaum.games import Game, State

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Contribution:
    """What one tuple adds to the sum of a position, for the player to move there.

    >>> Contribution(0, (0, 1), 0.5, (3, 7)).entries  # one for each symmetry
    (3, 7)
    """

    index: int
    """The number of the tuple."""
    cells: tuple[int, ...]
    weight: float
    """The sum of its entries, over all symmetries."""
    entries: tuple[int, ...]
    """The indices of these entries in the tuple's table."""


class NTupleNetwork:
    """A value function of one game, to be trained or to be asked.

    ``contents`` is the number of contents of a cell that are told apart; 0 stands for what is usual
    in the game (Connect Four: 4, with a content for empty cells that a stone can reach). Without
    ``squash`` training is about ``k * sum``, and values beyond -1 and 1 are cut off there for
    everybody who asks.

    >>> import spielbaum as sb
    >>> game = sb.game("tictactoe")
    >>> network = NTupleNetwork(game, [[0, 1, 2], [3, 4, 5]])
    >>> network.value(game.initial()), network.num_weights
    (0.0, 108)
    """

    def __init__(
        self,
        game: Game,
        tuples: Iterable[Sequence[int]],
        *,
        contents: int = 0,
        symmetries: bool = True,
        table_per_player: bool = True,
        bias: bool = False,
        k: float = 1.0,
        squash: bool = True,
    ) -> None:
        check_game(game)
        try:
            cells = [[int(cell) for cell in each] for each in tuples]
            if any(not 0 <= cell < 2**16 for each in cells for cell in each):
                raise SpecError("a tuple has a cell that is not on the board")
            self._core = _core.make_ntuple(
                game._core, contents, symmetries, table_per_player, bias, k, squash, cells
            )
        except _core.OptionError as error:
            raise SpecError(f"network for {game}: {error}") from None
        self.game = game
        self.symmetries = symmetries
        self.table_per_player = table_per_player
        self.bias = bias
        self.k = k
        self.squash = squash
        self.training: dict[str, Any] = {}
        """How it was trained, in words and numbers; kept in its file."""

    @property
    def contents(self) -> int:
        """How many contents of a cell are told apart."""
        return self._core.contents

    @property
    def tuples(self) -> tuple[tuple[int, ...], ...]:
        """The cells of every tuple, the one with the lowest digit first."""
        return tuple(tuple(each) for each in self._core.tuples)

    @property
    def images(self) -> tuple[tuple[int, ...], ...]:
        """For each symmetry that shares the tables, where every cell goes; the identity first.

        >>> import spielbaum as sb
        >>> network = NTupleNetwork(sb.game("connect4"), [[0, 1]])
        >>> [image[:2] for image in network.images]
        [(0, 1), (6, 5)]
        """
        return tuple(tuple(image) for image in self._core.images)

    @property
    def weights(self) -> Floats:
        """All entries of all tables, one after the other; a view that can be written to.

        A row is an entry, which has a weight for each output and each player to move: the bias,
        if there is one, is the last row.
        """
        return self._core.weights

    @property
    def num_weights(self) -> int:
        """The number of weights."""
        return int(self.weights.size)

    def value(self, state: State) -> float:
        """What an unfinished position is worth to the player to move, in [-1, 1].

        >>> import spielbaum as sb
        >>> game = sb.game("tictactoe")
        >>> network = NTupleNetwork(game, [[4]], symmetries=False)
        >>> network.table(0)[1, 1] = 0.5  # x has the centre, o is to move: good for x
        >>> round(network.value(game.state("b2")), 3)
        -0.462
        """
        return self.values(state)[state.to_move]

    def values(self, state: State) -> tuple[float, ...]:
        """What a position is worth to every player; where the game is over, the rewards."""
        return tuple(self._core.values(self._state(state)))

    def move_values(self, state: State) -> dict[int, float]:
        """What every legal move is worth to the player who makes it.

        >>> import spielbaum as sb
        >>> game = sb.game("tictactoe")
        >>> NTupleNetwork(game, [[4]]).move_values(game.state("a1 b2 b1 a3"))[2]  # wins
        1.0
        """
        return dict(self._core.move_values(self._state(state)))

    def draw_weights(self, size: float, rng: _core.Rng, index: int | None = None) -> None:
        """Draw the weights evenly from ``-size`` to ``size``: all, or those of one tuple.

        >>> import spielbaum as sb
        >>> network = NTupleNetwork(sb.game("tictactoe"), [[0, 1]])
        >>> network.draw_weights(0.1, _core.Rng(1))
        >>> 0.0 < abs(network.lookup(0, [0, 0])) <= 0.1
        True
        """
        if index is None:
            self._core.draw_weights(size, rng)
        else:
            self._core.draw_table(index, size, rng)

    def table(self, index: int) -> Floats:
        """The entries of one tuple: a view of its rows of `weights`."""
        cells = self._core.tuples[index]
        first = self._core.offset(index)
        return self.weights[first : first + self.contents ** len(cells)]

    def lookup(self, index: int, contents: Sequence[int], to_move: int = 0) -> float:
        """The weight of a tuple for given contents of its cells.

        >>> import spielbaum as sb
        >>> network = NTupleNetwork(sb.game("tictactoe"), [[0, 4]])
        >>> network.table(0)[1 + 3 * 2, 0] = 0.25  # x at a1, o at b2, x to move
        >>> network.lookup(0, [1, 2], to_move=0)
        0.25
        """
        return float(self.table(index)[self.entry(index, contents), self._core.column(0, to_move)])

    def entry(self, index: int, contents: Sequence[int]) -> int:
        """The index of the entry for given contents of a tuple's cells."""
        cells = self._core.tuples[index]
        if len(contents) != len(cells) or any(not 0 <= c < self.contents for c in contents):
            raise SpecError(
                f"contents {list(contents)}: expected {len(cells)} numbers from 0 to "
                f"{self.contents - 1}, one for each cell of the tuple"
            )
        return sum(content * self.contents**digit for digit, content in enumerate(contents))

    def contents_of(self, index: int, entry: int) -> tuple[int, ...]:
        """The contents of a tuple's cells for which it has this entry.

        >>> import spielbaum as sb
        >>> NTupleNetwork(sb.game("tictactoe"), [[0, 4]]).contents_of(0, 7)
        (1, 2)
        """
        found = []
        for _ in self._core.tuples[index]:
            entry, digit = divmod(entry, self.contents)
            found.append(digit)
        return (*found,)

    def contributions(self, state: State, player: int | None = None) -> list[Contribution]:
        """What each tuple adds to the sum of a position, seen by a player, or by the one to move.

        >>> import spielbaum as sb
        >>> game = sb.game("tictactoe")
        >>> network = NTupleNetwork(game, [[4], [0]], symmetries=False)
        >>> network.table(0)[1, 1] = 0.5
        >>> [each.weight for each in network.contributions(game.state("b2"))]
        [-0.5, 0.0]
        >>> [each.weight for each in network.contributions(game.state("b2"), player=0)]
        [0.5, 0.0]
        """
        core = self._core
        places = np.array(core.places(self._state(state)))
        viewer = state.to_move if player is None else player
        output = viewer if core.num_outputs > 1 else 0
        sign = -1.0 if core.num_outputs == 1 and viewer == 1 else 1.0
        weights = sign * self.weights.reshape(-1)[places + core.column(output, state.to_move)]
        found = []
        for index, cells in enumerate(self.tuples):
            features = slice(index * core.num_images, (index + 1) * core.num_images)
            entries = places[features] // core.stride - core.offset(index)
            found.append(
                Contribution(index, cells, float(weights[features].sum()), tuple(entries.tolist()))
            )
        return found

    def usage(self, uses: npt.NDArray[np.uint32] | None = None) -> list[int]:
        """For each tuple, how many of its weights have been trained: are not 0, or were used.

        >>> import spielbaum as sb
        >>> network = NTupleNetwork(sb.game("tictactoe"), [[4], [0]])
        >>> network.table(1)[2, 0] = 0.5
        >>> network.usage()
        [0, 1]
        """
        touched = (self.weights if uses is None else uses) != 0
        counts = []
        for index in range(len(self.tuples)):
            first = self._core.offset(index)
            size = self.contents ** len(self._core.tuples[index])
            counts.append(int(touched[first : first + size].sum()))
        return counts

    def settings(self) -> dict[str, Any]:
        """What it takes to make an equal network without weights."""
        return {
            "game": str(self.game),
            "contents": self.contents,
            "symmetries": self.symmetries,
            "table_per_player": self.table_per_player,
            "bias": self.bias,
            "k": self.k,
            "squash": self.squash,
            "tuples": [list(each) for each in self.tuples],
        }

    def _state(self, state: State) -> _core.State:
        if state.game is not self.game:
            if state.game != self.game:
                raise ModelError(f"the network is for {self.game}, not for {state.game}")
            # An equal game is another one to the core.
            root = state._core.root_notation
            same = self.game.initial() if root is None else self.game.state(root)
            for move in state.history:
                same = same.play(move)
            state = same
        return state._core


def random_tuples(
    game: Game,
    kind: str,
    lengths: Sequence[int],
    *,
    others: Iterable[Sequence[int]] = (),
    rng: _core.Rng,
) -> list[tuple[int, ...]]:
    """Draw tuples by random walks over neighbouring cells, or of random cells (``points``).

    A ``walk`` goes on to any neighbour and counts each cell once. A walk of the kind ``slide``
    takes steps in any direction, slides along the border where a step would leave the board, and
    is discarded when it meets itself. No two tuples have the same cells; `SpecError` if there are
    not so many, or if walks are discarded again and again.

    >>> import spielbaum as sb
    >>> tuples = random_tuples(sb.game("connect4"), "walk", [8, 8, 6], rng=_core.Rng(1))
    >>> [len(each) for each in tuples]
    [8, 8, 6]
    """
    check_game(game)
    try:
        made = _core.random_tuples(
            game._core, kind, list(lengths), [list(each) for each in others], rng
        )
    except _core.OptionError as error:
        raise SpecError(f"tuples for {game}: {error}") from None
    return [tuple(each) for each in made]


def realisable_states(game: Game, cells: Sequence[int], contents: int) -> int:
    """How many states of a tuple can occur in a game of columns, at most (S1, A.2).

    >>> import spielbaum as sb
    >>> example = [0, 1, 8, 2, 9, 16, 10, 24]  # a1; b1 b2; c1 c2 c3; d2 d4
    >>> game = sb.game("connect4")
    >>> realisable_states(game, example, 3), realisable_states(game, example, 4)
    (2205, 3150)
    """
    states = _core.realisable_states(game._core, list(cells), contents)
    if states is None:
        raise SpecError(f"{game} cannot tell which states of its tuples occur")
    return int(states)


def combine(networks: Sequence[NTupleNetwork]) -> NTupleNetwork:
    """One network with the tuples of several, whose sum is the mean of theirs.

    A tuple that several of them have is there once. Of runs of one training, which have the same
    tuples, it is the network with the mean of their weights.

    >>> import spielbaum as sb
    >>> game = sb.game("tictactoe")
    >>> first, second = NTupleNetwork(game, [[0, 1]]), NTupleNetwork(game, [[4]], k=2.0)
    >>> second.table(0)[1, 1] = 0.5
    >>> both = combine([first, second])
    >>> both.tuples, both.table(1)[1, 1].item(), both.k
    (((0, 1), (4,)), 0.5, 1.0)
    """
    if not networks:
        raise SpecError("expected at least one network to combine")
    first = networks[0]
    fixed = ("game", "contents", "symmetries", "table_per_player", "bias", "squash")
    for other in networks[1:]:
        for name in fixed:
            if getattr(other, name) != getattr(first, name):
                raise SpecError(
                    f"networks with {name}={getattr(first, name)} and "
                    f"{name}={getattr(other, name)} cannot be combined"
                )
    places: dict[tuple[int, ...], int] = {}
    for network in networks:
        for cells in network.tuples:
            places.setdefault(cells, len(places))
    made = NTupleNetwork(
        first.game,
        list(places),
        contents=first.contents,
        symmetries=first.symmetries,
        table_per_player=first.table_per_player,
        bias=first.bias,
        squash=first.squash,
    )
    for network in networks:
        share = network.k / len(networks)
        for index, cells in enumerate(network.tuples):
            made.table(places[cells])[:] += share * network.table(index)
        if first.bias:
            made.weights[-1] += share * network.weights[-1]
    facts = [network.training for network in networks]
    made.training = {"combined": facts}
    for key in ("games", "seconds"):
        if all(key in each for each in facts):
            made.training[key] = sum(each[key] for each in facts)
    return made


def without_tuples(network: NTupleNetwork, indices: Iterable[int]) -> NTupleNetwork:
    """The same network without some of its tuples, such as those that are worth least.

    >>> import spielbaum as sb
    >>> network = NTupleNetwork(sb.game("tictactoe"), [[0, 1], [4], [0, 4, 8]])
    >>> network.table(2)[5, 0] = 0.5
    >>> pruned = without_tuples(network, [0])
    >>> pruned.tuples, pruned.table(1)[5, 0].item()
    (((4,), (0, 4, 8)), 0.5)
    """
    dropped = set(indices)
    kept = [index for index in range(len(network.tuples)) if index not in dropped]
    settings = {**network.settings(), "tuples": [network.tuples[index] for index in kept]}
    made = network_from(settings, network.game)
    for index, old in enumerate(kept):
        made.table(index)[:] = network.table(old)
    if network.bias:
        made.weights[-1] = network.weights[-1]
    made.training = {"pruned": sorted(dropped), "from": network.training}
    return made


def tuple_worths(network: NTupleNetwork, games: int = 100, seed: int = 0) -> list[float]:
    """What the value of a position loses without each tuple: the mean size of the difference.

    Over the positions of games that the network plays against itself, with every tenth move random.

    >>> import spielbaum as sb
    >>> network = NTupleNetwork(sb.game("tictactoe"), [[4], [0]])
    >>> network.table(0)[1, 1] = 0.5
    >>> worths = tuple_worths(network, games=10)
    >>> worths[0] > 0.0 == worths[1]
    True
    """
    options = _core.TdOptions()
    options.epsilon = _core.Schedule("constant", 0.1, 0.1, 0.0, 1.0)
    options.seed = seed
    return _core.make_trainer(network._core, options, None).worths(0, games)


def check_game(game: Game) -> None:
    """Refuse games that do not say what is on their cells (`PythonGame.num_contents`).

    >>> import spielbaum as sb
    >>> check_game(sb.game("chess"))
    """
    if not _core.tuple_cells(game._core).contents:
        raise SpecError(
            f"n-tuple networks are for games whose cells have contents, such as connect4, not for "
            f"{game}"
        )


def weights_of_an_entry(game: Game, table_per_player: bool) -> int:
    """How many weights an entry of a table has.

    >>> import spielbaum as sb
    >>> weights_of_an_entry(sb.game("connect4"), True)
    2
    >>> weights_of_an_entry(sb.game("yavalath:players=3"), True)  # three outputs, three movers
    9
    """
    players = game.num_players
    outputs = 1 if players == 2 else players
    return outputs * (players if table_per_player else 1)


def count_weights(settings: Mapping[str, Any], game: Game) -> int:
    """How many weights a network would have, before it is made; see `NTupleNetwork.settings`.

    >>> import spielbaum as sb
    >>> network = NTupleNetwork(sb.game("connect4"), [[0, 1], [2]], bias=True)
    >>> count_weights(network.settings(), network.game) == network.num_weights
    True
    """
    contents = int(settings["contents"])
    # No table of that length can be made, whatever the contents are.
    entries: int = sum(contents ** min(len(cells), 64) for cells in settings["tuples"])
    entries += bool(settings["bias"])
    return entries * weights_of_an_entry(game, bool(settings["table_per_player"]))


@dataclass
class Supervised:
    """Positions with known values, from which a network learns without playing (S1, 3.2).

    >>> import spielbaum as sb
    >>> game = sb.game("tictactoe")
    >>> network = NTupleNetwork(game, [[0, 1, 2], [3, 4, 5]])
    >>> lesson = Supervised(network, [game.state("a1 b1")], [1.0])
    >>> error = lesson.learn(alpha=0.1, epochs=50, seed=1)
    >>> network.value(game.state("a1 b1")) > 0.9, error < 0.01
    (True, True)
    """

    network: NTupleNetwork
    states: Sequence[State]
    values: Sequence[float]
    """What each of them is worth to its player to move."""
    control: str = "plain"
    """Control of each weight's steps: ``plain``, or temporal coherence (``tcl``, ``tcl-exp``)."""
    _trainer: _core.TdTrainer = field(init=False)

    def __post_init__(self) -> None:
        if len(self.states) != len(self.values):
            raise SpecError(f"{len(self.states)} positions and {len(self.values)} values")
        if self.network.game.num_players != 2:
            raise SpecError("known values are for games of two players")
        options = _core.TdOptions()
        options.set_control(self.control)
        self._trainer = _core.make_trainer(self.network._core, options, None)

    @property
    def changes(self) -> Floats:
        """What temporal coherence keeps of each weight; a view that can be written to."""
        return self._trainer.changes

    def learn(self, *, alpha: float, epochs: int, seed: int) -> float:
        """Go through the positions in random orders; answers the mean squared error at the end."""
        states = [self.network._state(state) for state in self.states]
        targets = np.array(
            [
                [value if state.to_move == 0 else -value]
                for state, value in zip(self.states, self.values, strict=True)
            ],
            dtype=np.float64,
        )
        rng = np.random.Generator(np.random.PCG64(seed))
        for _ in range(epochs):
            self._trainer.learn(states, targets, rng.permutation(len(states)).tolist(), alpha)
        errors = [
            self.network.value(state) - value
            for state, value in zip(self.states, self.values, strict=True)
        ]
        return float(np.mean(np.square(errors)))


def network_from(settings: Mapping[str, Any], game: Game) -> NTupleNetwork:
    """A network without weights from what `NTupleNetwork.settings` gave.

    >>> import spielbaum as sb
    >>> game = sb.game("tictactoe")
    >>> made = network_from(NTupleNetwork(game, [[0, 1]], k=0.5).settings(), game)
    >>> made.tuples, made.k
    (((0, 1),), 0.5)
    """
    return NTupleNetwork(
        game,
        settings["tuples"],
        contents=settings["contents"],
        symmetries=settings["symmetries"],
        table_per_player=settings["table_per_player"],
        bias=settings["bias"],
        k=settings["k"],
        squash=settings.get("squash", True),  # files from before there was a choice do not say
    )
