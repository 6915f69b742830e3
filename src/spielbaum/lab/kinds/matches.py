"""Games between agents: the points of one in percent, as published and as measured."""

from __future__ import annotations

import math
import re
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spielbaum.agents.trial import check_players
from spielbaum.arena.plan import Entrant, Plan
from spielbaum.arena.relative import relative_limits
from spielbaum.arena.runner import run_plan
from spielbaum.arena.store import Store
from spielbaum.base.statistics import Estimate, Score, Scoring, share_estimate
from spielbaum.games import game
from spielbaum.lab.experiment import (
    Agreement,
    Cell,
    Entry,
    Experiment,
    Measured,
    ScaleName,
    Verdict,
)
from spielbaum.lab.facts import facts_now
from spielbaum.lab.networks import named_by
from spielbaum.lab.plots import cross, lines
from spielbaum.lab.table import entries
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.play.referee import GameRecord, score_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spielbaum.lab.runner import Lab

_RUN_NAME = re.compile(r"(?P<id>[^/]+)/.*/(?P<games>\d+)x(?P<time>[^/]+)(/\w+)?", re.DOTALL)


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is done: games of each cell, and a factor of thinking times.

    >>> Scale(50, time=0.01).limits(Limits(seconds=10)).seconds
    0.1
    >>> Scale(50, time=0.01).limits(Limits(iterations=1000)).iterations
    1000
    """

    games: int
    time: float = 1.0

    def limits(self, limits: Limits) -> Limits:
        """Return the limits at this scale, where the document has ``limits``."""
        if limits.seconds is None:
            return limits
        return replace(limits, seconds=limits.seconds * self.time)

    def __str__(self) -> str:
        return f"{self.games}x{self.time:g}"


@dataclass(frozen=True, kw_only=True)
class Pairing(Cell):
    """Games of an agent against an opponent; published are points of the agent in percent.

    >>> cell = Pairing(
    ...     row="LGR", column="Cp = 1", agent="lgr:c=1", opponent="uct:c=0.8",
    ...     limits=Limits(iterations=1000), published=77.8,
    ... )
    >>> cell.agent, cell.published
    ('lgr:c=1', 77.8)
    """

    agent: str
    opponent: str
    limits: Limits | None = None
    """Limits of either side for each move; None if ``relative`` is given."""
    opponent_limits: Limits | None = None
    """Limits of the opponent, where they are not those of the agent."""
    relative: int | None = None
    """Either side has the time that the opponent needs for this number of iterations."""
    published_share: float | None = None
    """Iterations of the agent for one of the opponent in the same time, on the document's machine.
    With ``relative`` iterations of the opponent and this share of them for the agent, a match
    repeats the document's conditions on any machine."""


def pairings(
    published: str,
    agent: str,
    opponent: str,
    limits: Limits,
    *,
    row: str = "{}",
    column: str = "{}",
    names: Mapping[str, str] | None = None,
    opponent_limits: Limits | None = None,
) -> tuple[Pairing, ...]:
    """Make the cells of a printed table.

    Specs of agents may have ``{row}`` and ``{column}``: what the table writes there, or what
    ``names`` has for it. ``row`` and ``column`` are how cells are named, with ``{}`` for the same.

    >>> [cell] = pairings('''
    ...           1.0
    ...     K    77.8
    ... ''', "lgr:c={column},{row}", "uct", Limits(iterations=9), column="Cp = {}",
    ...     names={"K": "keep=on"})
    >>> cell.row, cell.column, cell.agent, cell.published
    ('K', 'Cp = 1.0', 'lgr:c=1.0,keep=on', 77.8)
    """
    meaning = names or {}
    cells = []
    for down, across, percent in entries(published):
        words = {"row": meaning.get(down, down), "column": meaning.get(across, across)}
        cells.append(
            Pairing(
                row=row.format(down),
                column=column.format(across),
                published=percent,
                agent=agent.format(**words),
                opponent=opponent.format(**words),
                limits=limits,
                opponent_limits=opponent_limits,
            )
        )
    return tuple(cells)


