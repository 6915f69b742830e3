"""The table at which a game is played: state, players, clocks, legality, forfeits and the end.

A table neither thinks nor waits: whoever drives it takes the `Turn` that is due, has it thought
about, and plays what was decided. `play_one` does so for one game, `spielbaum.play.hall` for many
at a time. Matches, self-play, recordings and measurements differ in players, rules and watchers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from spielbaum.base.errors import IllegalMove
from spielbaum.play.limits import Limits

if TYPE_CHECKING:
    from spielbaum.agents import Budget, Decision
    from spielbaum.games import State
    from spielbaum.play.hall import Batch


class Thinker(Protocol):
    """Decides on moves: an agent, a person, an engine."""

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Decide on a move, and say what the position is worth."""
        ...


Pick: TypeAlias = "Callable[[Turn, Decision], int]"
"""Takes another move than the one that was decided on: one that is drawn, for instance."""
End: TypeAlias = "Callable[[Table], Result | None]"
"""Ends a game before its rules do, or lets it go on."""


@dataclass
class Player:
    """Has a seat at a table: somebody who thinks, his limits, and how his moves are picked."""

    thinker: Thinker | None
    """Decides on his moves; None if whoever drives the table asks him, as a server does."""
    limits: Limits | Budget = field(default_factory=Limits)
    """What he may use: limits of the whole game, or the same budget for every move."""
    pick: Pick | None = None
    batch: Batch | None = None
    """Thinks for this player and others at a time, in a `spielbaum.play.hall.Hall`."""

    def __post_init__(self) -> None:
        self.clock: float | None = None
        self.increment = 0.0
        if isinstance(self.limits, Limits):
            self.clock, self.increment = self.limits.clock, self.limits.increment
            self._always = None if self.clock is not None else _without_clock(self.limits)
        else:
            self._always = self.limits

    def budget(self, left: float | None) -> Budget:
        """Give the budget of a move, with so many seconds left on the player's clock."""
        if self._always is not None:
            return self._always
        assert isinstance(self.limits, Limits)
        return self.limits.budget(left)


@lru_cache(maxsize=64)
def _without_clock(limits: Limits) -> Budget:
    return limits.budget(None)


@dataclass(frozen=True)
class Rules:
    """What is settled about a game beyond its own rules."""

    on_error: Literal["forfeit", "raise", "disqualify"] = "forfeit"
    """What an agent does wrong loses the game, is raised (in measurements it is a mistake), or
    takes him out of a game that goes on without him (see `Game.can_disqualify`)."""
    max_plies: int | None = None
    """A game that is not over by then is a draw."""
    end: End | None = None
    """Is asked before every turn whether the game ends there."""


PLAIN = Rules()


@dataclass(frozen=True)
class Result:
    """How a game ended.

    >>> Result((1.0, -1.0), "rules", "four in a row").rewards[0]
    1.0
    """

    rewards: tuple[float, ...]
    """What each player gets, by his number, in [-1, 1]."""
    ended_by: str
    """``rules``, ``adjudication``, ``length``, or what lost it: ``illegal``, ``crash``, ``time``.
    """
    reason: str
    """The rule, or what went wrong, in words."""


class Turn(NamedTuple):
    """A player who is to move."""

    table: Table
    player: int
    state: State
    budget: Budget
    ply: int
    """Plies since the start of the game."""

    @property
    def thinker(self) -> Thinker:
        """Name the one who has to decide."""
        thinker = self.table.players[self.player].thinker
        assert thinker is not None, "he is asked by whoever drives the table"
        return thinker


class Watcher:
    """Sees what happens at a table; each method does nothing unless it is overridden."""

    def asked(self, turn: Turn) -> None:
        """A player begins to think."""

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        """A player has moved, which need not be as he had decided."""

    def disqualified(self, table: Table, player: int, how: str, why: str) -> None:
        """A player is out of the game, which goes on without him."""

    def over(self, table: Table) -> None:
        """The game has ended."""


def forfeit(num_players: int, loser: int) -> tuple[float, ...]:
    """Rewards if one player loses by default: the others share his loss.

    >>> forfeit(3, 1)
    (0.5, -1.0, 0.5)
    """
    return tuple(-1.0 if each == loser else 1 / (num_players - 1) for each in range(num_players))


