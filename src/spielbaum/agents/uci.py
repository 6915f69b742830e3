"""The agent ``uci``: an outside chess engine, such as Stockfish, as an agent of ours."""

from __future__ import annotations

import math
import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from spielbaum.agents.agent import Agent, choices
from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.registry import register_agent
from spielbaum.base.budget import Budget, StopToken, or_default
from spielbaum.base.errors import EngineError, IllegalMove, SpecError
from spielbaum.base.options import Option
from spielbaum.base.scores import plies_to_end, proven_value, score_value
from spielbaum.base.turn import Turn
from spielbaum.engines.process import EngineProcess
from spielbaum.engines.uci import Info, is_chess960, position_text, read_line

if TYPE_CHECKING:
    from spielbaum.games import State

OPTIONS = (
    Option("path", "", "the program of the engine; it must be given"),
    Option("args", "", "arguments of the program, as in a shell"),
    Option("skill", -1, "the engine's Skill Level; -1: as the engine likes", low=-1),
    Option("elo", 0, "limits the engine to a strength (UCI_Elo); 0: no limit", low=0),
    Option("threads", 0, "threads of the engine; 0: as the engine likes", low=0),
    Option("memory", 0, "megabytes of its table (Hash); 0: as the engine likes", low=0),
    Option("lines", 1, "best moves that it tells about (MultiPV)", low=1, high=256),
)

LINE_TEMPERATURE = 0.05
"""How much worse a line must be, in value, to be chosen e times less often by the policy."""


class UciAgent(Agent):
    """An engine that speaks UCI; it plays chess only, positions of Chess960 included.

    The engine is started by the first `choose` and ended by `reset` and `close`, or when the agent
    is forgotten. It sees the whole path, so that it knows of repetitions. Whatever goes wrong with
    it is an `EngineError`; the next `choose` starts it anew. Without a budget it thinks for one
    second. ``Decision.stats`` has depth, nodes, seconds, score, and the engine's name. With several
    ``lines`` there are ``Decision.moves``, too: a move that is in none of the lines is worth as
    much as the last of them, which is more than the engine thinks, and has a policy of 0.

    >>> import spielbaum as sb
    >>> sb.agent("uci")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: agent uci needs path=..., the program of a chess engine
    """

    def __init__(
        self,
        path: str,
        args: str = "",
        skill: int = -1,
        elo: int = 0,
        threads: int = 0,
        memory: int = 0,
        lines: int = 1,
    ) -> None:
        if not path:
            raise SpecError("agent uci needs path=..., the program of a chess engine")
        program = shutil.which(path)
        if program is None:
            raise SpecError(f"agent uci: option path={path}: expected a program that can be run")
        try:
            self._command = [program, *shlex.split(args)]
        except ValueError as error:
            raise SpecError(f"agent uci: option args={args}: {error}") from None
        self._numbers = [
            ("Skill Level", skill, "skill", skill >= 0),
            ("UCI_Elo", elo, "elo", elo > 0),
            ("Threads", threads, "threads", threads > 0),
            ("Hash", memory, "memory", memory > 0),
            ("MultiPV", lines, "lines", lines > 1),
        ]
        self._engine: EngineProcess | None = None
        self._chess960 = False
        self._turn = Turn()
        self._stop = StopToken()

    def choose(self, state: State, budget: Budget | None = None) -> Decision:
        """Ask the engine; it must answer soon after the budget ends."""
        choices(state)
        if state.game.name != "chess":
            raise SpecError(f"agent uci plays chess, not {state.game}")
        with self._turn:
            self._stop = StopToken()
            return self._ask(state, or_default(budget, "depth", "nodes"))

    def _ask(self, state: State, limits: Budget) -> Decision:
        engine = self._running_engine()
        with engine.closed_on_error():
            self._set_position(engine, state)
            watch = _Watch(state, engine.name, limits.report)
            answer = engine.search(
                go_line(limits),
                limits.seconds,
                lambda: self._stop.stopped or (limits.stop is not None and limits.stop.stopped),
                watch.hear,
            )
            try:
                return watch.decision(answer)
            except IllegalMove:
                raise EngineError(
                    f"engine {self._command[0]} answered 'bestmove {' '.join(answer):.60}' in "
                    f"{state.notation}, which is not a legal move"
                ) from None

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

    def _running_engine(self) -> EngineProcess:
        if self._engine is None or not self._engine.alive:
            engine = EngineProcess(self._command)
            with engine.closed_on_error():
                for name, value, ours, wanted in self._numbers:
                    if wanted:
                        engine.set_number(name, value, ours)
                    if wanted and ours == "elo" and engine.has("UCI_LimitStrength"):
                        engine.set_option("UCI_LimitStrength", "true")
                engine.send("ucinewgame")
                engine.get_ready()
            self._chess960 = False
            self._engine = engine
        return self._engine

    def _set_position(self, engine: EngineProcess, state: State) -> None:
        wanted = is_chess960(state)
        if wanted != self._chess960:
            if not engine.has("UCI_Chess960"):
                raise SpecError(f"engine {self._command[0]} cannot play Chess960")
            engine.set_option("UCI_Chess960", "true" if wanted else "false")
            self._chess960 = wanted
        engine.send(f"position {position_text(state, wanted)}")
        engine.get_ready()


