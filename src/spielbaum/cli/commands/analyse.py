"""``spielbaum analyse``: what an agent thinks of the moves, shown while it thinks."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from spielbaum.agents import Agent, Budget, Decision, MoveEval, agent
from spielbaum.agents.agent import choices
from spielbaum.agents.decision_table import ranked, was_tried
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.cli.shared.arguments import taking
from spielbaum.cli.shared.effort import Effort
from spielbaum.cli.shared.output import (
    RESULTS,
    AsJson,
    board,
    clock,
    console,
    is_live,
    join_position,
    line_text,
    live,
    print_json,
    read_state,
    speed,
)
from spielbaum.games import State

DEFAULT_LIMITS = "seconds=5"
LINES = Option("lines", 12, low=1, high=10_000)

SETTINGS = {"ignore_unknown_options": True}
"""For Typer: a position may begin with a hyphen."""


@taking(Effort)
def analyse(
    game: Annotated[str, typer.Argument(help="A game, such as chess or reversi:size=6.")],
    position: Annotated[
        list[str] | None,
        typer.Argument(help="A position in the notation of the game; without it, the start."),
    ] = None,
    thinker: Annotated[
        str, typer.Option("--agent", metavar="AGENT", help="Who thinks.")
    ] = "alphabeta:analyse=on",
    lines: Annotated[str, typer.Option(metavar="N", help="Moves that are listed.")] = "12",
    as_json: AsJson = False,
    *,
    effort: Effort,
) -> None:
    """Let an agent think about a position: its moves best first, their values, lines of play.

    It thinks for 5 seconds unless a limit is given.
    """
    state = read_state(game, join_position(position))
    choices(state)  # a finished game has none, and says so
    searcher = agent(thinker)
    if str(searcher) == "human":
        raise SpecError("option agent=human: expected an agent that thinks by itself")
    budget, most = effort.limits_of_all(DEFAULT_LIMITS).budget(None), int(LINES.parse(lines))
    if as_json:
        print_json(data(state, searcher, searcher.choose(state, budget), most))
    else:
        Watch(state, searcher, most).run(budget)


def data(state: State, searcher: Agent, decision: Decision, lines: int) -> dict[str, Any]:
    """Give what an agent thinks of a position, for programs.

    >>> import spielbaum as sb
    >>> state, agent = sb.game("connect4").state("121212"), sb.agent("alphabeta")
    >>> found = data(state, agent, agent.choose(state, sb.Budget(depth=2)), lines=1)
    >>> found["move"], found["moves"][0]["proven"]
    ('a4', 1.0)
    """
    moves = [
        {
            **each._asdict(),
            "move": state.text(each.move),
            "pv": line_text(state, each.pv).split(),
        }
        for each in ranked(decision)[:lines]
    ]
    return {
        "game": str(state.game),
        "position": state.notation,
        "agent": str(searcher),
        "move": state.text(decision.move),
        "value": decision.value,
        "moves": moves,
        "stats": dict(decision.stats),
    }


class Watch:
    """One analysis in the terminal: a live table, or a line per report where there is none.

    >>> import spielbaum as sb
    >>> state = sb.game("tictactoe").state("a1 b2 c3 a3 c1 b1")
    >>> watch = Watch(state, sb.agent("alphabeta:analyse=on"), lines=2)
    >>> watch.run(Budget(depth=3))  # doctest: +ELLIPSIS
    3  o . x
    2  . o .
    1  x[o]x
       a b c
    x to move
    ...
    1 more move, with values from -1.000 to -1.000
    """

    def __init__(self, state: State, searcher: Agent, lines: int) -> None:
        self._state = state
        self._searcher = searcher
        self._lines = lines
        self._console = console()
        self._is_live = is_live(self._console)
        self._began = time.perf_counter()
        self._known: RenderableType | None = None

    def run(self, budget: Budget) -> None:
        """Search and show; after Ctrl-C, what was known until then, and `KeyboardInterrupt`."""
        # The search runs in this thread, the main one, because that is where Ctrl-C arrives.
        try:
            with live(self._console, self._progress):
                decision = self._searcher.choose(
                    self._state, dataclasses.replace(budget, report=self._report)
                )
        except KeyboardInterrupt:
            if self._known is not None:
                self._console.print(self._known)
            raise
        self._take(decision)
        self._console.print(self._known)

    def _progress(self) -> RenderableType:
        """What the live display shows now."""
        time_line = clock(f"{self._searcher} thinks", time.perf_counter() - self._began)
        return time_line if self._known is None else Group(time_line, self._known)

    def _report(self, decision: Decision) -> None:
        self._take(decision)
        if not self._is_live:
            best = ranked(decision)[0]
            value = value_text(self._state, best, decision)
            line = line_text(self._state, best.pv or (best.move,))
            self._print(f"{self._effort(decision)}  {value}  {line}")

    def _take(self, decision: Decision) -> None:
        """Keep what is known. The board comes with the first news: an agent may refuse a game."""
        if self._known is None:
            # Escape codes of colours are no business of the console's.
            self._console.print(Text.from_ansi(f"{board(self._state)}\n"), soft_wrap=True)
        # The table is made here and not when the display is refreshed, which happens in another
        # thread, where a game or an agent in Python might not expect to be asked.
        best, *others = ranked(decision)
        move, value = self._state.label(best.move), value_text(self._state, best, decision)
        headline = Text(f"{self._effort(decision)}  best {move} {value}", style="bold")
        table = move_table(self._state, decision, self._lines)
        rest = others[self._lines - 1 :]
        self._known = Group(
            headline, table, *([Text(summary(rest, decision), style="dim")] if rest else [])
        )

    def _effort(self, decision: Decision) -> str:
        """How much was searched."""
        stats = decision.stats
        seconds = float(stats.get("seconds", time.perf_counter() - self._began))
        parts = [f"{name} {stats[name]:>2}" for name in ("depth", "iterations") if name in stats]
        parts.append(f"{seconds:.2f} s")
        if "nodes" in stats:
            nodes = int(stats["nodes"])
            parts.append(f"{nodes:,} nodes, {speed(nodes, seconds)}")
        return "  ".join(parts)

    def _print(self, text: str) -> None:
        """Print as it is: no markup, no line broken."""
        self._console.print(Text(text), soft_wrap=True)


def value_text(state: State, each: MoveEval, decision: Decision) -> str:
    """The value of a move; where it is proven the result, and after how many plies it comes.

    A move that the agent did not try has none.

    >>> import spielbaum as sb
    >>> state = sb.game("connect4").state("121212")
    >>> decision = sb.agent("alphabeta").choose(state, sb.Budget(depth=4))
    >>> value_text(state, decision.moves[0], decision)
    'win in 1 ply'
    >>> value_text(state, MoveEval(2, 0.25), decision)
    '+0.250'
    """
    if not was_tried(each, decision):
        return ""
    if each.proven not in RESULTS:
        return f"{each.value:+z.3f}"
    result = RESULTS[each.proven]
    if each.proven == 0.0:
        return result
    plies = decision.stats.get("plies_to_end") if each.move == decision.move else None
    if plies is None:
        for move in each.pv:
            state = state.play(move)
        # A line out of a table may break off before the end.
        plies = len(each.pv) if state.outcome is not None else None
    if plies is None:
        return result
    return f"{result} in {plies} {'ply' if plies == 1 else 'plies'}"


def move_table(state: State, decision: Decision, lines: int) -> Table:
    """The best moves, at most ``lines``, as a table.

    >>> import spielbaum as sb
    >>> start = sb.game("connect4").initial()
    >>> table = move_table(start, Decision(3, 0.25, (MoveEval(3, 0.25, pv=(3, 3)),)), lines=9)
    >>> console().print(table)  # doctest: +NORMALIZE_WHITESPACE
    move  value   line
    d1    +0.250  d1 d2
    """
    moves = ranked(decision)
    counted = any(each.visits for each in moves)
    expected = any(each.prior is not None for each in moves)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("move", no_wrap=True, style="bold")
    table.add_column("value", no_wrap=True)
    if counted:
        table.add_column("visits", justify="right", no_wrap=True)
    if expected:
        table.add_column("prior", justify="right", no_wrap=True)
    table.add_column("line", no_wrap=True, overflow="ellipsis")
    for each in moves[:lines]:
        cells = [state.label(each.move), value_text(state, each, decision)]
        if counted:
            cells.append(f"{each.visits:,}")
        if expected:
            cells.append("" if each.prior is None else f"{each.prior:.1%}")
        table.add_row(*map(Text, cells), Text(line_text(state, each.pv)))
    return table


def summary(moves: Sequence[MoveEval], decision: Decision) -> str:
    """One line about moves that are not listed.

    >>> decision = Decision(2, 0.4, (MoveEval(2, 0.4, visits=7), MoveEval(0, 0.1, visits=2)))
    >>> summary([MoveEval(0, 0.1, visits=2), MoveEval(1, -0.3, visits=1)], decision)
    '2 more moves, with values from -0.300 to +0.100'
    >>> summary([MoveEval(5, 0.0)], decision)
    '1 more move, not tried'
    """
    values = [each.value for each in moves if was_tried(each, decision)]
    noun = "move" if len(moves) == 1 else "moves"
    if not values:
        return f"{len(moves)} more {noun}, not tried"
    return f"{len(moves)} more {noun}, with values from {min(values):+z.3f} to {max(values):+z.3f}"
