"""``spielbaum report`` and ``spielbaum replay``: what a file of games holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from spielbaum.arena.export import WRITERS, to_markdown
from spielbaum.arena.plots import save_figures
from spielbaum.arena.standings import Standings
from spielbaum.arena.store import Store
from spielbaum.base.errors import StoreError
from spielbaum.base.figures.canvas import IMAGE
from spielbaum.base.options import Option
from spielbaum.base.statistics import Scoring
from spielbaum.cli.commands.play import ask_in_terminal
from spielbaum.cli.shared.contest import SCORING, ScoringRule
from spielbaum.games import State, game
from spielbaum.play.referee import GameRecord

FORMAT = Option("format", "markdown", choices=("markdown", *WRITERS))
GAME = Option("game", 0, low=0)
HELP = "Enter: forward, b: back, a number: to that ply, q: quit"

StoreArgument = Annotated[Path, typer.Argument(help="A file of games, made with --store.")]
RunName = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="Of the run; without it, the last.")
]


def report(
    file: StoreArgument,
    name: RunName = None,
    written: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="markdown, csv, json or pgn.")
    ] = "markdown",
    scoring: ScoringRule = "half",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where it goes.")
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Draw ratings, a heat map and curves there."),
    ] = None,
    image: Annotated[
        str, typer.Option("--image", metavar="FORMAT", help="Of the drawings: png or svg.")
    ] = "png",
) -> None:
    """Print the results or the games of a stored run, and draw them."""
    form, drawn = str(FORMAT.parse(written)), str(IMAGE.parse(image))
    rule: Scoring = "nothing" if SCORING.parse(scoring) == "nothing" else "half"
    with _open(file) as store:
        run, plan = store.plan(name or _last_run(store, file))
        standings = Standings(plan)
        if form == "markdown" or plots is not None:
            standings.add_all(store.records(run))
        if form == "markdown":
            text = to_markdown(standings, rule) if standings.games else "no games yet\n"
        else:
            text = WRITERS[form](store.records(run))
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
    if plots is not None and standings.games:
        for path in save_figures(standings, plots, drawn, rule):
            typer.echo(str(path), err=True)


def replay(
    file: StoreArgument,
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="Of the game, from 0.")] = "0",
    name: RunName = None,
) -> None:
    """Step through a stored game."""
    wanted = int(GAME.parse(number))
    with _open(file) as store:
        run, _ = store.plan(name or _last_run(store, file))
        found = [record for record in store.records(run) if record.task.number == wanted]
    if not found:
        raise StoreError(f"store {file}: it has no game {wanted}")
    Replay(found[0], ask_in_terminal, typer.echo).run()


class Replay:
    """A stored game, ply by ply, forward and back.

    >>> from spielbaum.play.referee import GameTask, Seat, play_game
    >>> from spielbaum.play.limits import Limits
    >>> seats = (Seat("perfect", Limits()), Seat("perfect", Limits()))
    >>> record = play_game(GameTask("tictactoe", seats))
    >>> answers, lines = iter(["", "", "b", "9", "q"]), []
    >>> Replay(record, lambda prompt: next(answers), lines.append).run()
    >>> [line for line in lines if line.startswith("ply")][-1].split(":")[0]
    'ply 9 of 9'
    """

    def __init__(
        self, record: GameRecord, ask: Callable[[str], str], tell: Callable[[str], None]
    ) -> None:
        self._record = record
        self._ask = ask
        self._tell = tell
        self._states = _states(record)

    def run(self) -> None:
        """Until the person has seen enough."""
        record, ply = self._record, len(self._record.task.opening)
        seats = ", ".join(
            f"{index}: {seat.name}" for index, seat in enumerate(record.task.seats, start=1)
        )
        self._tell(f"game {record.task.number} of {record.task.game}; {seats}")
        self._tell(f"{record.ended_by}: {record.reason}; {HELP}")
        while True:
            self._tell(str(self._states[ply]))
            self._tell(self._line(ply))
            try:
                answer = self._ask("> ").strip().lower()
            except EOFError:
                return
            if answer in ("q", "quit"):
                return
            if answer == "b":
                ply = max(ply - 1, 0)
            elif answer == "":
                ply = min(ply + 1, len(self._states) - 1)
            elif answer.isdecimal() and int(answer) < len(self._states):
                ply = int(answer)
            else:
                self._tell(f"{answer!r:.20}: {HELP}; plies go to {len(self._states) - 1}")

    def _line(self, ply: int) -> str:
        """What was played to come here, how long it took, and what the agent thought of it."""
        record = self._record
        text = f"ply {ply} of {len(self._states) - 1}"
        thought = ply - 1 - len(record.task.opening)
        if ply > 0:
            text += f": {record.moves[ply - 1]}"
        if 0 <= thought < len(record.values):
            text += f", value {record.values[thought]:+.2f}, {record.seconds[thought]:.3f} s"
        elif ply > 0:
            text += ", opening"
        return text


def _states(record: GameRecord) -> list[State]:
    rules = game(record.task.game)
    states = [rules.state(record.task.start) if record.task.start else rules.initial()]
    for move in record.moves:
        states.append(states[-1].play(move))
    return states


def _open(file: Path) -> Store:
    if not file.exists():
        raise StoreError(f"store {file}: there is no such file")
    return Store(file)


def _last_run(store: Store, file: Path) -> str:
    runs = store.runs()
    if not runs:
        raise StoreError(f"store {file}: it has no runs")
    return runs[-1]
