"""One game between agents: what is to be played, how it is played, and what is kept of it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from spielbaum.agents import Agent, Budget, Decision, stored_agent
from spielbaum.base.statistics import Score
from spielbaum.games import State, game
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Opening
from spielbaum.play.table import (
    Player,
    Result,
    Rules,
    Table,
    Turn,
    Watcher,
    described,
    forfeit,
    play_one,
)
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
    """Makes agents and keeps them for the next game, in whichever seats their specs are then."""

    def __init__(self) -> None:
        self._agents: dict[tuple[str, int], Agent] = {}
        self._wanted: dict[tuple[str, ...], list[tuple[str, int]]] = {}

    def get(self, seats: tuple[Seat, ...]) -> list[Agent]:
        """An agent for each seat, as if it were new; those of other specs are let go."""
        specs = tuple([seat.agent for seat in seats])
        wanted = self._wanted.get(specs)
        if wanted is None:
            wanted = [(spec, specs[:index].count(spec)) for index, spec in enumerate(specs)]
            self._agents = {key: kept for key, kept in self._agents.items() if key in wanted}
            self._wanted = {specs: wanted}
        for key, seat in zip(wanted, seats, strict=True):
            if key not in self._agents:
                self._agents[key] = stored_agent(seat.agent)
            self._agents[key].reset(seed=seat.seed)
        return [self._agents[key] for key in wanted]


def play_game(
    task: GameTask, players: Players | None = None, watchers: Sequence[Watcher] = ()
) -> GameRecord:
    """Play a game to its end. What an agent does wrong loses the game, and nothing else.

    >>> seats = (Seat("perfect", Limits()), Seat("perfect", Limits()))
    >>> record = play_game(GameTask("tictactoe", seats))
    >>> record.rewards, record.reason
    ((0.0, 0.0), 'board full')
    """
    start, notes = start_of(task), _Notes(task)
    try:
        agents = (players or Players()).get(task.seats)
    except Exception as error:
        # Whose mistake it was does not show in the exception: ask for one after the other.
        loser = _who_cannot_start(task)
        lost = Result(forfeit(len(task.seats), loser), "crash", described(error))
        return notes.record(lost, loser)
    seated = [Player(each, seat.limits) for each, seat in zip(agents, task.seats, strict=True)]
    rules = ADJUDICATED if task.adjudicate else None
    table = Table(start, seated, rules, (notes, *watchers))
    return notes.record(play_one(table), table.loser)


class _Notes(Watcher):
    """What is kept of a game."""

    def __init__(self, task: GameTask) -> None:
        self._task = task
        self._started = time.time()
        self._moves: tuple[str, ...] = ()
        self._seconds: list[float] = []
        self._decisions: list[Decision] = []

    def played(self, turn: Turn, decision: Decision, move: int, seconds: float) -> None:
        self._seconds.append(seconds)
        self._decisions.append(decision)

    def over(self, table: Table) -> None:
        assert table.result is not None
        texts = table.state.texts  # all at once; a start may have a path, too
        self._moves = texts[len(texts) - len(self._decisions) :]
        if table.result.ended_by in ("time", "illegal"):
            self._seconds.append(table.spent)

    def record(self, result: Result, loser: int | None) -> GameRecord:
        """The game, with the name of whoever lost it by what he did."""
        by = "" if loser is None else f"{self._task.seats[loser].name}: "
        decisions = self._decisions
        return GameRecord(
            self._task,
            self._task.opening + self._moves,
            result.rewards,
            result.ended_by,
            by + result.reason,
            tuple([round(seconds, 6) for seconds in self._seconds]),
            tuple([round(float(each.value), 6) if each.value else 0.0 for each in decisions]),
            tuple([int(each.stats.get("iterations", 0)) for each in decisions]),
            tuple([int(each.stats.get("nodes", 0)) for each in decisions]),
            self._started,
        )


def _who_cannot_start(task: GameTask) -> int:
    for index, seat in enumerate(task.seats):
        try:
            stored_agent(seat.agent).reset(seed=seat.seed)
        except Exception:
            return index
    return 0


def _adjudicated(table: Table) -> Result | None:
    rewards = _solved(table.state)
    return None if rewards is None else Result(rewards, "adjudication", "solved")


ADJUDICATED = Rules(end=_adjudicated)


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
