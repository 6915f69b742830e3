"""One search of a UCI engine, in a thread of its own."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Sequence

from spielbaum.agents import Agent, Budget, Decision, StopToken
from spielbaum.agents.restricted import choose_among
from spielbaum.base.errors import MISTAKES, IllegalMove
from spielbaum.engines.uci import move_text
from spielbaum.games import State
from spielbaum.protocols.uci.words import Limits, info_line, line_text


class Search(threading.Thread):
    """One ``go``: thinks in its own thread, tells what it finds, and ends with one ``bestmove``.

    After ``go infinite`` and ``go ponder`` the answer is held back until the GUI asks for it.
    ``received`` is when the ``go`` came, by `time.perf_counter`; ``moves`` are the only ones to
    choose from, if there are any.

    >>> import spielbaum as sb
    >>> state = sb.game("chess").state("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    >>> search = Search(
    ...     sb.agent("alphabeta:memory=1"), state, Limits({"depth": 2}), (),
    ...     seconds=None, received=time.perf_counter(), chess960=False,
    ...     send=lambda line: print(line) if line.startswith("bestmove") else None,
    ... )
    >>> search.start(); search.join()
    bestmove a1a8
    """

    def __init__(
        self,
        player: Agent,
        state: State,
        limits: Limits,
        moves: Sequence[int],
        *,
        seconds: float | None,
        received: float,
        chess960: bool,
        send: Callable[[str], None],
    ) -> None:
        super().__init__(name="uci search", daemon=True)
        self._player = player
        self._state = state
        self._limits = limits
        self._moves = moves
        self._seconds = seconds
        self._received = received
        self._chess960 = chess960
        self._send = send
        self._token = StopToken()
        self._timer: threading.Timer | None = None
        self._may_answer = threading.Event()
        self._latest: Decision | None = None
        if not limits.infinite and not limits.ponder:
            self._may_answer.set()

    def stop(self) -> None:
        """Answer as soon as possible."""
        self._token.stop()
        self._may_answer.set()

    def ponderhit(self) -> None:
        """The expected move was played: from now on the clock runs."""
        if self._limits.infinite or self._may_answer.is_set():
            return
        if self._seconds is not None:
            self._timer = threading.Timer(self._seconds, self._token.stop)
            self._timer.daemon = True
            self._timer.start()
        self._may_answer.set()

    def run(self) -> None:
        """Think, wait until the answer may be given, and give it."""
        try:
            if self._state.outcome is None:
                self._tell(self._think())
        except MISTAKES as error:
            self._send(complaint(str(error)))
        except Exception as error:
            # A bug of an agent: the GUI gets its answer, and whoever looks for it the traceback.
            traceback.print_exc()
            self._send(complaint(f"the agent failed: {type(error).__name__}: {error}"))
        self._may_answer.wait()
        if self._timer is not None:
            self._timer.cancel()
        self._send(self._answer())

    def _think(self) -> Decision:
        numbers = self._limits.numbers
        seconds = self._seconds
        if self._limits.ponder:
            seconds = None
        elif seconds is not None:
            seconds = max(seconds - (time.perf_counter() - self._received), 1e-3)
        budget = Budget(
            seconds=seconds,
            depth=self._limits.depth,
            nodes=numbers.get("nodes"),
            stop=self._token,
            report=self._tell,
        )
        if self._moves:
            return choose_among(self._player, self._state, self._moves, budget)
        return self._player.choose(self._state, budget)

    def _tell(self, decision: Decision) -> None:
        if decision.move not in self._state.legal_moves:
            raise IllegalMove(f"agent {self._player} chose {decision.move}, which is not legal")
        self._latest = decision
        line = info_line(decision, self._state, self._chess960)
        if line is not None:
            self._send(line)

    def _answer(self) -> str:
        outcome = self._state.outcome
        if outcome is not None:
            self._send(complaint(f"the game is over: {outcome.reason}"))
            return "bestmove (none)"
        if self._latest is None:
            return "bestmove 0000"
        best = move_text(self._state, self._latest.move, self._chess960)
        line = line_text(self._state, self._latest.pv, self._chess960).split()
        ponder = f" ponder {line[1]}" if line[:1] == [best] and line[1:] else ""
        return f"bestmove {best}{ponder}"


def complaint(problem: str) -> str:
    """A line that tells the GUI, and whoever reads its log, what is wrong.

    >>> complaint("there is no such thing")
    'info string there is no such thing'
    """
    return f"info string {' '.join(problem.split())}"
