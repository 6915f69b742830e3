"""Tables of texts, the first row of which has the names of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TypeAlias

Rows: TypeAlias = Sequence[Sequence[str]]

_LATEX = {each: f"\\{each}" for each in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def plain_table(rows: Rows) -> str:
    """Columns side by side, for terminals.

    >>> print(plain_table([("move", "value"), ("d1", "+0.5")]))
    move  value
    d1    +0.5
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def html_table(rows: Rows) -> str:
    """For notebooks.

    >>> html_table([("a<b",), ("1",)]).count("&lt;")
    1
    """
    head, *body = (
        "".join(f'<{tag} style="text-align:left">{escape(cell)}</{tag}>' for cell in row)
        for row, tag in zip(rows, ["th", *["td"] * (len(rows) - 1)], strict=True)
    )
    lines = "".join(f"<tr>{row}</tr>" for row in body)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def markdown_table(rows: Rows) -> str:
    """For documents in Markdown.

    >>> print(markdown_table([("a", "b"), ("1", "2")]), end="")
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "".join(f"| {' | '.join(row)} |\n" for row in lines)


def latex_table(rows: Rows) -> str:
    r"""For papers: a tabular environment with the rules of ``booktabs``.

    >>> print(latex_table([("agent", "points"), ("mcts", "62.5%")]))
    \begin{tabular}{lr}
    \toprule
    agent & points \\
    \midrule
    mcts & 62.5\% \\
    \bottomrule
    \end{tabular}
    """
    lines = [
        " & ".join("".join(_LATEX.get(each, each) for each in cell) for cell in row) + r" \\"
        for row in rows
    ]
    columns = "l" + "r" * (len(rows[0]) - 1)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
