"""What all agents share that are programs of others: starting, stopping, and what goes wrong."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from spielbaum.agents.agent import Agent, choices
from spielbaum.base.budget import Budget, StopToken, or_default
from spielbaum.base.errors import EngineError, SpecError
from spielbaum.base.options import Option
from spielbaum.base.turn import Turn
from spielbaum.engines.process import EngineProcess, command_of

if TYPE_CHECKING:
    from spielbaum.agents.decision import Decision
    from spielbaum.games import State

PROGRAM = (
    Option("path", "", "the program of the engine; it must be given"),
    Option("args", "", "arguments of the program, as in a shell"),
    Option("startup", 10.0, "seconds that it may take to start", low=0.1),
)

Process = TypeVar("Process", bound=EngineProcess)


class OutsideAgent(Agent, Generic[Process]):
    """A program of others that chooses moves by some protocol.

    The program is started by the first `choose` and ended by `reset` and `close`, or when the agent
    is forgotten. Whatever goes wrong with it is an `EngineError`; the next `choose` starts it anew.
    Without a budget it thinks for one second.
    """

    kind = ""
    """The name of the protocol, and of the agent."""

    def __init__(self, path: str, args: str, startup: float) -> None:
        self.command = command_of(self.kind, path, args)
        self.startup = startup
        self._engine: Process | None = None
        self._turn = Turn()
        self._stop = StopToken()

    @abstractmethod
    def check(self, state: State) -> None:
        """Raise `SpecError` if the engine cannot play such a position."""

    @abstractmethod
    def start(self) -> Process:
        """Start the engine and set its options."""

    @abstractmethod
    def ask(
        self, engine: Process, state: State, limits: Budget, stopped: Callable[[], bool]
    ) -> Decision:
        """Let the engine choose a move, until ``stopped`` says that it must decide."""

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Ask the engine; it must answer soon after the budget ends."""
        choices(state)
        self.check(state)
        limits = or_default(budget, "depth", "nodes")
        with self._turn:
            token = self._stop = StopToken()
            if self._engine is None or not self._engine.alive:
                self._engine = self.start()
            engine, other = self._engine, limits.stop
            with engine.closed_on_error():
                return self.ask(
                    engine,
                    state,
                    limits,
                    lambda: token.stopped or (other is not None and other.stopped),
                )

    def illegal(self, answer: str, state: State) -> EngineError:
        """The error about an answer that is not a legal move."""
        return EngineError(
            f"engine {self.command[0]} answered {answer!r:.60} in {state.notation:.100}, which is "
            "not a legal move"
        )

    def stop(self) -> None:
        """End a running `choose`: the engine is told to stop, and its answer is taken."""
        self._stop.stop()

    def reset(self, seed: int | None = None) -> None:
        """End the engine; the next game begins with a fresh one, which has no seed to be set."""
        self.close()

    def close(self) -> None:
        """End the engine; `choose` would start it again."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def listed(kind: str, text: str) -> list[tuple[str, str]]:
    """Names and values of an option such as ``Contempt:20;Style:solid``.

    >>> listed("uci", "Contempt:20;UCI_Variant:flipello")
    [('Contempt', '20'), ('UCI_Variant', 'flipello')]
    """
    pairs = []
    for part in filter(None, map(str.strip, text.split(";"))):
        name, colon, value = part.partition(":")
        if not colon or not name.strip():
            raise SpecError(f"agent {kind}: option options={part!r:.60}: expected NAME:VALUE;...")
        pairs.append((name.strip(), value.strip()))
    return pairs
