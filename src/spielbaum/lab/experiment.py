"""Define what all experiments have in common: cells, measured figures and verdicts about them.

An experiment is a value that declares the cells of a table or figure and what the document printed
there. Its class, one of `spielbaum.lab.kinds`, knows how such cells are measured, judged, reported
and drawn. Nothing is played or trained when an experiment is declared.

Agents may name a neural network that is trained for the lab, as in ``uct:eval=net:@ConvNet``.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeAlias, TypeVar

from spielbaum.base.statistics import Estimate, Score
from spielbaum.lab.plots import lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spielbaum.lab.runner import Lab

ScaleName: TypeAlias = Literal["small", "paper"]

TOLERANCE = 0.25
"""Ratios of speeds and times, and errors, count as equal if they differ by at most this share."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One place of a table.

    >>> Cell(row="UCT3", column="Cp = 0.7").published is None  # not printed, or lost
    True
    """

    row: str
    column: str
    published: float | None = None
    """The document's figure, or None where it has none, or where only a lost drawing had it."""
    note: str = ""


Entry: TypeAlias = tuple[str, str | Estimate | float | None]
"""A column of a report, and what stands there; None is a figure that is missing."""

CellT = TypeVar("CellT", bound=Cell)


@dataclass(frozen=True)
class Measured(Generic[CellT]):
    """A cell and what was measured for it; matches also have a score, speeds and times a ratio."""

    cell: CellT
    value: Estimate | float | None
    """In the unit of the published figure; None if nothing has been measured yet."""
    score: Score | None = None
    ratio: float | None = None
    """To the plain agent, where only ratios can be compared."""
    published_ratio: float | None = None
    course: tuple[float, ...] = ()
    """The figure after every epoch or loop of a training, for experiments about its course."""

    @property
    def interval(self) -> Estimate | None:
        """The measured figure as an interval, which is a single point for plain numbers.

        Where ratios are compared, it is the ratio.

        >>> Measured(Cell(row="AB*", column="s"), 0.2, ratio=0.5).interval
        Estimate(value=0.5, low=0.5, high=0.5)
        """
        if self.value is None or isinstance(self.value, Estimate):
            return self.value
        number = self.value if self.ratio is None else self.ratio
        return Estimate(number, number, number)

    @property
    def published(self) -> float | None:
        """The document's figure that stands beside `interval`."""
        return self.cell.published if self.ratio is None else self.published_ratio

    @property
    def contains(self) -> bool | None:
        """Whether a measured interval contains the published figure; None if either is missing."""
        if self.cell.published is None or not isinstance(self.value, Estimate):
            return None
        return self.value.low <= self.cell.published <= self.value.high


@dataclass(frozen=True)
class Verdict:
    """How a figure compares with the published one."""

    contained: bool | None
    """Whether the measured interval contains it; None where either is missing."""
    direction: str
    """``agrees``, ``differs``, ``undecided`` (the interval has 50 %), or empty."""
    compatible: bool | None = None
    """Whether they differ by no more than chance would let them in both samples of games."""

    @property
    def word(self) -> Literal["contained", "outside", ""]:
        """The answer of `contained` for a table."""
        return "" if self.contained is None else "contained" if self.contained else "outside"


@dataclass(frozen=True)
class Agreement:
    """How many published figures there are to compare with, and how many agree.

    >>> Agreement(3, 1, 2, 2, 0, 1) + Agreement(1, 1, 1, 1, 0, 0)
    Agreement(compared=4, contained=2, compatible=3, agrees=3, differs=0, undecided=1)
    """

    compared: int = 0
    contained: int = 0
    compatible: int = 0
    agrees: int = 0
    differs: int = 0
    undecided: int = 0

    @property
    def directions(self) -> str:
        """How many directions agree, in words."""
        return (
            f"the direction agrees in {self.agrees}, differs in {self.differs} and is undecided in "
            f"{self.undecided}."
        )

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(*map(operator.add, astuple(self), astuple(other)))


