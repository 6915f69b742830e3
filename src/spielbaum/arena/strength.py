"""How strong a network plays while it is trained: against the perfect player, or other agents."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum.agents.decision import Decision
from spielbaum.agents.registry import check_agent, stored_agent
from spielbaum.agents.resistance import RESISTANCE, Resistance
from spielbaum.base.budget import Budget
from spielbaum.base.errors import SpecError
from spielbaum.base.rng import Rng
from spielbaum.base.statistics import Score
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.play.table import Player, Result, Rules, Table, forfeit, play_one
from spielbaum.solvers import solve
from spielbaum.solvers.solver import has_solver

if TYPE_CHECKING:
    from spielbaum.agents.agent import Agent
    from spielbaum.games import Game, State

PERFECT = "perfect"
"""The opponent that never gives away a win or a draw, and plays any of its equally good moves."""
RESISTING = "perfect-resisting"
"""The same, but of moves that lose it plays any of those that lose last, as far as it can tell."""

Chooser = Callable[["State"], int]
"""Chooses a move."""


@dataclass(frozen=True)
class Strength:
    """The result of a measurement: wins, draws and losses, and how long it took.

    >>> Strength("perfect", Score(9, 0, 1), 0.5).share
    0.9
    """

    opponent: str
    score: Score
    seconds: float

    @property
    def share(self) -> float:
        """Points by games; a draw is half a point."""
        return self.score.share()


class Referee:
    """Knows win, draw or loss of every position of a solved game, and remembers what it solved.

    What took long to solve is remembered on disk, too (see `spielbaum.solvers.cache`).

    >>> import spielbaum as sb
    >>> referee = Referee(sb.game("tictactoe"))
    >>> referee.value(sb.game("tictactoe").state("a1 b1"))
    1.0
    """

    def __init__(self, game: Game) -> None:
        if not has_solver(game):
            raise SpecError(f"{game} has no solver, and so no perfect player to be measured by")
        self._known: dict[int, float] = {}
        self._last: dict[tuple[int, int], list[int]] = {}
        self._resistance = Resistance()

    def value(self, state: State) -> float:
        """1.0, 0.0 or -1.0 for the player to move, or for whose turn it would be."""
        outcome = state.outcome
        if outcome is not None:
            return outcome.rewards[state.to_move]
        key = state.key
        value = self._known.get(key)
        if value is None:
            value = solve(state, exact=False, moves=False, pv=False).value
            self._known[key] = value
        return value

    def last_losing(self, state: State, plies: int = RESISTANCE) -> list[int]:
        """Of the moves of a lost position, those that lose last, as far as so many plies tell.

        >>> import spielbaum as sb
        >>> game = sb.game("tictactoe")
        >>> state = game.state("a1 b1 a2 c1 b2")  # x threatens c2, a3 and c3
        >>> [state.text(move) for move in Referee(game).last_losing(state)]
        ['c2', 'a3', 'b3', 'c3']
        """
        key = state.key, plies
        moves = self._last.get(key)
        if moves is None:
            moves = self._last[key] = self._resistance.last_losing(state, plies)
        return moves


def against_perfect(
    choose: Chooser,
    referee: Referee,
    start: State,
    *,
    seat: int = 0,
    cut: int = -1,
    resistance: int = 0,
    seed: int = 0,
) -> float:
    """Points of one game against the perfect player: 1, 0.5 or 0.

    The game ends as soon as it is lost, for the perfect player does not give a win away. ``cut``:
    after so many plies it ends with the value of the position. ``resistance``: the plies by which
    the perfect player tells which of its losing moves lose last; 0: it plays any of them.

    >>> import spielbaum as sb
    >>> game = sb.game("tictactoe")
    >>> always_first = lambda state: state.legal_moves[0]
    >>> against_perfect(always_first, Referee(game), game.initial(), seed=3)
    0.0
    """
    perfect = _Perfect(referee, seat, cut, resistance, Rng(seed))
    players = [Player(_Chooses(choose)), Player(perfect)]
    rules = Rules("raise", end=perfect.end)
    play_one(Table(start, players if seat == 0 else players[::-1], rules))
    return (1.0 + perfect.value) / 2


@dataclass(frozen=True)
class _Chooses:
    """A thinker who says nothing but a move."""

    move_of: Chooser

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        return Decision(self.move_of(state))


class _Perfect:
    """The perfect player, who knows when it has won and what the position is worth."""

    value: float
    """What the position has been worth to the player who is measured since his last move."""

    def __init__(
        self, referee: Referee, measured: int, cut: int, resistance: int, rng: Rng
    ) -> None:
        self._referee = referee
        self._measured = measured
        self._cut = cut
        self._resistance = resistance
        self._rng = rng

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        moves = _equally_good(self._referee, state, self._measured, self.value, self._resistance)
        return Decision(moves[self._rng.below(len(moves))])

    def end(self, table: Table) -> Result | None:
        """Whether the game is lost, or cut; called before every turn."""
        state, before = table.state, table.state.previous
        if table.ply == 0 or (before is not None and before.to_move == self._measured):
            self.value = _worth(self._referee, state, self._measured)
        if table.ply > 0 and self.value < 0:
            return Result(forfeit(2, self._measured), "adjudication", "lost")
        return Result((0.0, 0.0), "length", "cut") if table.ply == self._cut else None


def _worth(referee: Referee, state: State, player: int) -> float:
    """What a position is worth to one of both players."""
    value = referee.value(state)
    return value if state.to_move == player else -value


def _equally_good(
    referee: Referee, state: State, seat: int, value: float, resistance: int
) -> list[int]:
    """The moves with which the perfect player keeps the value of the position."""
    if value == 1.0:
        return referee.last_losing(state, resistance)
    children = [(move, state.play(move)) for move in state.legal_moves]
    return [move for move, child in children if _worth(referee, child, seat) == value]


def measure_perfect(
    choose: Chooser,
    referee: Referee,
    game: Game,
    games: int,
    *,
    seat: int = 0,
    cut: int = -1,
    resistance: int = 0,
) -> Strength:
    """Play games against the perfect player from the start of the game.

    The perfect player's random numbers are the same in every measurement, so that two networks
    meet the same replies as long as they play the same.
    """
    began = time.perf_counter()
    start = game.initial()
    points = [
        against_perfect(
            choose, referee, start, seat=seat, cut=cut, resistance=resistance, seed=number
        )
        for number in range(games)
    ]
    opponent = RESISTING if resistance else PERFECT
    return Strength(opponent, _score(points), time.perf_counter() - began)


def check_opponents(key: str, specs: Sequence[str], limits: str = "") -> None:
    """Say which of the agents that a configuration names cannot be one, before any work is done.

    >>> check_opponents("play.opponents", ["random", "uct:symmetry=5"])
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: play.opponents: agent uct: option symmetry=5: expected on or \
off
    """
    Limits.parse(limits)
    for spec in specs:
        try:
            check_agent(spec)
        except SpecError as error:
            raise SpecError(f"{key}: {error}") from None


def measure_agent(
    player: Agent,
    opponent: str,
    game: Game,
    games: int,
    *,
    opening: int,
    budget: Budget,
    seat: int | None = None,
    other_budget: Budget | None = None,
    first: int = 0,
) -> Strength:
    """Play games against another agent, from random openings, with one seat or each in turn.

    ``first`` is the number of the first game, for processes that share out games.

    >>> import spielbaum as sb
    >>> player, game = sb.agent("perfect"), sb.game("tictactoe")
    >>> budget = sb.Budget(iterations=10)
    >>> strength = measure_agent(player, "random", game, 6, opening=1, budget=budget)
    >>> strength.score.losses
    0
    """
    began = time.perf_counter()
    other = stored_agent(opponent)
    seats = game.num_players
    # The first openings are the same, however many there are: processes may share out games.
    starts = Openings("random", opening).states(game, -(-(first + games) // seats), seed=0)
    points = []
    for number in range(first, first + games):
        start = starts[number // seats]
        other.reset(seed=number)
        player.reset(seed=number)
        own = number % seats if seat is None else seat
        players = [Player(other, other_budget or budget) for _ in range(seats)]
        players[own] = Player(player, budget)
        reward = play_one(Table(start, players, Rules("raise"))).rewards[own]
        points.append(1.0 if reward > 0 else 0.5 if reward == 0 else 0.0)
    return Strength(opponent, _score(points), time.perf_counter() - began)


def _score(points: list[float]) -> Score:
    return Score(points.count(1.0), points.count(0.5), points.count(0.0))
