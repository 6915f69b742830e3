"""What all protocols share that drive an agent by lines of text.

One thread reads commands and only ever starts, stops and forgets searches; each search runs in a
thread of its own, so that a controller is answered while an agent thinks. A protocol adds its
commands and the way it writes moves, scores and complaints.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from spielbaum.agents import Agent, Budget, Decision, MoveEval, StopToken, agent
from spielbaum.agents.registry import agent_info
from spielbaum.agents.restricted import choose_among
from spielbaum.base.errors import MISTAKES, EngineError, IllegalMove, SpecError
from spielbaum.base.options import Option, OptionValue, did_you_mean, parse_spec, resolve
from spielbaum.games import State

PATIENCE = 5.0
"""Seconds to wait for an agent that was told to stop."""
WARM_UP = Budget(iterations=1, seconds=0.5, depth=4)

Command = Callable[[Sequence[str]], None]


class Connection:
    """Standard input and output as lines; the program at the other end may go away at any time."""

    def __init__(self) -> None:
        self._open = True

    def lines(self) -> Iterator[str]:
        """Yield lines until the input ends or nobody reads the output any more."""
        while self._open and sys.stdin is not None and (line := sys.stdin.readline()):
            yield line

    def send(self, line: str) -> None:
        """Write a line at once, or notice that nobody reads it."""
        try:
            print(line, flush=True)
        except BrokenPipeError:
            self._open = False


class Session(ABC):
    """A conversation with a controller such as a GUI; ``send`` gets every line of the answers.

    A subclass fills `commands` and says how it complains. What goes wrong in a command is one
    sentence to the controller, and the session goes on.
    """

    quits: tuple[str, ...] = ("quit",)
    """Words that end the session."""

    def __init__(self, spec: str, send: Callable[[str], None]) -> None:
        self.spec = str(playing_agent(spec))
        self._write = send
        self._writing = threading.Lock()
        self.search: Search | None = None
        # Made and reset when a search begins: a running search keeps the agent that it has.
        self._agent: Agent | None = None
        self._forget = False
        self._lines = 1
        self.commands: dict[str, Command] = {}

    def send(self, line: str) -> None:
        """Send one line; threads do not write into each other's lines."""
        with self._writing:
            self._write(line)

    @abstractmethod
    def complain(self, problem: str) -> None:
        """Tell the controller, in the words of the protocol, what is wrong."""

    def run(self, lines: Iterable[str]) -> None:
        """Obey lines until one ends the session or there are no more; stops a running search."""
        try:
            for line in lines:
                if not self.obey(line):
                    break
        finally:
            self.stop()
            if self.search is not None:
                self.search.join(PATIENCE)

    def obey(self, line: str) -> bool:
        """Obey one line; False if it ends the session."""
        words = line.split()
        if not words:
            return True
        if words[0] in self.quits:
            return False
        command = self.commands.get(words[0])
        if command is None:
            self.complain(self.unknown(words[0]))
            return True
        try:
            command(words[1:])
        except MISTAKES as error:
            self.complain(f"{words[0]}: {error}")
        return True

    def unknown(self, word: str) -> str:
        """The sentence about a command that does not exist."""
        hint = did_you_mean(word, [*self.commands, *self.quits])
        return f"there is no command {word!r:.60}{hint}"

    # The agent

    def set_agent(self, spec: str) -> None:
        """Let another agent think from the next search on."""
        self.spec = str(playing_agent(spec))
        self._agent = None

    def forget(self) -> None:
        """Let the agent begin a new game with its next search."""
        self._forget = True

    def make_agent(self, **options: OptionValue) -> Agent:
        """Make the agent of the spec with other ``options``; one that knows as much as is shown.

        Alpha-beta has exact values of the best move only, unless it is asked for all; an engine of
        others tells as many lines as it is asked for. Tree searches know all moves anyhow.
        """
        name, written = parse_spec(self.spec)
        known = {option.name for option in options_of(self.spec)}
        if self._lines > 1 and "analyse" in known:
            options["analyse"] = True
        elif self._lines > 1 and "lines" in known:
            options["lines"] = self._lines
        return agent(name, **{**written, **options})

    def renew(self) -> None:
        """Make the agent anew for the next search, since its options have changed."""
        self._agent = None

    def show_lines(self, lines: int) -> None:
        """Say how many of the best moves the next searches have to know."""
        if lines != self._lines:
            self._lines = lines
            self.renew()

    def ready_agent(self) -> Agent:
        """The agent, made or reset if need be."""
        if self._agent is None:
            self._agent = self.make_agent()
        elif self._forget:
            self._agent.reset()
        self._forget = False
        return self._agent

    def warm_up(self, state: State) -> None:
        """Let a new agent think once while no clock runs; while a search runs, do nothing.

        The first search touches the memory of the table, or loads and starts what the agent needs.
        """
        searching = self.search is not None and self.search.is_alive()
        if searching or not (self._agent is None or self._forget):
            return
        try:
            self.ready_agent().choose(state, WARM_UP)
        except Exception:
            return  # it happens in the search again, where it is told

    # The search

    def start(self, search: Search) -> None:
        """Start a search; one that still runs is stopped and answers before."""
        self.halt()
        self.search = search
        search.start()

    def stop(self) -> None:
        """Let a running search answer as soon as possible."""
        if self.search is not None:
            self.search.stop()

    def halt(self) -> None:
        """Stop a running search and wait for its answer; `EngineError` if it does not come."""
        self.stop()
        if self.search is not None:
            self.search.join(PATIENCE)
            if self.search.is_alive():
                raise EngineError(f"agent {self.spec} does not stop thinking")


