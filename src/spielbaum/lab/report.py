"""Published and measured figures side by side, as Markdown."""

from __future__ import annotations

import math
import operator
import statistics
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from spielbaum.base.statistics import Estimate
from spielbaum.lab.experiment import (
    Cell,
    Claim,
    Counts,
    Course,
    Deviations,
    Experiment,
    Matches,
    Pairing,
    SearchTimes,
    SelfPlay,
    Speeds,
    Summary,
    Trainings,
)
from spielbaum.lab.runner import Measured, distinct

TOLERANCE = 0.25
"""Ratios of speeds and times, and errors, count as equal if they differ by at most this share."""


@dataclass(frozen=True)
class Verdict:
    """How a figure compares with the published one."""

    contained: bool | None
    """Whether the measured interval contains it; None where either is missing."""
    direction: str
    """``agrees``, ``differs``, ``undecided`` (the interval has 50 %), or empty."""
    compatible: bool | None = None
    """Whether they differ by no more than chance would let them in both samples of games."""


def judge(experiment: Experiment, measured: Measured) -> Verdict:
    """Compare a measured figure with the document's.

    >>> from spielbaum.base.statistics import Score
    >>> from spielbaum.lab import experiment
    >>> table = experiment("S0.table10")
    >>> cell = table.cells[1]  # published: 60.3
    >>> judge(table, Measured(cell, Estimate(58.0, 54.9, 61.1), Score(580, 0, 420)))
    Verdict(contained=True, direction='agrees', compatible=True)
    """
    cell = measured.cell
    if isinstance(experiment, Matches):
        value = measured.value
        if cell.published is None or not isinstance(value, Estimate) or measured.score is None:
            return Verdict(None, "")
        assert isinstance(cell, Pairing)
        expected = _sign(cell.published - _rival(experiment, cell))
        wins, losses = measured.score.wins, measured.score.losses
        found = _sign(wins - losses) if _is_plain(wins, losses) else 0
        direction = "agrees" if found == expected else "differs"
        if found == 0 or expected == 0:
            direction = "undecided"
        contained = value.low <= cell.published <= value.high
        chance = _chance(cell.published, experiment.games)
        chance = math.hypot(chance, _chance(value.value, measured.score.games))
        return Verdict(contained, direction, abs(value.value - cell.published) <= chance)
    if isinstance(experiment, Trainings):
        value = measured.value
        if cell.published is None or not isinstance(value, Estimate):
            return Verdict(None, "")
        return Verdict(value.low <= cell.published <= value.high, "")
    if isinstance(cell, Claim):
        return Verdict(None, _judge_claim(cell, measured.value))
    if isinstance(experiment, Deviations):
        if cell.published is None or not isinstance(measured.value, float):
            return Verdict(None, "")
        return Verdict(abs(measured.value / cell.published - 1) <= TOLERANCE, "")
    if measured.ratio is None or measured.published_ratio is None:
        return Verdict(None, "")
    near = abs(measured.ratio / measured.published_ratio - 1) <= TOLERANCE
    same_side = (measured.ratio >= 1) == (measured.published_ratio >= 1)
    return Verdict(near, "agrees" if same_side else "differs")


def to_markdown(
    experiment: Experiment, results: Sequence[Measured], facts: str, image: str = ""
) -> str:
    """The report of an experiment; ``facts`` says when and where it was run.

    ``image``: the name of a file with its figure, if there is one.
    """
    lines = [f"# {experiment.id}: {experiment.title}", "", experiment.question, ""]
    lines += [f"Source: {experiment.source}. Game: `{experiment.game}`. {facts}", ""]
    lines += _table(experiment, results)
    lines += ["", summary_line(experiment, results), ""]
    if image:
        lines += [f"![{experiment.title}]({image})", ""]
    if experiment.notes:
        lines += ["Notes:", *(f"- {note}" for note in experiment.notes), ""]
    return "\n".join(lines)


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

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(*map(operator.add, astuple(self), astuple(other)))


COMPATIBLE = list(Agreement.__dataclass_fields__).index("compatible")
"""Its place among the counts: only games have chances that can be counted."""


