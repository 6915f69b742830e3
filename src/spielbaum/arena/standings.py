"""What the games of a plan add up to: scores of pairings, of seats, and ratings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from spielbaum.arena.picture import result_picture
from spielbaum.arena.plan import Plan
from spielbaum.arena.ratings import Ratings, Result, pairwise, rate
from spielbaum.base.errors import StoreError
from spielbaum.base.statistics import Score
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Opening
from spielbaum.play.referee import GameRecord, Seat, numbered

NOTHING = Score(0, 0, 0)


@dataclass(frozen=True)
class Pairing:
    """How one agent did against another."""

    score: Score
    as_first: Score
    """Of the games in which it sat before the other."""
    groups: tuple[Score, ...]
    """One for each opening: the two games of a pair, say."""


@dataclass(frozen=True)
class Repeats:
    """How often openings were played, where there were too few for all games.

    >>> Repeats(9, 4, 6).text
    '9 different openings, each played 4 to 6 times.'
    """

    openings: int
    fewest: int
    """Games that began with the opening that was played least."""
    most: int

    @property
    def text(self) -> str:
        """The same as a sentence."""
        what = "1 opening" if self.openings == 1 else f"{self.openings:,} different openings, each"
        times = (
            f"{self.most:,}" if self.fewest == self.most else f"{self.fewest:,} to {self.most:,}"
        )
        return f"{what} played {times} times."


class Standings:
    """Counts games as they come.

    >>> from spielbaum.play.limits import Limits
    >>> from spielbaum.arena.plan import Entrant
    >>> from spielbaum.arena.runner import run_plan
    >>> from spielbaum.arena.workers import LocalExecutor
    >>> plan = Plan("tictactoe", (Entrant("perfect", Limits()), Entrant("random", Limits())), 4)
    >>> standings = Standings(plan)
    >>> standings.add_all(run_plan(plan, LocalExecutor(jobs=1)))
    >>> standings.games, standings.pairing("perfect", "random").score.losses
    (4, 0)
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names = _names(plan)
        self.games = 0
        self.ended_by: Counter[str] = Counter()
        self.faults: list[str] = []
        """What agents did wrong, in words."""
        self._known = dict(zip(_players(plan), self.names, strict=True))
        self._scores: dict[tuple[str, str], Score] = defaultdict(lambda: NOTHING)
        self._groups: dict[tuple[str, str], dict[int, Score]] = defaultdict(dict)
        self._results: list[Result] = []
        self._openings: dict[tuple[str, ...], list[int]] = defaultdict(list)  # by moves of a game
        self._begun: Counter[Opening] = Counter()
        self._groups_seen: set[int] = set()

    def add_all(self, records: Iterable[GameRecord]) -> None:
        """Count many games."""
        for record in records:
            self.add(record)

    def add(self, record: GameRecord) -> None:
        """Count a game."""
        seated = [self._name(seat) for seat in record.task.seats]
        self.games += 1
        self.ended_by[record.ended_by] += 1
        if record.ended_by not in ("rules", "adjudication"):
            self.faults.append(record.reason)
        self._openings[(record.task.start, *record.moves)].append(record.task.group)
        self._begun[Opening(record.task.start, record.task.opening)] += 1
        self._groups_seen.add(record.task.group)
        self._results += pairwise(seated, record.rewards)
        for first, a in enumerate(seated):
            for second, b in enumerate(seated):
                if first == second:
                    continue
                mine, other = record.rewards[first], record.rewards[second]
                result = Score(int(mine > other), int(mine == other), int(mine < other))
                if first < second:
                    self._scores[a, b] += result
                groups = self._groups[a, b]
                groups[record.task.group] = groups.get(record.task.group, NOTHING) + result

    def pairing(self, one: str, other: str) -> Pairing:
        """How ``one`` did against ``other``."""
        as_first, reverse = self._scores[one, other], self._scores[other, one]
        as_second = Score(reverse.losses, reverse.draws, reverse.wins)
        groups = self._groups[one, other]
        return Pairing(as_first + as_second, as_first, tuple(groups[key] for key in sorted(groups)))

    def group(self, one: str, other: str, number: int) -> Score:
        """How ``one`` did against ``other`` in one group of games."""
        return self._groups[one, other].get(number, NOTHING)

    def total(self, name: str) -> Score:
        """How an agent did against all others."""
        scores = (self.pairing(name, other).score for other in self.names if other != name)
        return sum(scores, NOTHING)

    def ratings(self) -> Ratings:
        """The strength of all agents; ValueError if they have not all met, if only indirectly."""
        return rate(self._results)

    @property
    def copies(self) -> int:
        """Games that have the same start and the same moves as an earlier one."""
        return sum(len(groups) - 1 for groups in self._openings.values())

    @property
    def swapped_copies(self) -> int:
        """Those of them that began with the same opening: agents that swap seats may play alike."""
        return sum(len(groups) - len(set(groups)) for groups in self._openings.values())

    @property
    def repeats(self) -> Repeats | None:
        """How often openings were repeated; None if all were different, or meant to be the same."""
        different = len(self._begun)
        if self.plan.openings.is_fixed:
            return None
        if len(self._groups_seen) <= different * len(self.plan.pairings()):
            return None
        return Repeats(different, min(self._begun.values()), max(self._begun.values()))

    def _repr_svg_(self) -> str:
        return result_picture(self)

    def _name(self, seat: Seat) -> str:
        name = self._known.get((seat.agent, seat.limits, seat.copy))
        if name is None:
            raise StoreError(f"{seat.name:.100} does not take part in this tournament")
        return name


def _players(plan: Plan) -> list[tuple[str, Limits, int]]:
    """What tells the entrants of a plan apart, and their seats."""
    return [
        (entrant.agent, entrant.limits, copy)
        for entrant, copy in zip(plan.entrants, plan.copies(), strict=True)
    ]


def _names(plan: Plan) -> list[str]:
    """What the agents are called: with their limits only if these differ."""
    alike = len({entrant.limits for entrant in plan.entrants}) == 1
    return [
        numbered(agent if alike else f"{agent} ({limits.text})", copy)
        for agent, limits, copy in _players(plan)
    ]
