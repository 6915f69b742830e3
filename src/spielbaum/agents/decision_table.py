"""What an agent thinks of the moves as a table: text for terminals, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.base.text_table import plain_table
from spielbaum.games.drawing.svg import escaped, tint

if TYPE_CHECKING:
    from spielbaum.games.state import State


class DecisionTable:
    """The moves of a decision, best first; with a position they have names, else numbers.

    >>> table = DecisionTable(Decision(3, 0.25, (MoveEval(3, 0.25, visits=7, pv=(3, 4)),)))
    >>> print(table)
    move  value   visits  line
    3     +0.250  7       3 4
    """

    def __init__(self, decision: Decision, state: State | None = None) -> None:
        self._decision = decision
        self._state = state

    def rows(self) -> list[tuple[str, ...]]:
        """The cells of all rows as text; the first row has the names of the columns."""
        moves = ranked(self._decision)
        counted = any(each.visits for each in moves)
        expected = any(each.prior is not None for each in moves)
        head = ["move", "value", *["visits"] * counted, *["prior"] * expected, "line"]
        found = [tuple(head)]
        for each in moves:
            value = f"{each.value:+z.3f}" if was_tried(each, self._decision) else ""
            cells = [self._names([each.move]), value]
            if counted:
                cells.append(f"{each.visits:,}")
            if expected:
                cells.append("" if each.prior is None else f"{each.prior:.1%}")
            found.append((*cells, self._names(each.pv or (each.move,))))
        return found

    def _names(self, line: Sequence[int]) -> str:
        return " ".join(self._decision.names(line, self._state))

    def __str__(self) -> str:
        return plain_table(self.rows())

    def _repr_html_(self) -> str:
        head, *rows = self.rows()
        moves = ranked(self._decision)
        titles = "".join(f'<th style="text-align:left">{escaped(each)}</th>' for each in head)
        body = "".join(
            f"<tr>{_html_cells(row, move)}</tr>" for row, move in zip(rows, moves, strict=True)
        )
        return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def ranked(decision: Decision) -> list[MoveEval]:
    """The moves of a decision, best first; the chosen move is the first.

    >>> moves = (MoveEval(0, 0.1), MoveEval(1, 0.3), MoveEval(2, 0.2))
    >>> [each.move for each in ranked(Decision(1, 0.3, moves))]
    [1, 2, 0]
    """

    def order(each: MoveEval) -> tuple[bool, int, float, float]:
        # Searches that count trust a count more than a value. A win is better early, a loss late.
        return (
            each.move != decision.move,
            -each.visits,
            -each.value,
            each.value * len(each.pv) if each.proven else 0.0,
        )

    chosen = MoveEval(decision.move, decision.value, pv=decision.pv)
    return sorted(decision.moves or (chosen,), key=order)


def was_tried(move: MoveEval, decision: Decision) -> bool:
    """Whether an agent has a value for a move: a search that counts has none without a visit.

    >>> decision = Decision(0, 0.1, (MoveEval(0, 0.1, visits=9), MoveEval(1, 0.0)))
    >>> [was_tried(each, decision) for each in decision.moves]
    [True, False]
    """
    if move.visits or move.proven is not None:
        return True
    counts = "iterations" in decision.stats or any(each.visits for each in decision.moves)
    return not counts


def _html_cells(row: tuple[str, ...], move: MoveEval) -> str:
    colour = f"background:{tint(move.value)};color:#1b1f24" if row[1] else ""
    styles = ["font-weight:600", colour, *[""] * (len(row) - 2)]
    return "".join(
        f'<td style="text-align:left;{style}">{escaped(cell)}</td>'
        for cell, style in zip(row, styles, strict=True)
    )
