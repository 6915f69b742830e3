"""What the games of a plan add up to: scores of pairings, of seats, and ratings."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from spielbaum.arena.picture import result_picture
from spielbaum.arena.plan import Plan
from spielbaum.arena.ranking import ranking, rows_of, to_markdown
from spielbaum.arena.ratings import Ratings, Result, pairwise, rate
from spielbaum.base.discover import load, when_needed
from spielbaum.base.errors import SpecError, StoreError
from spielbaum.base.statistics import Score, Scoring
from spielbaum.base.text_table import html_table, latex_table, plain_table
from spielbaum.play.limits import Limits
from spielbaum.play.referee import GameRecord, Seat, numbered

NOTHING = Score(0, 0, 0)
NONE = (0, 0, 0)
_Counts: TypeAlias = Mapping[int, Sequence[int]]


@dataclass(frozen=True)
class Pairing:
    """How one agent did against another."""

    score: Score
    as_first: Score
    """Of the games in which it sat before the other."""
    counts: tuple[_Counts, _Counts] = field(repr=False)
    """Wins, draws and losses of each group: as the first, and of the other as the first."""

    @property
    def groups(self) -> tuple[Score, ...]:
        """One score for each opening: of the two games of a pair, say."""
        first, second = self.counts
        return tuple(_score(first, second, each) for each in sorted({*first, *second}))


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
    >>> from spielbaum.arena.executor import Workers
    >>> plan = Plan("tictactoe", (Entrant("perfect", Limits()), Entrant("random", Limits())), 4)
    >>> standings = Standings(plan)
    >>> standings.add_all(run_plan(plan, Workers(jobs=1)))
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
        self.records: list[GameRecord] = []
        """The games themselves, where somebody keeps them: `spielbaum.match` does."""
        self._known = dict(zip(_players(plan), self.names, strict=True))
        self._counts: dict[tuple[str, str], dict[int, list[int]]] = defaultdict(dict)
        """Wins, draws and losses of one who had an earlier seat than the other, by groups."""
        self._results: list[Result] = []
        self._openings: dict[tuple[str, ...], list[int]] = defaultdict(list)  # by moves of a game
        self._begun: Counter[tuple[str, tuple[str, ...]]] = Counter()  # starts and moves from there
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
        self._begun[record.task.start, record.task.opening] += 1
        self._groups_seen.add(record.task.group)
        self._results += pairwise(seated, record.rewards)
        seats = zip(seated, record.rewards, strict=True)
        for (one, mine), (other, theirs) in itertools.combinations(seats, 2):
            counts = self._counts[one, other].setdefault(record.task.group, [0, 0, 0])
            counts[0 if mine > theirs else 1 if mine == theirs else 2] += 1

    def pairing(self, one: str, other: str) -> Pairing:
        """How ``one`` did against ``other``."""
        counts = self._counts[one, other], self._counts[other, one]
        first, second = (
            Score(*map(sum, zip(*each.values(), strict=True))) if each else NOTHING
            for each in counts
        )
        return Pairing(first + second.reversed, first, counts)

    def group(self, one: str, other: str, number: int) -> Score:
        """How ``one`` did against ``other`` in one group of games."""
        return _score(self._counts[one, other], self._counts[other, one], number)

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

    def to_markdown(self, scoring: Scoring = "half") -> str:
        """The table as Markdown: who scored how much, and against whom."""
        return to_markdown(self, scoring)

    def to_latex(self, scoring: Scoring = "half") -> str:
        """The table as LaTeX, with the rules of the package ``booktabs``."""
        return latex_table(rows_of(ranking(self, scoring)))

    def to_dataframe(self, scoring: Scoring = "half") -> Any:
        """The ranks as a DataFrame; needs pandas."""
        try:
            pandas = when_needed("pandas")
        except ImportError:
            raise SpecError("to_dataframe needs pandas: pip install pandas") from None
        rows = [asdict(each) for each in ranking(self, scoring)]
        for row in rows:
            row |= {"elo": None, **{f"elo_{key}": each for key, each in (row["elo"] or {}).items()}}
        return pandas.DataFrame(rows).drop(columns=["against", "elo"]).set_index("agent")

    def plot(self) -> Any:
        """Points as games were played, as a figure of matplotlib."""
        return load(__package__, "plots").figures(self)["win-rate"]

    def __str__(self) -> str:
        return plain_table(rows_of(ranking(self)))

    def _repr_svg_(self) -> str:
        return result_picture(self)

    def _repr_html_(self) -> str:
        return html_table(rows_of(ranking(self))) + self._repr_svg_()

    def _name(self, seat: Seat) -> str:
        name = self._known.get((seat.agent, seat.limits, seat.copy))
        if name is None:
            raise StoreError(f"{seat.name:.100} does not take part in this tournament")
        return name


def _score(first: _Counts, second: _Counts, group: int) -> Score:
    """The score of one who had the first seat in some games, and the second in others."""
    wins, draws, losses = first.get(group, NONE)
    theirs = second.get(group, NONE)
    return Score(wins + theirs[2], draws + theirs[1], losses + theirs[0])


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
