"""The engine side of UCI and UGI: a GUI sends lines, an agent of ours thinks and answers.

UGI is UCI for any game of two players, with other names for the clocks and with questions about
the rules, which a referee asks that does not know them (kz04px's cutegames).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from spielbaum.agents import Agent, Budget, Decision
from spielbaum.base.errors import MISTAKES, IllegalMove, NotationError, SpecError
from spielbaum.base.memory import memory_option
from spielbaum.base.options import Option, OptionValue, parse_spec
from spielbaum.base.rng import Rng
from spielbaum.base.version import VERSION
from spielbaum.engines.uci import move_text
from spielbaum.engines.words import find_move
from spielbaum.games import State, game
from spielbaum.play import clock
from spielbaum.protocols.session import Search, Session, one_line, options_of
from spielbaum.protocols.uci.strength import (
    ELO,
    SKILL,
    can_be_weakened,
    skill_elo,
    weakened,
)
from spielbaum.protocols.uci.words import (
    CHESS_CLOCKS,
    GAME_CLOCKS,
    Clocks,
    Limits,
    Shown,
    info_lines,
    line_text,
)

AUTHOR = "the Spielbaum developers"
OVERHEAD = Option("move_overhead", round(clock.OVERHEAD * 1000), low=0, high=5000)
LINES = Option("lines", 1, low=1, high=256)

# The options that are handed on to the agent: UCI's name, ours, and what is shown if the agent has
# no such option.
HANDED_ON = {
    "Hash": memory_option(64),
    "Threads": Option("threads", 1, low=1, high=1024),
}


@dataclass(frozen=True)
class Dialect:
    """The words in which UCI and UGI differ."""

    name: str
    clocks: Clocks

    @property
    def ok(self) -> str:
        """What ends the handshake."""
        return f"{self.name}ok"

    @property
    def new_game(self) -> str:
        """What begins a game."""
        return f"{self.name}newgame"


UCI = Dialect("uci", CHESS_CLOCKS)
UGI = Dialect("ugi", GAME_CLOCKS)


class Engine(Session):
    """A UCI engine around an agent; ``send`` gets every line of its output.

    >>> lines = []
    >>> engine = Engine("alphabeta", lines.append)
    >>> engine.run(["position startpos moves e2e4", "isready", "rubbish", "quit"])
    >>> lines
    ['readyok', "info string there is no command 'rubbish'"]
    >>> engine = Engine("alphabeta", print, "connect4", UGI)
    >>> engine.run(["position startpos moves d1 d2", "query p1turn", "query result", "quit"])
    response true
    response none
    """

    def __init__(
        self, spec: str, send: Callable[[str], None], rules: str = "chess", dialect: Dialect = UCI
    ) -> None:
        super().__init__(spec, send)
        self._game = game(rules)
        if self._game.num_players != 2:
            raise SpecError(f"{dialect.name.upper()} is for two players, not for {self._game}")
        self._dialect = dialect
        self._is_chess = self._game.name == "chess"
        self._handed_on: dict[str, int] = {}
        self._overhead = int(OVERHEAD.default)
        self._shown = Shown()
        self._limited = False
        self._elo = int(ELO.default)
        self._skill = int(SKILL.default)
        self._rng = Rng(secrets.randbits(63))
        self._state = self._game.initial()
        self.commands = {
            dialect.name: self._hello,
            "isready": self._isready,
            dialect.new_game: lambda words: self.forget(),
            "position": self._position,
            "go": self._go,
            "stop": lambda words: self.stop(),
            "ponderhit": self._ponderhit,
            "setoption": self._setoption,
            "d": self._draw,
            "debug": lambda words: None,
            "register": lambda words: None,
        }
        if dialect is UGI:
            self.commands["query"] = self._query

    def complain(self, problem: str) -> None:
        """Say it as an ``info string``."""
        self.send(f"info string {one_line(problem)}")

    def _hello(self, words: Sequence[str]) -> None:
        self.send(f"id name Spielbaum {VERSION}")
        self.send(f"id author {AUTHOR}")
        for name in HANDED_ON:
            shown = self._agent_option(HANDED_ON[name].name) or HANDED_ON[name]
            self.send(f"option name {name} type spin {_spin(shown, HANDED_ON[name])}")
        self.send("option name Clear Hash type button")
        self.send("option name Ponder type check default false")
        self.send(f"option name MultiPV type spin {_spin(LINES, LINES)}")
        self.send("option name UCI_ShowWDL type check default false")
        if self._is_chess:
            self.send("option name UCI_Chess960 type check default false")
            self.send("option name UCI_LimitStrength type check default false")
            self.send(f"option name UCI_Elo type spin {_spin(ELO, ELO)}")
            self.send(f"option name Skill Level type spin {_spin(SKILL, SKILL)}")
        self.send(f"option name Move Overhead type spin {_spin(OVERHEAD, OVERHEAD)}")
        self.send(f"option name Agent type string default {self.spec}")
        self.send(self._dialect.ok)

    def _isready(self, words: Sequence[str]) -> None:
        self.warm_up(self._game.initial())
        self.send("readyok")

    def _position(self, words: Sequence[str]) -> None:
        """Set the position; if a move or the FEN is wrong, the one before stays."""
        at = words.index("moves") if "moves" in words else len(words)
        kind, notation = words[:1], " ".join(words[1:at])
        if kind == ["startpos"] and not notation:
            state = self._game.initial()
        elif kind == ["fen"]:
            state = self._game.state(notation)
        else:
            raise NotationError(f"expected startpos or fen, not {' '.join(words[:at])!r:.60}")
        for word in words[at + 1 :]:
            state = reopened(state)
            state = state.play(find_move(state, word))
        self._state = state

    def _go(self, words: Sequence[str]) -> None:
        received = time.perf_counter()
        limits, problems = Limits.read(words)
        for problem in problems:
            self.complain(problem)
        try:
            self._start(limits, received)
        except MISTAKES:
            self.send("bestmove 0000")  # whatever happens, a GUI waits for an answer
            raise

    def _start(self, limits: Limits, received: float) -> None:
        self.halt()
        state, shown = reopened(self._state), self._shown
        nodes = limits.numbers.get("nodes")
        budget = Budget(
            seconds=limits.seconds(state.to_move, self._overhead / 1000, self._dialect.clocks),
            depth=limits.depth,
            nodes=nodes,
            iterations=nodes,
        )
        elo = self._strength()
        search = Search(
            self.ready_agent(),
            state,
            budget if elo is None else weakened(budget, elo, self._rng),
            moves=self._known_moves(state, limits.searchmoves),
            held=limits.infinite,
            ponder=limits.ponder and not limits.infinite,
            received=received,
            tell=lambda decision: self._tell(decision, state, shown),
            answer=lambda decision: self._answer(decision, state, shown),
            complain=self.complain,
        )
        self.start(search)

    def _strength(self) -> int | None:
        """The Elo that the agent is to play with, if it is limited and can be."""
        elo = self._elo if self._limited else skill_elo(self._skill)
        if elo is None or can_be_weakened(self.spec):
            return elo
        self.complain(
            f"the strength of agent {self.spec} is not limited: only alphabeta's is known"
        )
        return None

    def _tell(self, decision: Decision, state: State, shown: Shown) -> None:
        for line in info_lines(decision, state, shown):
            self.send(line)

    def _answer(self, decision: Decision | None, state: State, shown: Shown) -> None:
        outcome = state.outcome
        if outcome is not None:
            self.complain(f"the game is over: {outcome.reason}")
            self.send("bestmove (none)")
        elif decision is None:
            self.send("bestmove 0000")
        else:
            best = move_text(state, decision.move, shown.chess960)
            line = line_text(state, decision.pv, shown.chess960).split()
            ponder = f" ponder {line[1]}" if line[:1] == [best] and line[1:] else ""
            self.send(f"bestmove {best}{ponder}")

    def _known_moves(self, state: State, words: Sequence[str]) -> list[int]:
        """The moves of ``go searchmoves``, without those that are not legal."""
        moves = []
        for word in words:
            try:
                moves.append(find_move(state, word))
            except IllegalMove as error:
                self.complain(f"go searchmoves: {error}")
        return list(dict.fromkeys(moves))

    def _ponderhit(self, words: Sequence[str]) -> None:
        if self.search is not None:
            self.search.ponderhit()

    def _query(self, words: Sequence[str]) -> None:
        """Answer a question of UGI about the position."""
        outcome = self._state.outcome
        match list(words):
            case ["gameover"]:
                answer = _truth(outcome is not None)
            case ["p1turn"]:
                answer = _truth(self._state.to_move == 0)
            case ["result"]:
                winner = None if outcome is None else outcome.winner
                answer = "none" if outcome is None else "draw"
                answer = answer if winner is None else f"p{winner + 1}win"
            case _:
                raise SpecError(f"expected gameover, p1turn or result, not {' '.join(words)!r:.60}")
        self.send(f"response {answer}")

    def make_agent(self, **options: OptionValue) -> Agent:
        """Make the agent with the options that GUIs set."""
        for option in options_of(self.spec):
            if option.name not in self._handed_on:
                continue
            try:  # it was set for another agent, perhaps, which had other limits
                options[option.name] = option.check(self._handed_on[option.name])
            except SpecError as error:
                self.complain(f"agent {parse_spec(self.spec)[0]}: {error}")
        return super().make_agent(**options)

    def _setoption(self, words: Sequence[str]) -> None:
        at = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:at]), " ".join(words[at + 1 :])
        if words[:1] != ["name"] or not name:
            raise SpecError(f"expected name ... value ..., not {' '.join(words)!r:.60}")
        match name.lower():
            case "hash" | "threads":
                self._hand_on(name.capitalize(), value)
            case "agent":
                self.set_agent(value)
            case "multipv":
                self._shown = replace(self._shown, lines=int(LINES.parse(value)))
                self.show_lines(self._shown.lines)
            case "uci_showwdl":
                self._shown = replace(self._shown, wdl=_check(name, value))
            case "uci_chess960" if self._is_chess:
                self._shown = replace(self._shown, chess960=_check(name, value))
            case "uci_limitstrength" if self._is_chess:
                self._limited = _check(name, value)
            case "uci_elo" if self._is_chess:
                self._elo = int(ELO.parse(value))
            case "skill level" if self._is_chess:
                self._skill = int(SKILL.parse(value))
            case "ponder":
                _check(name, value)  # GUIs say that they may ponder; `go ponder` is enough for us
            case "move overhead":
                self._overhead = int(OVERHEAD.parse(value))
            case "clear hash":
                self.forget()
            case _:
                raise SpecError(f"there is no option {name!r:.60}")

    def _agent_option(self, name: str) -> Option | None:
        """An option that the agent has."""
        return next((each for each in options_of(self.spec) if each.name == name), None)

    def _hand_on(self, name: str, value: str) -> None:
        option = self._agent_option(HANDED_ON[name].name)
        if option is None:
            raise SpecError(f"agent {self.spec} has no option for {name}; it is ignored")
        self._handed_on[option.name] = int(option.parse(value))
        self.renew()

    def _draw(self, words: Sequence[str]) -> None:
        for line in str(self._state).splitlines():
            self.send(line)
        self.send(f"Fen: {self._state.notation}")


def reopened(state: State) -> State:
    """The state without the path and the clock that made it a draw, so that play can go on.

    A third repetition or fifty quiet moves end a game of chess only if somebody claims the draw; a
    GUI may ask for another move.

    >>> import spielbaum as sb
    >>> reopened(sb.game("chess").state("4k3/8/8/8/8/8/8/R3K3 b - - 100 80")).notation
    '4k3/8/8/8/8/8/8/R3K3 b - - 0 80'
    """
    outcome = state.outcome
    if state.game.name != "chess" or outcome is None or outcome.winner is not None:
        return state
    fields = state.notation.split()
    fields[4] = "0"
    return state.game.state(" ".join(fields))


def _spin(option: Option, usual: Option) -> str:
    """Default and limits of a number, which GUIs want even if the option has none."""
    low = usual.low if option.low is None else option.low
    high = usual.high if option.high is None else option.high
    # Limits that the core declares may be floats, which GUIs do not read.
    return f"default {option.default} min {int(low or 0)} max {int(high or 0)}"


def _check(name: str, value: str) -> bool:
    """The value of a check option."""
    if value.lower() not in ("true", "false"):
        raise SpecError(f"option {name} value {value!r:.60}: expected true or false")
    return value.lower() == "true"


def _truth(answer: bool) -> str:
    return "true" if answer else "false"
