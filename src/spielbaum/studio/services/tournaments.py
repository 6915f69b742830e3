"""Tournaments of the page: plans in the arena's store, played in the background."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field

from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.runner import run_plan
from spielbaum.arena.standings import Standings
from spielbaum.arena.store import Store
from spielbaum.base.disk import check_writable
from spielbaum.base.errors import SpecError, StoreError
from spielbaum.base.statistics import Estimate, share_estimate
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.play.referee import GameRecord
from spielbaum.studio.server.guard import permitted_agent, permitted_game
from spielbaum.studio.services.files import shown
from spielbaum.studio.services.model_process import ModelProcess
from spielbaum.studio.services.protocol import AgentSpec, GameSpec, LimitsView, Message, RunName
from spielbaum.studio.services.runs import Run, Runs

MOST_ENTRANTS = 24
MOST_GAMES = 100_000


class TournamentRequest(Message):
    """A tournament that is to be played."""

    name: RunName
    game: GameSpec
    agents: list[AgentSpec] = Field(min_length=2, max_length=MOST_ENTRANTS)
    limits: LimitsView = Field(default_factory=LimitsView)
    games: int = Field(default=20, ge=1, le=10_000, description="Of each pairing.")
    kind: Literal["round robin", "gauntlet"] = "round robin"
    openings: str = Field(
        default="random",
        max_length=400,
        description="empty, random:PLIES, balanced:PLIES or position:...",
    )
    seed: int = Field(default=0, ge=0, le=2**31 - 1)


class EstimateView(Message):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


class StandingView(Message):
    """A row of the table: how one agent did, and its score against every other."""

    agent: str
    games: int
    wins: int
    draws: int
    losses: int
    share: EstimateView | None
    elo: EstimateView | None
    against: list[list[int] | None] = Field(
        description="Wins, draws and losses against the agents in the order of the table."
    )


class TournamentView(Message):
    """A tournament, and how it stands."""

    name: str
    game: str
    kind: str
    limits: str
    openings: str
    games: int
    total: int
    status: Literal["running", "stopped", "done"]
    problem: str
    standings: list[StandingView]
    first_seat: float | None = Field(description="Share of points of the earlier seat.")
    copies: int
    openings_repeated: int | None = Field(
        description="Number of different openings, where there are too few for all games."
    )
    faults: list[str]


class TournamentSummary(Message):
    """A tournament in the list."""

    name: str
    game: str
    agents: list[str]
    games: int
    total: int
    status: Literal["running", "stopped", "done"]
    problem: str = Field(default="", description="What is wrong with it in the file, if anything.")


class GameSummary(Message):
    """A stored game in the list."""

    number: int
    agents: list[str]
    rewards: list[float]
    plies: int
    reason: str


class StoredGame(Message):
    """A stored game with all its moves."""

    number: int
    game: str
    agents: list[str]
    start: str
    opening: int
    moves: list[str]
    values: list[float] = Field(description="What the agents believed, after the opening.")
    rewards: list[float]
    ended_by: str
    reason: str


class NoSuchGame(LookupError):
    """A game that is not in the store."""


@dataclass
class Tournaments:
    """The tournaments in one file."""

    path: Path
    runs: Runs
    reader: ModelProcess
    _counted: dict[str, Standings] = field(default_factory=dict)
    """What was played since the server started, so that it need not be read again."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def create(self, request: TournamentRequest) -> None:
        """Make a tournament and start it; one of the same name and plan goes on."""
        plan = self._plan(request)
        self.reader.check_agents([entrant.agent for entrant in plan.entrants])
        self.runs.check_room("matches", self.runs.settings.runs)
        check_writable(self.path.parent)
        with self._store() as store:
            is_new = request.name not in store.runs()
            store.open_run(request.name, plan)
        try:
            self.start(request.name)
        except BaseException:
            if is_new:
                self.remove(request.name)
            raise

    def start(self, name: str) -> None:
        """Play what has not been played yet."""
        with self._reading(name) as store:
            store.plan(name)  # says that there is none
        check_writable(self.path.parent)

        def play(run: Run) -> None:
            with self._store() as store:
                _, plan = store.plan(name)
                standings = Standings(plan)
                for record in run_plan(plan, run.executor, store, name):
                    with self._lock:
                        standings.add(record)
                        self._counted[name] = standings
                    self.runs.changed(name)

        self.runs.start(name, play)
        self.runs.changed(name, at_once=True)

    def stop(self, name: str) -> None:
        """Stop a tournament; what was played is stored."""
        self.runs.stop(name)

    def remove(self, name: str) -> None:
        """Delete a tournament and its games; `NotNow` while it is running."""
        with self._reading(name) as store:
            store.find(name)  # says that there is none
        with self.runs.removing(name):
            with self._store() as store:
                store.remove_run(name)
            with self._lock:
                self._counted.pop(name, None)

    def all(self) -> list[TournamentSummary]:
        """Every tournament, the newest first."""
        found: list[TournamentSummary] = []
        if not self.path.exists():
            return found
        try:
            with Store(self.path, for_reading=True) as store:
                for name in reversed(store.runs()):
                    try:
                        found.append(self._summary(store, name))
                    except StoreError as error:  # the others are none the worse for it
                        found.append(self._damaged(name, error))
        except StoreError as error:
            found.append(self._damaged(self.path.name, error))
        return found

    def _damaged(self, name: str, error: StoreError) -> TournamentSummary:
        """A row of the list that says what is wrong, in place of a tournament."""
        problem = self._shown(str(error).removeprefix(f"store {self.path}: "))
        return TournamentSummary(
            name=name, game="", agents=[], games=0, total=0, status="stopped", problem=problem
        )

    def _summary(self, store: Store, name: str) -> TournamentSummary:
        run, plan = store.plan(name)
        done = len(store.done(run))
        return TournamentSummary(
            name=name,
            game=plan.game,
            agents=[self._shown(each) for each in Standings(plan).names],
            games=done,
            total=plan.num_games,
            status=self._status(name, done, plan),
        )

    def view(self, name: str) -> TournamentView:
        """How a tournament stands."""
        with self._reading(name) as store:
            run, plan = store.plan(name)
            standings = self._counted.get(name)
            if standings is None or standings.games < len(store.done(run)):
                standings = Standings(plan)
                standings.add_all(store.records(run))
        with self._lock:
            return self._view(name, plan, standings)

    def _view(self, name: str, plan: Plan, standings: Standings) -> TournamentView:
        return TournamentView(
            name=name,
            game=plan.game,
            kind=plan.kind,
            limits=plan.entrants[0].limits.text,
            openings=plan.openings.text,
            games=standings.games,
            total=plan.num_games,
            status=self._status(name, standings.games, plan),
            problem=self.runs.problem(name),
            standings=[
                row.model_copy(update={"agent": self._shown(row.agent)})
                for row in table_of(standings)
            ],
            first_seat=first_seat(standings),
            copies=standings.copies,
            openings_repeated=None if (few := standings.repeats) is None else few.openings,
            faults=[self._shown(fault) for fault in sorted(set(standings.faults))[:5]],
        )

    def games(self, name: str, offset: int, limit: int) -> list[GameSummary]:
        """Some of the stored games, by their numbers."""
        return [
            GameSummary(
                number=record.task.number,
                agents=[self._shown(seat.name) for seat in record.task.seats],
                rewards=list(record.rewards),
                plies=len(record.moves),
                reason=record.reason,
            )
            for record in self._records(name, offset=offset, limit=limit)
        ]

    def game(self, name: str, number: int) -> StoredGame:
        """A stored game."""
        for record in self._records(name, number=number):
            return StoredGame(
                number=number,
                game=record.task.game,
                agents=[self._shown(seat.name) for seat in record.task.seats],
                start=record.task.start,
                opening=len(record.task.opening),
                moves=list(record.moves),
                values=[value if math.isfinite(value) else 0.0 for value in record.values],
                rewards=list(record.rewards),
                ended_by=record.ended_by,
                reason=record.reason,
            )
        raise NoSuchGame(f"tournament {name!r} has no game {number}")

    def _records(
        self, name: str, *, number: int | None = None, offset: int = 0, limit: int | None = None
    ) -> list[GameRecord]:
        with self._reading(name) as store:
            run, _ = store.plan(name)
            return list(store.records(run, number=number, offset=offset, limit=limit))

    def _plan(self, request: TournamentRequest) -> Plan:
        settings = self.runs.settings
        limits = request.limits
        seconds = limits.seconds
        if (limits.iterations, limits.depth, limits.nodes, seconds) == (None,) * 4:
            seconds = 0.1
        if seconds is not None and seconds > settings.seconds:
            raise SpecError(f"seconds={seconds:g}: expected at most {settings.seconds:g}")
        rule = Openings.parse(request.openings)
        if rule.kind == "file":
            raise SpecError(f"openings {request.openings!r:.60}: files are not read for visitors")
        if (rule.plies or 0) > 60:
            raise SpecError(f"openings {request.openings!r}: expected at most 60 plies")
        rules = permitted_game(request.game)
        if rule.kind == "position":
            rules.state(rule.path)  # says what is wrong with it
        thinking = Limits(limits.iterations, seconds, limits.nodes, limits.depth)
        entrants = tuple(
            Entrant(permitted_agent(each, settings), thinking) for each in request.agents
        )
        plan = Plan(str(rules), entrants, request.games, rule, request.kind, request.seed)
        if plan.num_games > MOST_GAMES:
            raise SpecError(f"{plan.num_games:,} games: expected at most {MOST_GAMES:,}")
        return plan

    def _status(self, name: str, done: int, plan: Plan) -> Literal["running", "stopped", "done"]:
        if self.runs.running(name):
            return "running"
        return "done" if done >= plan.num_games else "stopped"

    def _shown(self, text: str) -> str:
        return shown(text, self.runs.settings)

    def _reading(self, name: str) -> Store:
        """The store for reading, also from a full disk; `StoreError` if there is none yet."""
        if not self.path.exists():
            raise StoreError(f"no run {name!r:.60}; there are none")
        return Store(self.path, for_reading=True)

    def _store(self) -> Store:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return Store(self.path)


