"""``spielbaum play``: a game in the terminal."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from spielbaum.agents import Agent, Budget, Decision, agent
from spielbaum.agents.human import HumanAgent, example_move, legal_move, list_moves
from spielbaum.agents.levels import DEFAULT_LEVEL
from spielbaum.agents.levels import level as find_level
from spielbaum.base.discover import when_needed
from spielbaum.base.errors import IllegalMove, SpecError
from spielbaum.base.imports import shared_modules
from spielbaum.base.options import Option, parse_spec
from spielbaum.cli.shared.arguments import taking
from spielbaum.cli.shared.effort import NAMES, Effort
from spielbaum.cli.shared.output import ask_in_terminal, board, is_terminal, read_state, side
from spielbaum.games import State
from spielbaum.play.limits import Limits
from spielbaum.play.table import Player, Rules, Table

SEED = Option("seed", 0, low=0, high=2**62)


@taking(Effort)
def play(
    game: Annotated[str, typer.Argument(help="A game, such as chess or yavalath:players=3.")],
    position: Annotated[
        str | None, typer.Option(help="Begin with this position, in the notation of the game.")
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help=f"How strong the opponents are: beginner, casual, club, strong, or perfect where "
            f"there is a solver; {DEFAULT_LEVEL} unless an agent is named.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help="An agent for the other seats; human: all seats are people."
        ),
    ] = None,
    seat: Annotated[
        str, typer.Option("--as", metavar="SEAT", help="Your seat; 1 moves first.")
    ] = "1",
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="Makes the agents play the same again.")
    ] = None,
    *,
    effort: Effort,
) -> None:
    """Play in the terminal; type help to see what can be typed."""
    start = read_state(game, position)
    limits: Limits | Budget = effort.limits_of_all()
    resume = [program_name(), "play", str(start.game)]
    if against is None:
        chosen = find_level(start.game, level or DEFAULT_LEVEL)
        against, limits = chosen.agent, chosen.budget if limits == Limits() else limits
        resume += [] if level is None else ["--level", level]
    elif level is not None:
        raise SpecError(f"--level {level:.40} and --against {against:.40}: expected one of them")
    else:
        resume += ["--against", against]
    person = int(Option("as", 1, low=1, high=start.num_players).parse(seat))
    numbers = None if seed is None else int(SEED.parse(seed))
    seats = fill_seats(start.num_players, person, against, numbers)
    if is_terminal(sys.stdin):
        _enable_line_editing()
    resume += [] if person == 1 else ["--as", str(person)]
    for name in NAMES:
        value = getattr(effort, name)
        resume += [] if value is None else [f"--{name}", value]
    Session(start, seats, ask_in_terminal, typer.echo, resume, limits).run()


def program_name() -> str:
    """How to call this program again: by its path, if the shell would not find its name."""
    called = Path(sys.argv[0])
    return (
        str(called) if called.name == "spielbaum" and not shutil.which(called.name) else "spielbaum"
    )


def fill_seats(
    players: int, person: int, against: str, seed: int | None = None
) -> tuple[Agent | None, ...]:
    """The agent of every seat; None is a person. The person's seat is counted from 1.

    >>> [str(each) for each in fill_seats(3, person=2, against="random")]
    ['random', 'None', 'random']
    """
    if str(agent(against)) == "human":
        return (None,) * players
    if seed is None and "seed" not in parse_spec(against)[1]:
        seed = secrets.randbits(32)
    seats: list[Agent | None] = []
    for number in range(1, players + 1):
        opponent = None if number == person else agent(against)
        if opponent is not None and seed is not None:
            # Every agent gets its own numbers, or two of them would play alike.
            opponent.reset(seed=seed + number)
        seats.append(opponent)
    return tuple(seats)


class Session:
    """One game in the terminal: boards, prompts, undo and redo.

    ``resume`` is the command, without its position, that goes on with a game that was left.
    ``limits`` are those of the agents.

    >>> import spielbaum as sb
    >>> answers = iter(["b2", "a1", "undo", "c3", "quit"])
    >>> start = sb.game("tictactoe").initial()
    >>> session = Session(start, (None, None), lambda prompt: next(answers), lambda text: None)
    >>> session.run()
    >>> session.state.notation
    'b2 c3'
    """

    def __init__(
        self,
        start: State,
        seats: Sequence[Agent | None],
        ask: Callable[[str], str],
        tell: Callable[[str], None],
        resume: Sequence[str] = (),
        limits: Limits | Budget | None = None,
    ) -> None:
        self._seats = seats
        self._limits = limits or Limits()
        self._resume = resume
        self._ask = ask
        self._tell = tell
        self._start = start
        self._sit_down()
        self._commands: dict[str, tuple[str, Callable[[], None]]] = {
            "moves": ("list the legal moves", self._list_moves),
            "board": ("show the board", self._show_board),
            "notation": ("print the position in the notation of the game", self._print_notation),
            "undo": ("take your last move back", self._undo),
            "redo": ("play a move again that was taken back", self._redo),
            "new": ("begin again", self._begin_again),
            "help": ("this list", self._print_help),
        }

    @property
    def state(self) -> State:
        """The position on the board."""
        return self._table.state

    def run(self) -> None:
        """Play until a person quits, by a command, by the end of the input, or by Ctrl-C."""
        try:
            self._tell(f"{self.state.game}: type a move, or help.")
            self._show_board()
            while self._turn():
                pass
        except (EOFError, KeyboardInterrupt):
            self._tell("")
        finally:
            # Also when an opponent fails, such as an outside engine: the game is not lost.
            self._say_goodbye()

    def _turn(self) -> bool:
        """One move or command; False if a person wants to quit."""
        turn = self._table.turn()
        if turn is not None and self._seats[turn.player] is not None:
            self._play(turn.thinker.choose(turn.state, turn.budget))
            return True
        prompt = "game over" if turn is None else side(turn.state.game, turn.player)
        answer = self._ask(f"{prompt}> ").strip()
        if answer.lower() in ("quit", "exit", "q"):
            return False
        self._obey(answer)
        return True

    def _obey(self, answer: str) -> None:
        """Play the move or run the command that was typed, or say what is wrong with it."""
        if not answer:
            return
        state = self.state
        problem = "the game is over: type undo, new or quit"
        if state.outcome is None:
            try:
                self._play(Decision(legal_move(state, answer)))
                return
            except IllegalMove as error:
                problem = str(error)
        aliases = {"?": "help", "hint": "moves", "hints": "moves"}
        command = self._commands.get(aliases.get(answer, answer.lower()))
        if command is None:
            self._tell(f"{problem} (type help for help)")
        else:
            command[1]()

    def _play(self, decision: Decision) -> None:
        state = self.state
        who = side(state.game, state.to_move)
        self._table.play(decision)
        self._undone.clear()
        self._tell(f"\n{who} plays {state.label(decision.move)}")
        self._show_board()

    def _undo(self) -> None:
        """Take moves back to the last position in which a person could decide something."""
        taken, state = [], self.state
        while (before := state.previous) is not None:
            taken.append(state.history[-1])
            state = before
            if self._seats[state.to_move] is None:
                self._table.back(len(taken))
                self._undone += taken
                self._show_board()
                return
        self._tell("there is no move of yours to take back")

    def _redo(self) -> None:
        """Play moves again that were taken back, to the next such position."""
        state = self.state
        for count, move in enumerate(reversed(self._undone), 1):
            state = state.play(move)
            if state.outcome is not None or self._seats[state.to_move] is None:
                for _ in range(count):
                    self._table.turn()
                    self._table.play(Decision(self._undone.pop()))
                self._show_board()
                return
        self._tell("there is nothing to play again")

    def _begin_again(self) -> None:
        self._sit_down()
        self._show_board()

    def _sit_down(self) -> None:
        players = [Player(each or HumanAgent(), self._limits) for each in self._seats]
        self._table = Table(self._start, players, Rules("raise"), ply=len(self._start.history))
        self._undone: list[int] = []
        """Moves that were taken back, the next one last; a new move forgets them."""

    def _show_board(self) -> None:
        self._tell(board(self.state))

    def _list_moves(self) -> None:
        self._tell(list_moves(self.state))

    def _print_notation(self) -> None:
        self._tell(self.state.notation)

    def _print_help(self) -> None:
        state = self.state
        if state.outcome is None:
            self._tell(f"  {example_move(state):<9} a move, for example")
        for name, (meaning, _) in self._commands.items():
            self._tell(f"  {name:<9} {meaning}")
        self._tell(f"  {'quit':<9} leave the game")

    def _say_goodbye(self) -> None:
        """Tell how to go on with a game that is not finished."""
        state = self.state
        if self._resume and state.outcome is None and state != self._start:
            modules = [word for name in shared_modules() for word in ("--import", name)]
            command = shlex.join([*self._resume, *modules, "--position", state.notation])
            self._tell(f"to go on: {command}")


def _enable_line_editing() -> None:
    """Arrow keys and a history at the prompt, where Python has them."""
    with contextlib.suppress(ImportError):
        when_needed("readline")