class Search(threading.Thread):
    """One search in a thread of its own, which ends with exactly one call of ``answer``.

    ``tell`` gets every decision on the way, and ``answer`` the last one, or None if there is none;
    ``complain`` gets a sentence if the agent fails. ``moves`` are the only ones to choose from, if
    there are any. A ``held`` search keeps its answer until it is stopped or, if it ponders, until
    `ponderhit`, which also starts the clock of ``budget.seconds``. ``received`` is when the command
    came, by `time.perf_counter`.

    >>> import spielbaum as sb
    >>> state = sb.game("chess").state("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    >>> search = Search(
    ...     sb.agent("alphabeta:memory=1"), state, Budget(depth=2),
    ...     tell=lambda decision: None, complain=print,
    ...     answer=lambda decision: print(state.text(decision.move)),
    ... )
    >>> search.start(); search.join()
    a1a8
    """

    def __init__(
        self,
        player: Agent,
        state: State,
        budget: Budget,
        *,
        tell: Callable[[Decision], None],
        answer: Callable[[Decision | None], None],
        complain: Callable[[str], None],
        moves: Sequence[int] = (),
        held: bool = False,
        ponder: bool = False,
        received: float | None = None,
    ) -> None:
        super().__init__(name="search of a session", daemon=True)
        self._player = player
        self._state = state
        self._budget = budget
        self._tell, self._answer, self._complain = tell, answer, complain
        self._moves = moves
        self._ponder = ponder
        self._received = time.perf_counter() if received is None else received
        self._token = StopToken()
        self._timer: threading.Timer | None = None
        self._may_answer = threading.Event()
        self._latest: Decision | None = None
        if not (held or ponder):
            self._may_answer.set()

    def stop(self) -> None:
        """Answer as soon as possible."""
        self._token.stop()
        self._may_answer.set()

    def ponderhit(self) -> None:
        """The expected move was played: from now on the clock runs."""
        if not self._ponder or self._may_answer.is_set():
            return
        if self._budget.seconds is not None:
            self._timer = threading.Timer(self._budget.seconds, self._token.stop)
            self._timer.daemon = True
            self._timer.start()
        self._may_answer.set()

    def run(self) -> None:
        """Think, wait until the answer may be given, and give it."""
        try:
            if self._state.outcome is None:
                self._hear(self._think())
        except MISTAKES as error:
            self._complain(str(error))
        except Exception as error:
            # A bug of an agent: the controller gets its answer, and whoever looks the traceback.
            traceback.print_exc()
            self._complain(f"the agent failed: {type(error).__name__}: {error}")
        self._may_answer.wait()
        if self._timer is not None:
            self._timer.cancel()
        self._answer(self._latest)

    def _think(self) -> Decision:
        seconds = self._budget.seconds
        if self._ponder:
            seconds = None
        elif seconds is not None:
            seconds = max(seconds - (time.perf_counter() - self._received), 1e-3)
        budget = replace(self._budget, seconds=seconds, stop=self._token, report=self._hear)
        if self._moves:
            return choose_among(self._player, self._state, self._moves, budget)
        return self._player.choose(self._state, budget)

    def _hear(self, decision: Decision) -> None:
        if decision.move not in self._state.legal_moves:
            raise IllegalMove(f"agent {self._player} chose {decision.move}, which is not legal")
        self._latest = decision
        self._tell(decision)


def playing_agent(spec: str) -> Agent:
    """The agent of a spec, if it can play without the terminal.

    >>> str(playing_agent("random:seed=7"))
    'random:seed=7'
    """
    made = agent(spec)
    if parse_spec(made.spec)[0] == "human":
        raise SpecError(
            "agent human asks in the terminal, where the protocol is spoken; choose another agent"
        )
    return made


def options_of(spec: str) -> tuple[Option, ...]:
    """The options of an agent, with the values of the spec as defaults.

    >>> [option.default for option in options_of("random:seed=7")]
    [7]
    """
    name, written = parse_spec(spec)
    options = agent_info(name).options
    values = resolve("agent", name, options, written)
    return tuple(replace(option, default=values[option.name]) for option in options)


def usual_agent(spec: str) -> str:
    """The agent that plays a game if nobody chooses one: alpha-beta where it evaluates well.

    >>> usual_agent("chess"), usual_agent("hex:size=9")
    ('alphabeta', 'mcts')
    """
    return "alphabeta" if parse_spec(spec)[0] in ("chess", "reversi") else "mcts"


def best_first(decision: Decision) -> list[MoveEval]:
    """What a decision knows about moves: the chosen one first, then by visits and value.

    Moves about which nothing is known are left out; the chosen one is always there.

    >>> best_first(Decision(3, 0.5, (MoveEval(2, 0.1, 7), MoveEval(3, 0.5, 9), MoveEval(4))))
    [MoveEval(move=3, value=0.5, visits=9, prior=None, proven=None, pv=(), policy=None), \
MoveEval(move=2, value=0.1, visits=7, prior=None, proven=None, pv=(), policy=None)]
    """
    counted = any(each.visits for each in decision.moves)
    known = [each for each in decision.moves if each.visits or not counted]
    known.sort(key=lambda each: (each.move == decision.move, each.visits, each.value), reverse=True)
    if not known or known[0].move != decision.move:
        known.insert(0, MoveEval(decision.move, decision.value, pv=decision.pv))
    return known


def one_line(problem: str) -> str:
    r"""A complaint without line breaks, as protocols of lines need it.

    >>> one_line("there is\n no such thing")
    'there is no such thing'
    """
    return " ".join(problem.split())
