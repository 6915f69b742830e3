"""The agents ``uci`` and ``ugi``: outside engines, such as Stockfish, as agents of ours."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from spielbaum.agents.decision import Decision, MoveEval
from spielbaum.agents.outside import PROGRAM, OutsideAgent, listed
from spielbaum.agents.registry import register_agent
from spielbaum.base.budget import Budget
from spielbaum.base.errors import IllegalMove, SpecError
from spielbaum.base.options import Option
from spielbaum.base.scores import plies_to_end, proven_value, score_value
from spielbaum.engines.fairy import variant as fairy_variant
from spielbaum.engines.process import HANDSHAKE_SECONDS
from spielbaum.engines.uci import Info, UciProcess, is_chess960, path_text, position_text
from spielbaum.engines.words import find_move, read_line
from spielbaum.games.game import game

if TYPE_CHECKING:
    from spielbaum.games import State

SEARCH = (
    Option("threads", 0, "threads of the engine; 0: as the engine likes", low=0),
    Option("memory", 0, "megabytes of its table (Hash); 0: as the engine likes", low=0),
    Option("lines", 1, "best moves that it tells about (MultiPV)", low=1, high=256),
    Option("options", "", "other options of the engine: NAME:VALUE;NAME:VALUE"),
)
OPTIONS = (
    *PROGRAM,
    Option("skill", -1, "the engine's Skill Level; -1: as the engine likes", low=-1),
    Option("elo", 0, "limits the engine to a strength (UCI_Elo); 0: no limit", low=0),
    *SEARCH,
    Option("variant", "", "a game that Fairy-Stockfish plays: flipello, tictactoe or cfour"),
    Option("variants", "", "file in which Fairy-Stockfish finds its variant"),
)

LINE_TEMPERATURE = 0.05
"""How much worse a line must be, in value, to be chosen e times less often by the policy."""


class UciAgent(OutsideAgent[UciProcess]):
    """An engine that speaks UCI; it plays chess, positions of Chess960 included.

    Fairy-Stockfish plays Reversi, tic-tac-toe and Connect Four as well, with ``variant``. The
    engine sees the whole path, so that it knows of repetitions. ``Decision.stats`` has depth,
    nodes, seconds, score, and the engine's name. With several ``lines`` there are
    ``Decision.moves``, too: a move that is in none of the lines is worth as much as the last of
    them, which is more than the engine thinks, and has a policy of 0.

    >>> import spielbaum as sb
    >>> sb.agent("uci")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: agent uci needs path=..., the program of an engine
    """

    kind = "uci"

    def __init__(
        self,
        path: str,
        args: str = "",
        startup: float = HANDSHAKE_SECONDS,
        skill: int = -1,
        elo: int = 0,
        threads: int = 0,
        memory: int = 0,
        lines: int = 1,
        options: str = "",
        variant: str = "",
        variants: str = "",
    ) -> None:
        super().__init__(path, args, startup)
        self._numbers = [
            ("Skill Level", skill, "skill", skill >= 0),
            ("UCI_Elo", elo, "elo", elo > 0),
            ("Threads", threads, "threads", threads > 0),
            ("Hash", memory, "memory", memory > 0),
            ("MultiPV", lines, "lines", lines > 1),
        ]
        self._options = listed(self.kind, options)
        self._variant = fairy_variant(variant) if variant else None
        self._variants = variants
        self._chess960 = False

    def check(self, state: State) -> None:
        """Refuse other games, and boards that the variant does not have."""
        if self._variant is None:
            if state.game.name != "chess":
                raise SpecError(f"agent {self.kind} plays chess, not {state.game}")
        elif state.game != game(self._variant.game):
            raise SpecError(
                f"agent {self.kind}: variant {self._variant.name} is {self._variant.game}, not "
                f"{state.game}"
            )
        elif state.root != state.game.initial():
            raise SpecError(
                f"agent {self.kind}: variant {self._variant.name} is played from the start only"
            )

    def start(self) -> UciProcess:
        """Start the engine and set its options."""
        engine = UciProcess(self.command, self.kind, self.startup)
        with engine.closed_on_error():
            for name, value, ours, wanted in self._numbers:
                if wanted:
                    engine.set_number(name, value, ours)
                if wanted and ours == "elo" and engine.has("UCI_LimitStrength"):
                    engine.set_option("UCI_LimitStrength", "true")
            for name, text in self._options:
                engine.set_option(name, text)
            if self._variant is not None:
                self._choose_variant(engine, self._variant.name)
            engine.send(f"{self.kind}newgame")
            engine.get_ready()
        self._chess960 = False
        return engine

    def _choose_variant(self, engine: UciProcess, name: str) -> None:
        if self._variants:
            engine.set_option("VariantPath", self._variants)
        engine.set_option("UCI_Variant", name)

    def ask(
        self, engine: UciProcess, state: State, limits: Budget, stopped: Callable[[], bool]
    ) -> Decision:
        """Send the position and the limits, and listen until the engine has decided."""
        self.send_position(engine, state)
        engine.get_ready()
        watch = _Watch(state, engine.name, self.read, limits.report)
        answer = engine.search(go_line(limits), limits.seconds, stopped, watch.hear)
        try:
            return watch.decision(answer)
        except IllegalMove:
            raise self.illegal(f"bestmove {' '.join(answer)}", state) from None

    def send_position(self, engine: UciProcess, state: State) -> None:
        """Send the position, in the notation that the engine wants."""
        if self._variant is not None:
            engine.send(f"position {path_text(state, self._variant.text)}")
            return
        wanted = is_chess960(state)
        if wanted != self._chess960:
            if not engine.has("UCI_Chess960"):
                raise SpecError(f"engine {engine.path} cannot play Chess960")
            engine.set_option("UCI_Chess960", "true" if wanted else "false")
            self._chess960 = wanted
        engine.send(f"position {position_text(state, wanted)}")

    def read(self, state: State, word: str) -> int:
        """The legal move that a word of the engine means."""
        return (self._variant.move if self._variant else find_move)(state, word)


class UgiAgent(UciAgent):
    """An engine that speaks UGI, the Universal Game Interface, for any game of two players.

    It must write positions and moves as we do; see docs/ugi.md.

    >>> import sys
    >>> import spielbaum as sb
    >>> agent = sb.agent("ugi", path=sys.executable, args="-m spielbaum ugi tictactoe")
    >>> state = sb.game("tictactoe").state("a1 b2 c3 a3")
    >>> state.text(agent.choose(state, sb.Budget(nodes=2000)).move)
    'c1'
    >>> agent.close()
    """

    kind = "ugi"

    def check(self, state: State) -> None:
        """Refuse games that are not for two players."""
        if state.num_players != 2:
            raise SpecError(f"agent ugi plays games of two players, not {state.game}")

    def send_position(self, engine: UciProcess, state: State) -> None:
        """Send the position in our notation."""
        engine.send(f"position {position_text(state, chess960=False)}")


class _Watch:
    """Listens to a search: what the engine would decide now, and in the end.

    What the engine says is only taken down; its lines are played when somebody wants to know, for
    an engine says a lot.
    """

    def __init__(
        self,
        state: State,
        name: str,
        read: Callable[[State, str], int],
        report: Callable[[Decision], None] | None = None,
    ) -> None:
        self._state = state
        self._read = read
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
            line = self._line(info.line)
            if line:
                self._report(self._decide(line))

    def decision(self, answer: Sequence[str]) -> Decision:
        """What the words after ``bestmove`` mean; `IllegalMove` if they are none."""
        best = self._read(self._state, answer[0] if answer else "")
        found = self._newest(1)
        # An engine that plays below its strength may answer another move than its best.
        if found is not None and found[1][0] == best:
            return self._decide(found[1])
        ponder = answer[2:3] if answer[1:2] == ["ponder"] else []
        return self._decide(self._line([answer[0], *ponder]))

    def _line(self, words: Iterable[str]) -> tuple[int, ...]:
        return read_line(self._state, words, self._read)

    def _newest(self, number: int) -> tuple[Info, tuple[int, ...]] | None:
        """The last thing said about a line, and its moves; what cannot be played does not count."""
        for info in reversed(self._infos.get(number, [])):
            line = self._line(info.line)
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

    >>> go_line(Budget(seconds=0.25, depth=9)), go_line(Budget())
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
register_agent(
    "ugi",
    UgiAgent,
    options=(*PROGRAM, *SEARCH),
    help="an outside engine of any game of two players that speaks UGI",
)