@dataclass(frozen=True, kw_only=True)
class Experiment(Generic[CellT]):
    """A table or figure of a document; each kind of experiments is a subclass.

    >>> from spielbaum.lab import experiment
    >>> table = experiment("S0.table10")
    >>> table.question
    'Do AMAF-LGR and RAVE-LGR beat LGR?'
    >>> [(cell.row, cell.published) for cell in table.cells]
    [('AMAF-LGR', 55.6), ('RAVE-LGR', 60.3)]
    """

    axis: ClassVar[str] = ""
    """The label of drawn figures, if it is not their unit."""

    id: str
    title: str
    source: str
    """Where in which document it stands."""
    game: str
    question: str
    cells: tuple[CellT, ...]
    """The places of the document's table, row by row."""
    notes: tuple[str, ...] = ()
    """What the document leaves open, and what is done about it."""

    # ---- running ----
    @property
    def all_cells(self) -> tuple[CellT, ...]:
        """The cells of the document, and further ones that we have added."""
        return self.cells

    @property
    def networks(self) -> tuple[str, ...]:
        """Names of the neural networks that must be trained before it can be run."""
        return ()

    def run(self, lab: Lab) -> None:
        """Measure what has not been measured yet, and store it."""
        raise NotImplementedError

    def results(self, lab: Lab) -> list[Measured[CellT]]:
        """Read what has been measured for every cell."""
        raise NotImplementedError

    def facts_name(self, lab: Lab) -> str:
        """Return the name under which the store keeps when and where it was run."""
        return f"{self.id}/facts"

    def facts(self, lab: Lab) -> str:
        """Return when, with which version and on what machine it was run; empty if it was not."""
        return lab.note(self.facts_name(lab)) or ""

    def size(self, lab: Lab) -> str:
        """Return how much is done for each cell, as the end of a sentence that begins a report."""
        return ""

    # ---- judging ----
    def judge(self, measured: Measured[CellT]) -> Verdict:
        """Compare a measured figure with the document's."""
        return Verdict(None, "")

    def counts(self, cell: CellT) -> bool:
        """Return whether a cell is the document's, and no other cell says the same."""
        return True

    def agreement(self, results: Sequence[Measured[CellT]]) -> Agreement:
        """Count the verdicts; two sides of the same games count once, our variants not at all."""
        verdicts = [self.judge(each) for each in results if self.counts(each.cell)]
        compared = [each for each in verdicts if each.contained is not None or each.direction]
        directions = [each.direction for each in compared]
        return Agreement(
            len(compared),
            sum(bool(each.contained) for each in compared),
            sum(bool(each.compatible) for each in compared),
            *(directions.count(name) for name in ("agrees", "differs", "undecided")),
        )

    # ---- reporting ----
    @property
    def measured_in(self) -> str:
        """The unit of its figures; empty for plain numbers."""
        return ""

    def line(self, measured: Measured[CellT]) -> tuple[Entry, ...]:
        """Return the entries of a report's row after the name of the cell, with their columns."""
        measured_in = f"measured ({self.measured_in})"
        return (("published", measured.cell.published), (measured_in, measured.value))

    def summary(self, results: Sequence[Measured[CellT]]) -> str:
        """Say in a sentence how many published figures agree."""
        counts = self.agreement(results)
        if not counts.compared:
            return "There are no published figures to compare with."
        return self.sentence(counts, results)

    def sentence(self, counts: Agreement, results: Sequence[Measured[CellT]]) -> str:
        """Say how many of the compared figures, of which there is at least one, agree."""
        raise NotImplementedError

    # ---- drawing ----
    def draw(self, results: Sequence[Measured[CellT]]) -> Figure | None:
        """Draw published and measured figures; None if nothing has been measured.

        >>> from spielbaum.lab import experiment
        >>> table = experiment("S0.table10")
        >>> table.draw([Measured(cell, None) for cell in table.cells]) is None
        True
        >>> made = table.draw([Measured(cell, Estimate(58, 55, 61)) for cell in table.cells])
        >>> [tick.get_text() for tick in made.axes[0].get_xticklabels()]
        ['AMAF-LGR', 'RAVE-LGR']
        """
        if all(each.value is None for each in results):
            return None
        return self.picture(results)

    def picture(self, results: Sequence[Measured[CellT]]) -> Figure:
        """Draw figures of which at least one has been measured."""
        return lines(self.heading, results, self.axis or self.measured_in)

    @property
    def heading(self) -> str:
        """Its id and title, above reports and drawings."""
        return f"{self.id}: {self.title}"