def table_of(standings: Standings) -> list[StandingView]:
    """The crosstable, the best first."""
    try:
        ratings = standings.ratings()
        names = [
            *ratings.players,
            *(each for each in standings.names if each not in ratings.players),
        ]
    except ValueError:  # not everybody has met somebody yet
        ratings = None
        names = standings.names
    rows = []
    for name in names:
        score = standings.total(name)
        rated = ratings is not None and name in ratings.players
        against: list[list[int] | None] = []
        for other in names:
            met = standings.pairing(name, other).score if other != name else None
            against.append(None if met is None else [met.wins, met.draws, met.losses])
        rows.append(
            StandingView(
                agent=name,
                games=score.games,
                wins=score.wins,
                draws=score.draws,
                losses=score.losses,
                share=_view(share_estimate(score)) if score.games else None,
                elo=_view(ratings[name]) if ratings is not None and rated else None,
                against=against,
            )
        )
    return rows


def first_seat(standings: Standings) -> float | None:
    """The share of points of the earlier seat; None before the first game."""
    names = standings.names
    scores = [
        standings.pairing(one, other).as_first for one in names for other in names if one != other
    ]
    games = sum(score.games for score in scores)
    return sum(score.points() for score in scores) / games if games else None


def _view(estimate: Estimate) -> EstimateView:
    return EstimateView(value=estimate.value, low=estimate.low, high=estimate.high)