class Table:
    """One game.

    >>> import spielbaum as sb
    >>> players = [Player(sb.agent("perfect")), Player(sb.agent("perfect"))]
    >>> table = Table(sb.game("tictactoe").initial(), players)
    >>> play_one(table)
    Result(rewards=(0.0, 0.0), ended_by='rules', reason='board full')
    >>> table.back(2)
    >>> table.state.outcome is None, table.result is None, table.ply
    (True, True, 7)
    """

    def __init__(
        self,
        start: State,
        players: Sequence[Player],
        rules: Rules | None = None,
        watchers: Sequence[Watcher] = (),
        ply: int = 0,
    ) -> None:
        """``ply``: plies that were made before, which count for ``max_plies``."""
        if len(players) != start.num_players:
            raise ValueError(
                f"{len(players)} agents for {start.game}, which has {start.num_players} players"
            )
        self.state = start
        self.players = list(players)
        self.rules = rules or PLAIN
        self.watchers = tuple(watchers)
        self._tell_asked = _overridden(watchers, "asked")
        self._tell_played = _overridden(watchers, "played")
        self.first = self.ply = ply
        self.result: Result | None = None
        self.loser: int | None = None
        """The player who lost by an illegal move, an error or his clock, if one did."""
        self.spent = 0.0
        """Seconds of the last decision, also of one that lost."""
        self.clocks = [player.clock for player in players]
        self._turn: Turn | None = None

    def turn(self) -> Turn | None:
        """Say whose turn it is, and ask him; None if the game has ended."""
        if self._turn is not None or self.result is not None:
            return self._turn
        ended = self._ended()
        if ended is not None:
            self._finish(ended)
            return None
        state = self.state
        player = state.to_move
        budget = self.players[player].budget(self.clocks[player])
        # As `Turn(...)` does it, in half the time.
        self._turn = turn = tuple.__new__(Turn, (self, player, state, budget, self.ply))
        for tell in self._tell_asked:
            tell(turn)
        return turn

    def play(self, decision: Decision, seconds: float = 0.0) -> None:
        """Make the move that was decided on in so many seconds; an illegal or late one loses."""
        turn = self._turn
        assert turn is not None, "nobody was asked"
        player, state, move = turn.player, turn.state, decision.move
        self.spent = seconds
        left = self.clocks[player]
        if left is not None:
            self.clocks[player] = left - seconds + self.players[player].increment
            if seconds > left:
                self.fail(player, "time", f"the clock ran out {seconds - left:.2f} s ago")
                return
        try:
            if type(move) is not int and move not in state.legal_moves:
                raise IllegalMove("a text, say, which a state would read")
            after = state.play(move)
        except IllegalMove:
            self.fail(player, "illegal", f"move {move!r:.40} is not legal")
            return
        pick = self.players[player].pick
        if pick is not None and (picked := pick(turn, decision)) != move:
            move, after = picked, state.play(picked)
        for tell in self._tell_played:
            tell(turn, decision, move, seconds)
        self.state = after
        self.ply += 1
        self._turn = None

    def fail(self, player: int, how: str, why: str) -> None:
        """A player loses by what he did, unless the rules say that this is an error.

        By the rules he may also leave a game that goes on: whoever is to move then goes on
        thinking, unless it was his turn or the game is over.
        """
        if self.rules.on_error == "raise":
            raise RuntimeError(f"player {player + 1} of {self.state.game}: {why}")
        if self.rules.on_error == "forfeit":
            self._finish(Result(forfeit(len(self.players), player), how, why), player)
            return
        self.state = self.state.disqualify(player)
        for watcher in self.watchers:
            watcher.disqualified(self, player, how, why)
        turn = self._turn
        if turn is not None:
            ended = turn.player == player or self.state.outcome is not None
            self._turn = None if ended else turn._replace(state=self.state)

    def back(self, plies: int) -> None:
        """Take back so many plies; clocks stay as they are."""
        for _ in range(plies):
            before = self.state.previous
            if before is None:
                raise ValueError(f"{plies} plies cannot be taken back")
            self.state = before
        self.ply -= plies
        self.result = self._turn = None

    def reseat(self, player: int, thinker: Thinker) -> None:
        """Let somebody else go on for a player."""
        self.players[player].thinker = thinker

    def _ended(self) -> Result | None:
        outcome = self.state.outcome
        if outcome is not None:
            return Result(outcome.rewards, "rules", outcome.reason)
        most = self.rules.max_plies
        if most is not None and self.ply >= most:
            return Result((0.0,) * len(self.players), "length", f"not over after {most} plies")
        return None if self.rules.end is None else self.rules.end(self)

    def _finish(self, result: Result, loser: int | None = None) -> None:
        self._turn = None
        self.result = result
        self.loser = loser
        for watcher in self.watchers:
            watcher.over(self)


def _overridden(watchers: Sequence[Watcher], name: str) -> list[Callable[..., Any]]:
    """The methods of a name that do something: most watchers want to know little."""
    idle = getattr(Watcher, name)
    return [getattr(each, name) for each in watchers if getattr(type(each), name) is not idle]


def play_one(table: Table) -> Result:
    """Play a game to its end, one turn after the other."""
    while (turn := table.turn()) is not None:
        take(turn)
    assert table.result is not None
    return table.result


def take(turn: Turn) -> None:
    """Have a turn thought about, and play what was decided; an exception loses the game."""
    table, began = turn.table, time.perf_counter()
    try:
        decision = turn.thinker.choose(turn.state, turn.budget)
    except Exception as error:
        if table.rules.on_error == "raise":
            raise
        table.fail(turn.player, "crash", described(error))
    else:
        table.play(decision, time.perf_counter() - began)


def described(error: BaseException) -> str:
    """An exception in one short line.

    >>> described(ValueError("no"))
    'ValueError: no'
    """
    return f"{type(error).__name__}: {error}"[:300]
