"""The engine side of UCI: a chess GUI sends lines, an agent of ours thinks and answers.

The loop that reads lines only ever starts, stops and forgets searches; each search runs in a
thread of its own. A line that cannot be understood is answered by an ``info string``.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from spielbaum.agents import Agent, Budget, agent, agents
from spielbaum.base.errors import MISTAKES, EngineError, IllegalMove, NotationError, SpecError
from spielbaum.base.memory import memory_option
from spielbaum.base.options import Option, OptionValue, did_you_mean, parse_spec, resolve
from spielbaum.base.version import VERSION
from spielbaum.games import State, game
from spielbaum.protocols.uci.search import Search, complaint
from spielbaum.protocols.uci.words import Limits

AUTHOR = "the Spielbaum developers"
DEFAULT_AGENT = "alphabeta"
OVERHEAD = Option("move_overhead", 10, low=0, high=5000)
PATIENCE = 5.0
"""Seconds to wait at the end for an agent that does not stop."""

WARM_UP = Budget(iterations=1, seconds=0.5, depth=4)

# The options that are handed on to the agent: UCI's name, ours, and what is shown if the agent has
# no such option.
HANDED_ON = {
    "Hash": memory_option(64),
    "Threads": Option("threads", 1, low=1, high=1024),
}


class Engine:
    """A UCI engine around an agent; ``send`` gets every line of its output.

    >>> lines = []
    >>> engine = Engine("alphabeta", lines.append)
    >>> engine.run(["position startpos moves e2e4", "isready", "rubbish", "quit"])
    >>> lines
    ['readyok', "info string there is no command 'rubbish'"]
    """

    def __init__(self, spec: str, send: Callable[[str], None]) -> None:
        self._spec = str(playing_agent(spec))
        self._send = one_at_a_time(send)
        self._handed_on: dict[str, int] = {}
        self._overhead = int(OVERHEAD.default)
        self._chess960 = False
        self._state = game("chess").initial()
        self._search: Search | None = None
        # Made and reset when a search begins: a running search keeps the agent that it has.
        self._agent: Agent | None = None
        self._forget = False
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "ucinewgame": lambda words: self._clear(),
            "position": self._position,
            "go": self._go,
            "stop": lambda words: self._stop(),
            "ponderhit": self._ponderhit,
            "setoption": self._setoption,
            "d": self._draw,
            "debug": lambda words: None,
            "register": lambda words: None,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Obey lines until ``quit`` or until they end; a search that still runs is stopped."""
        try:
            for line in lines:
                if not self.obey(line):
                    break
        finally:
            self._stop()
            if self._search is not None:
                self._search.join(PATIENCE)

    def obey(self, line: str) -> bool:
        """Obey one line; False if it is ``quit``."""
        words = line.split()
        if not words:
            return True
        if words[0] == "quit":
            return False
        command = self._commands.get(words[0])
        if command is None:
            hint = did_you_mean(words[0], [*self._commands, "quit"])
            self._complain(f"there is no command {words[0]!r:.60}{hint}")
            return True
        try:
            command(words[1:])
        except MISTAKES as error:
            self._complain(f"{words[0]}: {error}")
        return True

    def _complain(self, problem: str) -> None:
        self._send(complaint(problem))

    def _uci(self, words: Sequence[str]) -> None:
        self._send(f"id name Spielbaum {VERSION}")
        self._send(f"id author {AUTHOR}")
        for name in HANDED_ON:
            shown = self._agent_option(name) or HANDED_ON[name]
            limits = _spin(shown, HANDED_ON[name])
            self._send(f"option name {name} type spin {limits}")
        self._send("option name Clear Hash type button")
        self._send("option name Ponder type check default false")
        self._send("option name UCI_Chess960 type check default false")
        self._send(f"option name Move Overhead type spin {_spin(OVERHEAD, OVERHEAD)}")
        self._send(f"option name Agent type string default {self._spec}")
        self._send("uciok")

    def _isready(self, words: Sequence[str]) -> None:
        searching = self._search is not None and self._search.is_alive()
        if not searching and (self._agent is None or self._forget):
            # The first search touches the memory of the table, or loads and starts what the agent
            # needs: it is made now, when no clock runs. What goes wrong here does so in `go` again.
            with contextlib.suppress(Exception):
                self._ready_agent().choose(game("chess").initial(), WARM_UP)
        self._send("readyok")

    def _position(self, words: Sequence[str]) -> None:
        """Set the position; if a move or the FEN is wrong, the one before stays."""
        at = words.index("moves") if "moves" in words else len(words)
        kind, fen = words[:1], " ".join(words[1:at])
        if kind == ["startpos"] and not fen:
            state = game("chess").initial()
        elif kind == ["fen"]:
            state = game("chess").state(fen)
        else:
            raise NotationError(f"expected startpos or fen, not {' '.join(words[:at])!r:.60}")
        for word in words[at + 1 :]:
            state = reopened(state)
            state = state.play(word)
        self._state = state

    def _go(self, words: Sequence[str]) -> None:
        received = time.perf_counter()
        limits, problems = Limits.read(words)
        for problem in problems:
            self._complain(problem)
        try:
            self._start(limits, received)
        except MISTAKES:
            self._send("bestmove 0000")  # whatever happens, a GUI waits for an answer
            raise

    def _start(self, limits: Limits, received: float) -> None:
        self._stop()
        if self._search is not None:
            self._search.join(PATIENCE)
            if self._search.is_alive():
                raise EngineError(f"agent {self._spec} does not stop thinking")
        state = reopened(self._state)
        self._search = Search(
            self._ready_agent(),
            state,
            limits,
            self._known_moves(state, limits.searchmoves),
            seconds=limits.seconds(state.to_move == 0, self._overhead / 1000),
            received=received,
            chess960=self._chess960,
            send=self._send,
        )
        self._search.start()

    def _known_moves(self, state: State, words: Sequence[str]) -> list[int]:
        """The moves of ``go searchmoves``, without those that are not legal."""
        moves = []
        for word in words:
            try:
                moves.append(state.parse(word))
            except IllegalMove as error:
                self._complain(f"go searchmoves: {error}")
        return list(dict.fromkeys(moves))

    def _stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    def _ponderhit(self, words: Sequence[str]) -> None:
        if self._search is not None:
            self._search.ponderhit()

    def _clear(self) -> None:
        self._forget = True

    def _ready_agent(self) -> Agent:
        if self._agent is None:
            name, written = parse_spec(self._spec)
            options: dict[str, OptionValue] = {**written}
            for option in _options_of(self._spec):
                if option.name not in self._handed_on:
                    continue
                try:  # it was set for another agent, perhaps, which had other limits
                    options[option.name] = option.check(self._handed_on[option.name])
                except SpecError as error:
                    self._complain(f"agent {name}: {error}")
            self._agent = agent(name, **options)
        elif self._forget:
            self._agent.reset()
        self._forget = False
        return self._agent

    def _setoption(self, words: Sequence[str]) -> None:
        at = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:at]), " ".join(words[at + 1 :])
        if words[:1] != ["name"] or not name:
            raise SpecError(f"expected name ... value ..., not {' '.join(words)!r:.60}")
        match name.lower():
            case "hash" | "threads":
                self._hand_on(name.capitalize(), value)
            case "agent":
                self._spec = str(playing_agent(value))
                self._agent = None
            case "uci_chess960":
                self._chess960 = _check(name, value)
            case "ponder":
                _check(name, value)  # GUIs say that they may ponder; `go ponder` is enough for us
            case "move overhead":
                self._overhead = int(OVERHEAD.parse(value))
            case "clear hash":
                self._clear()
            case _:
                raise SpecError(f"there is no option {name!r:.60}")

    def _agent_option(self, name: str) -> Option | None:
        """The option of the agent that belongs to one of UCI."""
        ours = HANDED_ON[name].name
        return next((each for each in _options_of(self._spec) if each.name == ours), None)

    def _hand_on(self, name: str, value: str) -> None:
        option = self._agent_option(name)
        if option is None:
            raise SpecError(f"agent {self._spec} has no option for {name}; it is ignored")
        self._handed_on[option.name] = int(option.parse(value))
        self._agent = None

    def _draw(self, words: Sequence[str]) -> None:
        for line in str(self._state).splitlines():
            self._send(line)
        self._send(f"Fen: {self._state.notation}")


