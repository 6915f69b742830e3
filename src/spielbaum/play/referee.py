"""One game between agents: what is to be played, how it is played, and what is kept of it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from spielbaum.agents import Agent, Budget, stored_agent
from spielbaum.base.statistics import Score
from spielbaum.games import Game, State, game
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Opening
from spielbaum.solvers import NotSolved, solve

ADJUDICATION = Budget(nodes=200_000)
"""What the solver may spend on a position, if a game is adjudicated by it."""


def numbered(name: str, copy: int) -> str:
    """What the first, second or a later one of several equal players is called.

    >>> numbered("random", 1), numbered("random", 2)
    ('random', 'random (2)')
    """
    return name if copy == 1 else f"{name} ({copy})"


@dataclass(frozen=True)
class Seat:
    """A player of a game: the agent's spec, its limits, and the seed that it is reset with.

    >>> Seat("uct", Limits(iterations=100), 7).name
    'uct'
    >>> Seat("uct", Limits(iterations=100), 8, copy=2).name
    'uct (2)'
    """

    agent: str
    limits: Limits
    seed: int = 0
    copy: int = 1
    """Number among the entrants with the same agent and limits, who differ only in their seeds."""

    @property
    def name(self) -> str:
        """The agent's spec, with a number if it is not the only one of its kind."""
        return numbered(self.agent, self.copy)


@dataclass(frozen=True)
class GameTask:
    """A game that is to be played; equal tasks have equal ids.

    >>> seats = (Seat("random", Limits(), 1), Seat("random", Limits(), 2))
    >>> task = GameTask("tictactoe", seats, opening=("b2",))
    >>> task.id == GameTask("tictactoe", seats, opening=("b2",)).id
    True
    """

    game: str
    seats: tuple[Seat, ...]
    """By player: the first one moves first from the start of the game."""
    start: str = ""
    """Notation of the start position; empty for that of the game."""
    opening: tuple[str, ...] = ()
    """Moves that are made before the agents are asked."""
    number: int = 0
    """Its place in the match or tournament."""
    group: int = 0
    """Games of one group have the same opening and the same agents, in other seats."""
    adjudicate: bool = False
    """Whether the game ends as soon as the solver knows its result."""

    @property
    def id(self) -> str:
        """A short text that stands for all of the above."""
        written = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(written.encode()).hexdigest()[:24]

    def to_dict(self) -> dict[str, Any]:
        """The task as plain values; a seat's ``copy`` only if it is not the first.

        Stores from before there were copies then have the same tasks, with the same ids.

        >>> seats = (Seat("random", Limits(), 1), Seat("random", Limits(), 2, copy=2))
        >>> [seat.get("copy") for seat in GameTask("tictactoe", seats).to_dict()["seats"]]
        [None, 2]
        """
        seats = [{**vars(seat), "limits": {**vars(seat.limits)}} for seat in self.seats]
        for seat in seats:
            if seat["copy"] == 1:
                del seat["copy"]
        return {**vars(self), "seats": seats, "opening": list(self.opening)}


@dataclass(frozen=True)
class GameRecord:
    """A game that was played, so that it can be replayed and counted."""

    task: GameTask
    moves: tuple[str, ...]
    """All moves as texts, those of the opening first."""
    rewards: tuple[float, ...]
    """By player, in [-1, 1]."""
    ended_by: str
    """``rules``, ``adjudication``, or what lost it: ``illegal``, ``crash``, ``time``, ``hang``."""
    reason: str
    """The rule, or what went wrong, in words."""
    seconds: tuple[float, ...] = ()
    """Thinking time of every move after the opening."""
    values: tuple[float, ...] = ()
    """What the agent that moved believed the position to be worth, for each of these moves."""
    iterations: tuple[int, ...] = ()
    """How often it iterated for each of these moves; 0 for agents that do not count."""
    nodes: tuple[int, ...] = ()
    """How many positions it visited, or has in its tree."""
    started: float = field(default_factory=time.time)
    """When it was played, in seconds since 1970."""

    @property
    def winner(self) -> int | None:
        """The only player with the highest reward, if there is one."""
        best = max(self.rewards)
        return self.rewards.index(best) if self.rewards.count(best) == 1 else None


def start_of(task: GameTask) -> State:
    """The position from which the agents play.

    >>> start_of(GameTask("connect4", (), opening=("d1", "d2"))).to_move
    0
    """
    return Opening(task.start, task.opening).state(game(task.game))


class Players:
    """Makes agents and keeps them for the next game, for the same seat and spec."""

    def __init__(self) -> None:
        self._agents: dict[tuple[int, str], Agent] = {}

    def get(self, seats: tuple[Seat, ...]) -> list[Agent]:
        """An agent for each seat, as if it were new; those of other specs are let go."""
        wanted = {(index, seat.agent) for index, seat in enumerate(seats)}
        self._agents = {key: kept for key, kept in self._agents.items() if key in wanted}
        made = []
        for index, seat in enumerate(seats):
            key = (index, seat.agent)
            if key not in self._agents:
                self._agents[key] = stored_agent(seat.agent)
            self._agents[key].reset(seed=seat.seed)
            made.append(self._agents[key])
        return made