@dataclass(frozen=True, kw_only=True)
class Matches(Experiment[Pairing]):
    """Games between agents. Either side has the first move in half of the games of a cell.

    >>> from spielbaum.lab import experiment
    >>> table = experiment("S2.table3.4")
    >>> table.scoring, table.games, table.both_sides
    ('nothing', 50, True)
    >>> table.scale("paper"), table.scale("small")
    (Scale(games=50, time=1.0), Scale(games=50, time=0.01))
    """

    variants: tuple[Pairing, ...] = ()
    """Further pairings that the document does not have, but that help to understand it. A
    published figure is the one that the document has for the cell of which it is a variant."""
    scoring: Scoring
    games: int
    """Games of each cell in the document, at least."""
    most_games: int | None = None
    """And at most; None where it does not say."""
    small: Scale = Scale(100)
    start: str = ""
    """Notation of the position from which all games begin; empty for that of the game."""
    random_plies: int = 0
    """Plies that are drawn before the agents move, where neither of them leaves anything to chance:
    else all of their games would be the same."""
    both_sides: bool = False
    """Whether the cells (a, b) and (b, a) show the same games, each from its row's side."""

    def scale(self, name: ScaleName) -> Scale:
        """Return how much is done at a scale; ``paper`` is as much as the document did."""
        return Scale(self.games) if name == "paper" else self.small

    # ---- running ----
    @property
    def all_cells(self) -> tuple[Pairing, ...]:
        """The cells of the document, and the variants."""
        return (*self.cells, *self.variants)

    @property
    def distinct(self) -> list[Pairing]:
        """The cells that have games of their own, not those of another one from the other side.

        >>> from spielbaum.lab import experiment
        >>> table = experiment("S2.table3.4")
        >>> len(table.cells), len(table.distinct)
        (12, 6)
        """
        found: list[Pairing] = []
        for cell in self.all_cells:
            if self._mirrored(cell) not in found:
                found.append(cell)
        return found

    @property
    def networks(self) -> tuple[str, ...]:
        """Names of the neural networks of its agents."""
        return named_by(*(cell.agent for cell in self.all_cells))

    def scale_of(self, lab: Lab) -> Scale:
        """Return how much is done in a lab, which may say how many games."""
        scale = self.scale(lab.scale)
        games = lab.games or max(
            (
                int(run["games"])
                for name in lab.played
                if name.startswith(f"{self.id}/") and (run := _RUN_NAME.fullmatch(name))
                if run["time"] == f"{scale.time:g}"
            ),
            default=None,
        )
        return scale if games is None else replace(scale, games=games)

    def plan(self, cell: Pairing, scale: Scale, with_files: Callable[[str], str] = str) -> Plan:
        """Plan the games of a cell; ``with_files`` puts files in place of names of networks.

        >>> from spielbaum.lab import experiment
        >>> table = experiment("S0.table10")
        >>> table.plan(table.cells[0], Scale(4)).num_games
        4
        """
        rule = Openings("random" if self.random_plies else "empty", self.random_plies)
        if self.start:
            rule = Openings("position", path=self.start)
        limits = cell.limits
        if limits is None:
            assert cell.relative is not None
            rules = game(self.game)
            limits = relative_limits(rules, cell.opponent, cell.relative, rule.draw(rules, 1, 0))
        entrants = (
            Entrant(with_files(cell.agent), scale.limits(limits)),
            Entrant(cell.opponent, scale.limits(cell.opponent_limits or limits)),
        )
        return Plan(self.game, entrants, scale.games, rule, seed=_seed(self._name(cell)))

    def run_name(self, lab: Lab, cell: Pairing) -> str:
        """Return what the run of a cell is called in the store."""
        name = f"{self._name(cell)}/{self.scale_of(lab)}"
        # Networks of another scale have learnt more.
        return f"{name}/{lab.scale}" if named_by(cell.agent) else name

    def run(self, lab: Lab) -> None:
        """Play the games that have not been played yet."""
        for cell in self.distinct:
            self._play(lab, cell)

    def _play(self, lab: Lab, cell: Pairing) -> None:
        name = self.run_name(lab, cell)
        with Store(lab.store) as store:
            # The limits of relative iterations are measured once: a run goes on with its own.
            if name in store.runs():
                plan = store.plan(name)[1]
            else:
                plan = self.plan(cell, self.scale_of(lab), lab.with_files)
                check_players([each.agent for each in plan.entrants], game(self.game))
            began = time.time()
            for done, record in enumerate(run_plan(plan, lab.executor, store, name), start=1):
                lab.tell(f"{self.id} {cell.row} / {cell.column}", done, plan.num_games)
                if record.started >= began and done == plan.num_games:
                    store.set_note(self.facts_name(lab), facts_now())

    def records(self, lab: Lab, cell: Pairing) -> list[GameRecord]:
        """Read the games of a cell, from whichever of its sides they were played."""
        with Store(lab.store, for_reading=True) as store:
            known = store.runs()
            for each in (cell, self._mirrored(cell)):
                if each is not None and self.run_name(lab, each) in known:
                    run, _ = store.plan(self.run_name(lab, each))
                    return list(store.records(run))
        return []

    def results(self, lab: Lab) -> list[Measured[Pairing]]:
        """Count the games that have been played for every cell."""
        return [self._result(lab, cell) for cell in self.all_cells]

    def _result(self, lab: Lab, cell: Pairing) -> Measured[Pairing]:
        score = Score(0, 0, 0)
        for record in self.records(lab, cell):
            score += score_of(record, _played_as(record, cell))
        if not score.games:
            return Measured(cell, None)
        return Measured(cell, share_estimate(score, self.scoring).percent, score)

    def facts_name(self, lab: Lab) -> str:
        """Return the name under which the store keeps when and where it was run at this scale."""
        return f"{super().facts_name(lab)}/{self.scale_of(lab)}"

    def size(self, lab: Lab) -> str:
        """Return how many games each cell has, and the factor of thinking times."""
        scale = self.scale_of(lab)
        times = f", thinking times multiplied by {scale.time:g}" if scale.time != 1 else ""
        return f", {scale.games} games a cell{times}"

    def _name(self, cell: Pairing) -> str:
        return f"{self.id}/{cell.row}/{cell.column}/{cell.agent}"

    def _mirrored(self, cell: Pairing) -> Pairing | None:
        """Find the cell that shows the same games from the other side."""
        if not self.both_sides:
            return None
        wanted = (cell.opponent, cell.agent, cell.limits, cell.relative)
        for other in self.cells:
            if (other.agent, other.opponent, other.limits, other.relative) == wanted:
                return other
        return None

    # ---- judging ----
    def judge(self, measured: Measured[Pairing]) -> Verdict:
        """Compare points and direction (who beats whom) with the document's.

        >>> from spielbaum.lab import experiment
        >>> table = experiment("S0.table10")
        >>> cell = table.cells[1]  # published: 60.3
        >>> table.judge(Measured(cell, Estimate(58.0, 54.9, 61.1), Score(580, 0, 420)))
        Verdict(contained=True, direction='agrees', compatible=True)
        """
        published, value, score = measured.cell.published, measured.value, measured.score
        if published is None or not isinstance(value, Estimate) or score is None:
            return Verdict(None, "")
        expected = _sign(published - self._rival(measured.cell))
        # Less than two standard deviations are chance.
        is_plain = abs(score.wins - score.losses) > 1.96 * math.sqrt(score.wins + score.losses)
        found = _sign(score.wins - score.losses) if is_plain else 0
        direction = "agrees" if found == expected else "differs"
        if found == 0 or expected == 0:
            direction = "undecided"
        chance = math.hypot(_chance(published, self.games), _chance(value.value, score.games))
        return Verdict(measured.contains, direction, abs(value.value - published) <= chance)

    def counts(self, cell: Pairing) -> bool:
        """Return whether a cell is the document's, and not the other side of an earlier one."""
        return cell in self.distinct and cell not in self.variants

    def _rival(self, cell: Pairing) -> float:
        """Return what the opponent scored in the document: draws may count nothing for both."""
        other = self._mirrored(cell)
        if other is not None and other.published is not None:
            return other.published
        assert cell.published is not None
        return 50.0 if self.scoring == "nothing" else 100 - cell.published

    # ---- reporting and drawing ----
    @property
    def measured_in(self) -> str:
        """The unit of points."""
        return "%"

    def line(self, measured: Measured[Pairing]) -> tuple[Entry, ...]:
        """Return agents, points, games, and the verdict."""
        cell, verdict = measured.cell, self.judge(measured)
        return (
            ("agent", f"`{cell.agent}`"),
            ("opponent", f"`{cell.opponent}`"),
            ("published", cell.published),
            ("measured", measured.value),
            ("games", str(measured.score.games) if measured.score else ""),
            ("", verdict.word),
            ("", verdict.direction),
        )

    def sentence(self, counts: Agreement, results: Sequence[Measured[Pairing]]) -> str:
        """Say how many figures and directions agree, and how far they are apart on average."""
        difference = statistics.fmean(
            each.value.value - each.cell.published
            for each in results
            if isinstance(each.value, Estimate)
            and each.cell.published is not None
            and self.counts(each.cell)
        )
        return (
            f"{counts.contained} of {counts.compared} intervals contain the published figure; "
            f"{counts.directions} {counts.compatible} figures differ by no more than chance, the "
            f"document's own {self.games} games a figure included; measured figures are "
            f"{difference:+.1f} points from the published ones on average."
        )

    def picture(self, results: Sequence[Measured[Pairing]]) -> Figure:
        """Draw a cross table where cells have two sides, and otherwise lines around 50 %."""
        if self.both_sides:
            return cross(self.heading, results)
        return lines(self.heading, results, "points in percent", level=50.0)


def _played_as(record: GameRecord, cell: Pairing) -> str:
    """Return the spec of a cell's agent in a record, where files stand for names of networks."""
    if not named_by(cell.agent):
        return cell.agent
    return next(seat.agent for seat in record.task.seats if seat.agent != cell.opponent)


def _seed(name: str) -> int:
    """Return a seed that gives every cell games of its own, the same ones whenever it is run."""
    seed = 0
    for byte in name.encode():
        seed = (seed * 31 + byte) % (2**31 - 1)
    return seed


def _chance(percent: float, games: int) -> float:
    """Return how far from the truth a figure may be by chance, in 95 of 100 cases."""
    share = percent / 100
    return 196 * math.sqrt(share * (1 - share) / games)


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
