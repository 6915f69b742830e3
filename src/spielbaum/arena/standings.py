"""What the games of a plan add up to: scores of pairings, of seats, and ratings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from spielbaum.arena.games import GameRecord, Seat
from spielbaum.arena.plan import Plan
from spielbaum.arena.ratings import Ratings, Result, pairwise, rate
from spielbaum.arena.statistics import Score
from spielbaum.errors import StoreError

NOTHING = Score(0, 0, 0)


@dataclass(frozen=True)
class Pairing:
    """How one agent did against another."""

    score: Score
    as_first: Score
    """Of the games in which it sat before the other."""
    groups: tuple[Score, ...]
    """One for each opening: the two games of a pair, say."""


class Standings:
    """Counts games as they come.

    >>> from spielbaum.arena.limits import Limits
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
        self._known = dict(zip(plan.entrants, self.names, strict=True))
        self._scores: dict[tuple[str, str], Score] = defaultdict(lambda: NOTHING)
        self._groups: dict[tuple[str, str], dict[int, Score]] = defaultdict(dict)
        self._results: list[Result] = []
        self._openings: dict[tuple[str, ...], list[int]] = defaultdict(list)  # by moves of a game

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

    def _repr_svg_(self) -> str:
        from spielbaum.arena.plot import result_picture

        return result_picture(self)

    def _name(self, seat: Seat) -> str:
        for entrant, name in self._known.items():
            if (entrant.agent, entrant.limits) == (seat.agent, seat.limits):
                return name
        raise StoreError(f"{seat.agent:.100} does not take part in this tournament")


def _names(plan: Plan) -> list[str]:
    """What the agents are called: with their limits only if these differ."""
    if len({entrant.limits for entrant in plan.entrants}) == 1:
        return [entrant.agent for entrant in plan.entrants]
    return [f"{entrant.agent} ({entrant.limits.text})" for entrant in plan.entrants]
