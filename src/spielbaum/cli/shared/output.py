"""What several commands share: reading a position, and printing."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Annotated, TextIO, TypeAlias

import typer
from rich.console import Console, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.games import Game, State, game
from spielbaum.games.drawing.text import BoardFace

WIDTH_OF_FILES = 110
PLAYER_COLOURS = ("1;31", "1;33", "1;36", "1;32", "1;35", "1;34", "1;91", "1;97")
"""Codes of the terminal for the stones of each player."""
SAY_SECONDS = 60.0
"""How often work that nobody watches says how far it is."""
LOOK_SECONDS = 0.5
SECONDS = Option("seconds", 1.0, low=0.001, high=1e9)
AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON, for programs.")
]
RESULTS = {1.0: "win", 0.0: "draw", -1.0: "loss"}


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sits at the other end; a program may be started without a stream."""
    return stream is not None and stream.isatty()


def console() -> Console:
    """A console for tables; output into files and pipes has a fixed, roomy width."""
    width = None if is_terminal(sys.stdout) else WIDTH_OF_FILES
    return Console(width=width, highlight=False)


def print_json(data: object) -> None:
    """Print what a command found as JSON.

    >>> print_json({"move": "d1", "value": 0.5})
    {
      "move": "d1",
      "value": 0.5
    }
    """
    typer.echo(json_text(data), nl=False)


def json_text(data: object) -> str:
    r"""Write what a command found as JSON, with a line break at the end.

    >>> json_text([])
    '[]\n'
    """
    return json.dumps(data, indent=2, ensure_ascii=False, default=str) + "\n"


def print_rows(
    rows: Sequence[Mapping[str, object]],
    as_json: bool = False,
    formats: Mapping[str, str] | None = None,
) -> None:
    """Print rows with the same columns: as a table, or as JSON for programs.

    ``formats`` says how a table writes the numbers of a column, which stand on the right; whole
    ones have separators unless it says so. JSON has them as they are.

    >>> print_rows([{"cells": "a1 b2", "weights": 1024, "worth": 0.25}], formats={"worth": ".1f"})
    cells  weights  worth
    a1 b2    1,024    0.2
    """
    if as_json:
        print_json(rows)
        return
    table = Table(box=None, pad_edge=False)
    for name in rows[0] if rows else ():
        is_number = any(isinstance(row[name], int | float) for row in rows)
        table.add_column(name, justify="right" if is_number else "left")
    for row in rows:
        table.add_row(*(_cell(value, (formats or {}).get(name)) for name, value in row.items()))
    console().print(table)


def _cell(value: object, written: str | None) -> str:
    """Return what a table shows of a value."""
    if isinstance(value, int | float):
        return format(value, written or ("," if isinstance(value, int) else "g"))
    return "" if value is None else escape(str(value))


def options_data(options: Iterable[Option]) -> list[dict[str, object]]:
    """Give options with their defaults, for programs."""
    return [
        {
            "name": each.name,
            "default": each.default,
            "expected": each.expected,
            "help": each.help,
        }
        for each in options
    ]


def board(state: State) -> str:
    """Draw a position as text, in the colours of the players where the terminal has colours."""
    shown = console()
    return state.diagram(paint=_painted if shown.color_system and not shown.no_color else None)


def _painted(player: int | None, text: str) -> str:
    code = "2" if player is None else PLAYER_COLOURS[player % len(PLAYER_COLOURS)]
    return f"\033[{code}m{text}\033[0m"


def live(
    shown: Console, show: Callable[[], RenderableType] | None = None, what: str = ""
) -> AbstractContextManager[object]:
    """Something to look at in a terminal while work goes on; it vanishes at the end.

    It is what ``show`` gives now, or else who works (``what``) and for how long. Elsewhere than
    in a terminal there is nothing.

    >>> with live(console(), what="alphabeta thinks"):
    ...     print("done")
    done
    """
    if not is_live(shown):
        return nullcontext()
    began = time.perf_counter()
    return Live(
        get_renderable=show or (lambda: clock(what, time.perf_counter() - began)),
        console=shown,
        refresh_per_second=8,
        transient=True,
    )