def agreement(experiment: Experiment, results: Sequence[Measured]) -> Agreement:
    """Count the verdicts about an experiment; both sides of the same games count once.

    Variants, which are ours, do not count.
    """
    verdicts = [judge(experiment, each) for each in results if _counts(experiment, each.cell)]
    compared = [each for each in verdicts if each.contained is not None or each.direction]
    directions = [each.direction for each in compared]
    return Agreement(
        len(compared),
        sum(bool(each.contained) for each in compared),
        sum(bool(each.compatible) for each in compared),
        *(directions.count(name) for name in ("agrees", "differs", "undecided")),
    )


def summary_line(experiment: Experiment, results: Sequence[Measured]) -> str:
    """How many published figures agree, in a sentence."""
    counts = agreement(experiment, results)
    if isinstance(experiment, Counts):
        return _differences(results)
    if not counts.compared:
        return "There are no published figures to compare with."
    if isinstance(experiment, Trainings):
        return f"{counts.contained} of {counts.compared} intervals contain the published figure."
    if isinstance(experiment, SelfPlay):
        return f"{counts.agrees} of {counts.compared} figures are as the text says."
    if isinstance(experiment, Deviations):
        return f"{counts.contained} of {counts.compared} errors are near the published one."
    what = "intervals contain" if isinstance(experiment, Matches) else "ratios are near"
    text = (
        f"{counts.contained} of {counts.compared} {what} the published figure; the direction "
        f"agrees in {counts.agrees}, differs in {counts.differs} and is undecided in "
        f"{counts.undecided}."
    )
    if isinstance(experiment, Matches):
        text += (
            f" {counts.compatible} figures differ by no more than chance, the document's own "
            f"{experiment.games} games a figure included; measured figures are "
            f"{_mean_difference(experiment, results):+.1f} points from the published ones on "
            "average."
        )
    return text


def _differences(results: Sequence[Measured]) -> str:
    """How far counted figures are from published ones, in a sentence."""
    sizes = [
        abs(each.value - each.cell.published)
        for each in results
        if each.cell.published is not None and isinstance(each.value, float)
    ]
    if not sizes:
        return "There is nothing to compare."
    return (
        f"{len(sizes)} of {len(results)} figures are published; the measured ones differ from them "
        f"by {statistics.fmean(sizes):.1f} on average, and by {max(sizes):.1f} at most."
    )


def _mean_difference(experiment: Experiment, results: Sequence[Measured]) -> float:
    return statistics.fmean(
        each.value.value - each.cell.published
        for each in results
        if isinstance(each.value, Estimate)
        and each.cell.published is not None
        and _counts(experiment, each.cell)
    )


def summary_table(all_results: Sequence[tuple[Experiment, Sequence[Measured]]]) -> str:
    """One line for each experiment with published figures, and the sum, as Markdown."""
    rows = [["experiment", "question", "figures", "contained or near", "within chance of both"]]
    rows[0] += ["direction agrees", "differs", "undecided"]
    total = Agreement()
    for experiment, results in all_results:
        counts = agreement(experiment, results)
        if counts.compared:
            total += counts
            numbers = list(map(str, astuple(counts)))
            if not isinstance(experiment, Matches):
                numbers[COMPATIBLE] = ""
            rows.append([f"[{experiment.id}]({experiment.id}.md)", experiment.question, *numbers])
    rows.append(["all", "", *map(str, astuple(total))])
    return "\n".join(_markdown(rows)) + "\n"