Observer = Callable[[int, int | None], None]
"""Is told the player who begins to think, and the action that was made before."""


def play_game(
    task: GameTask, players: Players | None = None, observe: Observer | None = None
) -> GameRecord:
    """Play a game to its end. What an agent does wrong loses the game, and nothing else.

    >>> seats = (Seat("perfect", Limits()), Seat("perfect", Limits()))
    >>> record = play_game(GameTask("tictactoe", seats))
    >>> record.rewards, record.reason
    ((0.0, 0.0), 'board full')
    """
    return _Running(task, players or Players(), observe).play()


def forfeit(num_players: int, loser: int) -> tuple[float, ...]:
    """Rewards if one player loses by default: the others share his loss.

    >>> forfeit(3, 1)
    (0.5, -1.0, 0.5)
    """
    return tuple(-1.0 if each == loser else 1 / (num_players - 1) for each in range(num_players))


class _Running:
    def __init__(self, task: GameTask, players: Players, observe: Observer | None) -> None:
        self.task = task
        self.players = players
        self.observe = observe
        self.state = start_of(task)
        self.moves = list(task.opening)
        self.seconds: list[float] = []
        self.values: list[float] = []
        self.iterations: list[int] = []
        self.nodes: list[int] = []
        self.clocks = [seat.limits.clock for seat in task.seats]
        self.started = time.time()

    def play(self) -> GameRecord:
        rules: Game = self.state.game
        if len(self.task.seats) != rules.num_players:
            raise ValueError(
                f"{len(self.task.seats)} agents for {rules}, which has {rules.num_players} players"
            )
        try:
            agents = self.players.get(self.task.seats)
        except Exception as error:
            # Whose mistake it was does not show in the exception: ask for one after the other.
            return self._lost(self._who_cannot_start(), "crash", _described(error))
        action: int | None = None
        while (outcome := self.state.outcome) is None:
            if self.task.adjudicate and (rewards := _solved(self.state)) is not None:
                return self._record(rewards, "adjudication", "solved")
            player = self.state.to_move
            if self.observe is not None:
                self.observe(player, action)
            began = time.perf_counter()
            try:
                budget = self.task.seats[player].limits.budget(self.clocks[player])
                decision = agents[player].choose(self.state, budget)
                took = time.perf_counter() - began
            except Exception as error:
                return self._lost(player, "crash", _described(error))
            self.seconds.append(took)
            late = self._late(player, took)
            if late > 0:
                return self._lost(player, "time", f"the clock ran out {late:.2f} s ago")
            action = decision.move
            if action not in self.state.legal_moves:
                return self._lost(player, "illegal", f"move {action!r:.40} is not legal")
            self.values.append(float(decision.value))
            self.iterations.append(int(decision.stats.get("iterations", 0)))
            self.nodes.append(int(decision.stats.get("nodes", 0)))
            self.moves.append(self.state.text(action))
            self.state = self.state.play(action)
        return self._record(outcome.rewards, "rules", outcome.reason)

    def _late(self, player: int, took: float) -> float:
        """Stops the clock; answers by how many seconds it was overdrawn."""
        left = self.clocks[player]
        if left is None:
            return 0.0
        self.clocks[player] = left - took + self.task.seats[player].limits.increment
        return max(took - left, 0.0)

    def _who_cannot_start(self) -> int:
        for index, seat in enumerate(self.task.seats):
            try:
                stored_agent(seat.agent).reset(seed=seat.seed)
            except Exception:
                return index
        return 0

    def _lost(self, player: int, ended_by: str, reason: str) -> GameRecord:
        rewards = forfeit(len(self.task.seats), player)
        return self._record(rewards, ended_by, f"{self.task.seats[player].name}: {reason}")

    def _record(self, rewards: tuple[float, ...], ended_by: str, reason: str) -> GameRecord:
        return GameRecord(
            self.task,
            tuple(self.moves),
            rewards,
            ended_by,
            reason,
            tuple(round(each, 6) for each in self.seconds),
            tuple(round(each, 6) for each in self.values),
            tuple(self.iterations),
            tuple(self.nodes),
            self.started,
        )


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def _solved(state: State) -> tuple[float, ...] | None:
    """The rewards that a position is worth, if the solver finds out quickly."""
    if state.num_players != 2:
        return None
    try:
        value = solve(state, exact=False, moves=False, pv=False, budget=ADJUDICATION).value
    except (NotSolved, ValueError):
        return None
    return (value, -value) if state.to_move == 0 else (-value, value)


def score_of(record: GameRecord, name: str) -> Score:
    """The result of a game for one of its players, by the name of its seat."""
    seats = [seat.name for seat in record.task.seats]
    mine = record.rewards[seats.index(name)]
    return Score(int(mine > 0), int(mine == 0), int(mine < 0))
