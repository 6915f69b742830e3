"""``spielbaum replay``: the games of a file, ply by ply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from spielbaum.base.errors import StoreError
from spielbaum.base.options import Option
from spielbaum.cli.shared.output import ask_in_terminal
from spielbaum.cli.shared.stores import RunName, StoreArgument, last_run, open_store
from spielbaum.games import State, game
from spielbaum.play.referee import GameRecord

GAME = Option("game", 0, low=0)
HELP = "Enter: forward, b: back, a number: to that ply, q: quit"


def replay(
    file: StoreArgument,
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="Of the game, from 0.")] = "0",
    name: RunName = None,
) -> None:
    """Step through a stored game."""
    wanted = int(GAME.parse(number))
    with open_store(file) as store:
        run, _ = store.plan(name or last_run(store, file))
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
            before, move = self._states[ply - 1], self._states[ply].last_move
            text += f": {record.moves[ply - 1] if move is None else before.label(move)}"
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