def one_at_a_time(send: Callable[[str], None]) -> Callable[[str], None]:
    """The same function, for two threads that must not write into each other's lines.

    >>> one_at_a_time(print)("readyok")
    readyok
    """
    lock = threading.Lock()

    def locked(line: str) -> None:
        with lock:
            send(line)

    return locked


def playing_agent(spec: str) -> Agent:
    """The agent of a spec, if it can play without the terminal.

    >>> str(playing_agent("random:seed=7"))
    'random:seed=7'
    """
    made = agent(spec)
    if parse_spec(made.spec)[0] == "human":
        raise SpecError("agent human asks in the terminal, where UCI speaks; choose another agent")
    return made


def reopened(state: State) -> State:
    """The state without the path and the clock that made it a draw, so that play can go on.

    A third repetition or fifty quiet moves end a game only if somebody claims the draw; a GUI may
    ask for another move.

    >>> import spielbaum as sb
    >>> reopened(sb.game("chess").state("4k3/8/8/8/8/8/8/R3K3 b - - 100 80")).notation
    '4k3/8/8/8/8/8/8/R3K3 b - - 0 80'
    """
    outcome = state.outcome
    if outcome is None or outcome.winner is not None:
        return state
    fields = state.notation.split()
    fields[4] = "0"
    return state.game.state(" ".join(fields))


def _options_of(spec: str) -> tuple[Option, ...]:
    """The options of an agent, with the values of the spec as defaults."""
    name, written = parse_spec(spec)
    options = next(each.options for each in agents() if each.name == name)
    values = resolve("agent", name, options, written)
    return tuple(replace(option, default=values[option.name]) for option in options)


def _spin(option: Option, usual: Option) -> str:
    """Default and limits of a number, which GUIs want even if the option has none."""
    low = usual.low if option.low is None else option.low
    high = usual.high if option.high is None else option.high
    return f"default {option.default} min {low} max {high}"


def _check(name: str, value: str) -> bool:
    """The value of a check option."""
    if value.lower() not in ("true", "false"):
        raise SpecError(f"option {name} value {value!r:.60}: expected true or false")
    return value.lower() == "true"
