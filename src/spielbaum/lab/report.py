"""Write published and measured figures side by side, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple
from typing import Any

from spielbaum.base.statistics import Estimate
from spielbaum.lab.experiment import Agreement, Experiment, Measured
from spielbaum.lab.kinds.matches import Matches

COMPATIBLE = list(Agreement.__dataclass_fields__).index("compatible")
"""Its place among the counts: only games have chances that can be counted."""


def to_markdown(
    experiment: Experiment[Any], results: Sequence[Measured[Any]], facts: str, image: str = ""
) -> str:
    """Write the report of an experiment; ``facts`` says when and where it was run.

    ``image``: the name of a file with its figure, if there is one.
    """
    entries = [experiment.line(each) for each in results]
    rows = [["row", "column", *(column for column, _ in entries[0])]]
    for each, line in zip(results, entries, strict=True):
        rows.append([each.cell.row, each.cell.column, *(_text(entry) for _, entry in line)])
    lines = [f"# {experiment.heading}", "", experiment.question, ""]
    lines += [f"Source: {experiment.source}. Game: `{experiment.game}`. {facts}", ""]
    lines += [*_markdown(rows), "", experiment.summary(results), ""]
    if image:
        lines += [f"![{experiment.title}]({image})", ""]
    if experiment.notes:
        lines += ["Notes:", *(f"- {note}" for note in experiment.notes), ""]
    return "\n".join(lines)


def to_data(experiment: Experiment[Any], results: Sequence[Measured[Any]]) -> dict[str, object]:
    """Give the report of an experiment for programs: a row of figures for each cell.

    >>> from spielbaum.lab import experiment
    >>> data = to_data(experiment("S0.table7"), [])
    >>> data["id"], data["rows"]
    ('S0.table7', [])
    """
    rows = []
    for each in results:
        figures = {
            name: asdict(entry) if isinstance(entry, Estimate) else entry
            for name, entry in experiment.line(each)
        }
        rows.append({"row": each.cell.row, "column": each.cell.column, **figures})
    facts = {name: getattr(experiment, name) for name in ("id", "source", "question", "game")}
    return {**facts, "rows": rows, "agreement": asdict(experiment.agreement(results))}


def summary_table(
    all_results: Sequence[tuple[Experiment[Any], Sequence[Measured[Any]]]],
) -> str:
    """Write a line for each experiment with published figures, and their sum, as Markdown."""
    rows = [["experiment", "question", "figures", "contained or near", "within chance of both"]]
    rows[0] += ["direction agrees", "differs", "undecided"]
    total = Agreement()
    for experiment, results in all_results:
        counts = experiment.agreement(results)
        if counts.compared:
            total += counts
            numbers = list(map(str, astuple(counts)))
            if not isinstance(experiment, Matches):
                numbers[COMPATIBLE] = ""
            rows.append([f"[{experiment.id}]({experiment.id}.md)", experiment.question, *numbers])
    rows.append(["all", "", *map(str, astuple(total))])
    return "\n".join(_markdown(rows)) + "\n"


def _markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    written = [f"| {' | '.join(row)} |" for row in rows]
    return [written[0], "|" + " --- |" * len(rows[0]), *written[1:]]


def _text(entry: str | Estimate | float | None) -> str:
    """Write an entry of a row; None is a figure that is missing."""
    if isinstance(entry, str):
        return entry
    if entry is None:
        return "missing"
    if isinstance(entry, Estimate):
        return f"{entry:.1f}"
    return f"{entry:,.0f}" if abs(entry) >= 1000 else f"{entry:.3g}"