class _Watch:
    """Listens to a search: what the engine would decide now, and in the end.

    What the engine says is only taken down; its lines are played when somebody wants to know, for
    an engine says a lot.
    """

    def __init__(
        self, state: State, name: str, report: Callable[[Decision], None] | None = None
    ) -> None:
        self._state = state
        self._name = name
        self._report = report
        self._began = time.perf_counter()
        self._infos: dict[int, list[Info]] = {}
        """By the number of the line, the newest last."""

    def hear(self, words: Sequence[str]) -> None:
        """Take note of an info line."""
        info = Info.read(words)
        if info is None:
            return
        self._infos.setdefault(info.number, []).append(info)
        if self._report is not None and info.number == 1:
            line = read_line(self._state, info.line)
            if line:
                self._report(self._decide(line))

    def decision(self, answer: Sequence[str]) -> Decision:
        """What the words after ``bestmove`` mean; `IllegalMove` if they are none."""
        best = self._state.parse(answer[0] if answer else "")
        found = self._newest(1)
        # An engine that plays below its strength may answer another move than its best.
        if found is not None and found[1][0] == best:
            return self._decide(found[1])
        ponder = answer[2:3] if answer[1:2] == ["ponder"] else []
        return self._decide(read_line(self._state, [answer[0], *ponder]))

    def _newest(self, number: int) -> tuple[Info, tuple[int, ...]] | None:
        """The last thing said about a line, and its moves; what cannot be played does not count."""
        for info in reversed(self._infos.get(number, [])):
            line = read_line(self._state, info.line)
            if line:
                return info, line
        return None

    def _decide(self, line: tuple[int, ...]) -> Decision:
        stats: dict[str, bool | int | float | str] = {
            "seconds": time.perf_counter() - self._began,
            "engine": self._name,
        }
        found = self._newest(1)
        if found is None:
            return Decision(line[0], 0.0, (), line, stats, self._state)
        info = found[0]
        stats |= {"depth": info.depth, "nodes": info.nodes, "score": info.score}
        plies = plies_to_end(info.score)
        if plies is not None:
            stats["plies_to_end"] = plies
        value = score_value(info.score)
        return Decision(line[0], value, self._moves(), line, stats, self._state)

    def _moves(self) -> tuple[MoveEval, ...]:
        """What is known of every legal move, if the engine tells of several."""
        if len(self._infos) < 2:
            return ()
        known: dict[int, tuple[int, tuple[int, ...]]] = {}
        for number in sorted(self._infos):
            found = self._newest(number)
            if found is not None:  # a move that has changed its place counts with its better one
                known.setdefault(found[1][0], (found[0].score, found[1]))
        scores = {move: score for move, (score, _) in known.items()}
        policy = line_policy(scores)
        worst = score_value(min(scores.values()))
        return tuple(
            MoveEval(move, score_value(scores[move]), pv=known[move][1], policy=policy[move])
            if move in known
            else MoveEval(move, worst, policy=0.0)
            for move in self._state.legal_moves
        )


def line_policy(scores: Mapping[int, int]) -> dict[int, float]:
    """How often each of some moves should be played; of mates, only the fastest.

    >>> line_policy({3: 31997, 4: 31995}), line_policy({3: 10, 4: 10})
    ({3: 1.0, 4: 0.0}, {3: 0.5, 4: 0.5})
    """
    best = max(scores.values())
    if proven_value(best) is not None:
        weights = {move: float(score == best) for move, score in scores.items()}
    else:
        top = score_value(best)
        weights = {
            move: math.exp((score_value(score) - top) / LINE_TEMPERATURE)
            for move, score in scores.items()
        }
    total = sum(weights.values())
    return {move: weight / total for move, weight in weights.items()}


def go_line(limits: Budget) -> str:
    """The limits of a budget in UCI; a budget that only a token ends is infinite.

    >>> go_line(Budget(seconds=0.25, depth=9)), go_line(Budget(stop=StopToken()))
    ('go depth 9 movetime 250', 'go infinite')
    """
    words = []
    if limits.depth is not None:
        words.append(f"depth {limits.depth}")
    if limits.nodes is not None:
        words.append(f"nodes {limits.nodes}")
    if limits.seconds is not None:
        words.append(f"movetime {max(round(limits.seconds * 1000), 1)}")
    return f"go {' '.join(words) or 'infinite'}"


register_agent("uci", UciAgent, options=OPTIONS, help="an outside chess engine that speaks UCI")