def _table(experiment: Experiment, results: Sequence[Measured]) -> list[str]:
    if isinstance(experiment, Matches):
        rows = [["row", "column", "agent", "opponent", "published", "measured", "games", "", ""]]
        for each in results:
            cell, verdict = each.cell, judge(experiment, each)
            assert isinstance(cell, Pairing)
            rows.append(
                [
                    cell.row,
                    cell.column,
                    f"`{cell.agent}`",
                    f"`{cell.opponent}`",
                    _number(cell.published),
                    _number(each.value),
                    str(each.score.games) if each.score else "",
                    {True: "contained", False: "outside", None: ""}[verdict.contained],
                    verdict.direction,
                ]
            )
    elif isinstance(experiment, (Speeds, SearchTimes)):
        rows = [["row", "column", "published", "measured", "published ratio", "ratio", ""]]
        for each in results:
            verdict = judge(experiment, each)
            rows.append(
                [
                    each.cell.row,
                    each.cell.column,
                    _number(each.cell.published),
                    _number(each.value),
                    _number(each.published_ratio),
                    _number(each.ratio),
                    verdict.direction,
                ]
            )
    elif isinstance(experiment, Trainings):
        measured = f"measured ({experiment.unit})"
        rows = [["row", "column", "configuration", "published", measured]]
        for each in results:
            cell = each.cell
            assert isinstance(cell, Course)
            changes = ", ".join(f"{name} = {value}" for name, value in cell.changes)
            tuples = "" if cell.tuples is None else " x ".join(map(str, cell.tuples[1:]))
            config = "; ".join(text for text in (cell.config, changes, tuples) if text)
            rows.append(
                [cell.row, cell.column, config, _number(cell.published), _number(each.value)]
            )
    elif isinstance(experiment, SelfPlay):
        rows = [["row", "column", "the text says", "measured", ""]]
        for each in results:
            cell = each.cell
            assert isinstance(cell, Claim)
            direction = judge(experiment, each).direction
            rows.append([cell.row, cell.column, _words(cell), _number(each.value), direction])
    else:
        assert isinstance(experiment, (Summary, Counts, Deviations))
        unit = "error" if isinstance(experiment, Deviations) else experiment.unit
        rows = [["row", "column", "published", f"measured ({unit})"]]
        for each in results:
            cell = each.cell
            rows.append([cell.row, cell.column, _number(cell.published), _number(each.value)])
    return _markdown(rows)


def _judge_claim(cell: Claim, value: Estimate | float | None) -> str:
    """Whether a figure is as the words say; an interval may leave that open."""
    if value is None or (cell.below is None and cell.above is None):
        return ""
    low, high = (value.low, value.high) if isinstance(value, Estimate) else (value, value)
    least = -math.inf if cell.above is None else cell.above
    most = math.inf if cell.below is None else cell.below
    if least < low and high < most:
        return "agrees"
    return "differs" if high <= least or low >= most else "undecided"


def _words(cell: Claim) -> str:
    if cell.below is not None:
        return f"below {cell.below:g}"
    return "" if cell.above is None else f"above {cell.above:g}"


def _markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    written = [f"| {' | '.join(row)} |" for row in rows]
    return [written[0], "|" + " --- |" * len(rows[0]), *written[1:]]


def _counts(experiment: Experiment, cell: Cell) -> bool:
    """Whether a cell is the document's, and says something that no other one says as well."""
    if isinstance(experiment, (Speeds, SearchTimes)):
        return cell != experiment.plain(cell)  # whose ratio is 1 by definition
    if isinstance(experiment, Matches):
        return cell in distinct(experiment) and cell not in experiment.variants
    return True


def _number(value: Estimate | float | None) -> str:
    if value is None:
        return "missing"
    if isinstance(value, Estimate):
        return f"{value.value:.1f} ({value.low:.1f} to {value.high:.1f})"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _rival(experiment: Matches, cell: Pairing) -> float:
    """What the opponent scored in the document: draws may count nothing for both."""
    if experiment.both_sides:
        for other in experiment.cells:
            swapped = (other.agent, other.opponent) == (cell.opponent, cell.agent)
            if swapped and other.limits == cell.limits and other.published is not None:
                return other.published
    assert cell.published is not None
    return 50.0 if experiment.scoring == "nothing" else 100 - cell.published


def _chance(percent: float, games: int) -> float:
    """How far from the truth a figure may be by chance, in 95 of 100 cases."""
    share = percent / 100
    return 196 * math.sqrt(share * (1 - share) / games)


def _is_plain(wins: int, losses: int) -> bool:
    """Whether the difference is more than two standard deviations of chance."""
    return abs(wins - losses) > 1.96 * math.sqrt(wins + losses)


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