@contextmanager
def watched(text: Callable[[], str]) -> Iterator[None]:
    """Show how far the work in this thread is: in a terminal always, elsewhere once a minute.

    >>> with watched(lambda: "half of it"):
    ...     print("done")
    done
    """
    shown, ended = console(), threading.Event()
    log = SlowLog(shown)

    def say_now_and_then() -> None:
        while not ended.wait(LOOK_SECONDS):
            log.say(text)

    teller = threading.Thread(target=say_now_and_then, daemon=True)
    teller.start()
    try:
        with live(shown, lambda: Text(text(), style="dim")):
            yield
    finally:
        ended.set()
        teller.join()


def is_live(shown: Console) -> bool:
    """Whether what a console shows can be replaced by something else."""
    return is_terminal(sys.stdout) and not shown.is_dumb_terminal


def clock(what: str, seconds: float) -> Text:
    """Who works, and for how long.

    >>> clock("alphabeta thinks", 1.234).plain
    'alphabeta thinks: 1.2 s; Ctrl-C ends it'
    """
    return Text(f"{what}: {seconds:.1f} s; Ctrl-C ends it", style="dim")


class SlowLog:
    """Says once a minute how far something is, where there is no line to be looked at.

    >>> SlowLog(console()).say(lambda: "not yet")
    """

    def __init__(self, shown: Console) -> None:
        self._said = None if is_live(shown) else time.monotonic()

    def say(self, text: Callable[[], str]) -> None:
        """Say something, if it is time."""
        if self._said is not None and time.monotonic() - self._said > SAY_SECONDS:
            self._said = time.monotonic()
            typer.echo(text(), err=True)


class RateColumn(ProgressColumn):
    """How many steps are done each second."""

    def render(self, task: Task) -> Text:
        """The rate, once there is one."""
        return Text("" if task.speed is None else rate(task.speed))


def progress_bar(what: str, *, hidden: bool = False) -> Progress:
    """A bar with number, rate and time left, for long work; the rate is that of ten minutes."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), RateColumn())
    return Progress(
        *columns,
        TimeRemainingColumn(),
        console=console(),
        speed_estimate_period=600,
        disable=hidden,
    )


def read_state(spec: str, position: str | None) -> State:
    """The state that a game's spec and a position name; without a position, the start.

    >>> read_state("connect4", "4453").notation
    '4453'
    """
    chosen = game(spec)
    if position is None:
        return chosen.initial()
    # Bytes of an argument that are no text reach Python as lone surrogates.
    return chosen.state(position.encode(errors="replace").decode())


def join_position(words: Sequence[str] | None) -> str | None:
    """The position that was given as several arguments, so that a FEN needs no quotes.

    >>> join_position(["8/8/8/8/8/8/8/8", "w", "-", "-"])
    '8/8/8/8/8/8/8/8 w - -'
    """
    if not words:
        return None
    for word in words:
        # Reversi boards begin with dashes, so the commands let unknown options pass to here.
        if re.match(r"--?[A-Za-z]", word) and not set(word.lower()) <= set("-xo"):
            raise SpecError(f"there is no option {word}; see --help")
    return " ".join(words)


def side(of: Game, player: int) -> str:
    """What a player is called.

    >>> side(game("tictactoe"), 1)
    'o'
    """
    sides = of.face.text_sides if isinstance(of.face, BoardFace) else ()
    return sides[player] if player < len(sides) else f"player {player + 1}"


def line_text(state: State, moves: Sequence[int]) -> str:
    """A line of play from a state on, in the notation of the game.

    >>> line_text(read_state("connect4", "44"), [3, 3])
    'd3 d4'
    """
    texts = []
    for move in moves:
        texts.append(state.label(move))
        state = state.play(move)
    return " ".join(texts)


def speed(count: float, seconds: float) -> str:
    """How many per second; the clock says nothing about a time close to its own resolution.

    >>> speed(5000, 2.0), speed(5000, 0.00001)
    ('2.5 k/s', '-')
    """
    return rate(count / seconds) if seconds > 1e-4 else "-"


def rate(value: float) -> str:
    """A rate per second for people.

    >>> rate(12_345_678.9), rate(12.34)
    ('12.3 M/s', '12 /s')
    """
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{unit}/s"
    return f"{value:.0f} /s" if value >= 10 else f"{value:.2g} /s"


def ask_in_terminal(prompt: str) -> str:
    """Read a line. What comes from a file or a pipe is shown too, for a readable transcript."""
    if sys.stdin is None:
        raise EOFError
    answer = input(prompt)
    if not is_terminal(sys.stdin):
        typer.echo(answer)
    return answer
