"""The words of UCI as a GUI says and reads them: limits of ``go``, and ``info`` lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.engines.uci import move_text
from spielbaum.play.clock import LEAST, think_seconds

if TYPE_CHECKING:
    from spielbaum.agents.decision import Decision
    from spielbaum.games.state import State

# The clocks may be negative: some GUIs let a game go on after the time is up.
NUMBERS = {
    option.name: option
    for option in (
        Option("wtime", 0),
        Option("btime", 0),
        Option("winc", 0, low=0),
        Option("binc", 0, low=0),
        Option("movestogo", 1, low=0),
        Option("movetime", 0, low=0),
        Option("depth", 1, low=1),
        Option("nodes", 1, low=1),
        Option("mate", 1, low=1),
    )
}
SWITCHES = ("infinite", "ponder")
MOST_PLIES = 1000  # deeper than any search comes; the core counts plies in few bits
MOST_SECONDS = 1e6


@dataclass(frozen=True)
class Limits:
    """What a ``go`` line asks for; times are in milliseconds, as in the line.

    >>> limits, problems = Limits.read("depth 7 movetime x".split())
    >>> limits.numbers, problems
    ({'depth': 7}, ('go: option movetime=x: expected a whole number of at least 0',))
    """

    numbers: Mapping[str, int]
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()

    @classmethod
    def read(cls, words: Sequence[str]) -> tuple[Limits, tuple[str, ...]]:
        """The limits that could be read, and a sentence about every word that could not."""
        numbers: dict[str, int] = {}
        switches: set[str] = set()
        moves: list[str] = []
        problems = []
        rest = list(reversed(words))
        while rest:
            word = rest.pop()
            if word in SWITCHES:
                switches.add(word)
            elif word == "searchmoves":
                while rest and rest[-1] not in NUMBERS and rest[-1] not in (*SWITCHES, word):
                    moves.append(rest.pop())
            elif word in NUMBERS:
                try:
                    numbers[word] = int(NUMBERS[word].parse(rest.pop() if rest else ""))
                except SpecError as error:
                    problems.append(f"go: {error}")
            else:
                problems.append(f"go: there is no limit {word!r:.60}")
        # Without any limit the search is infinite; limits that cannot be used do not make it so.
        infinite = "infinite" in switches or not (numbers or problems)
        return cls(numbers, infinite, "ponder" in switches, tuple(moves)), tuple(problems)

    def seconds(self, white: bool, overhead: float) -> float | None:
        """How long to think for the side to move; None where other limits end the search.

        >>> Limits({"wtime": 60010, "btime": 30010}).seconds(white=False, overhead=0.01)
        1.0
        """
        numbers = self.numbers
        if self.infinite:
            return None
        times = []
        if "movetime" in numbers:
            times.append(max(LEAST, numbers["movetime"] / 1000 - overhead))
        clock, increment = ("wtime", "winc") if white else ("btime", "binc")
        if clock in numbers:
            seconds = think_seconds(
                numbers[clock] / 1000,
                numbers.get(increment, 0) / 1000,
                numbers.get("movestogo") or None,
                overhead,
            )
            times.append(seconds)
        if not times:
            # A line such as "go btime 1000" with white to move still has to be answered.
            return 1.0 if self.depth is None and "nodes" not in numbers else None
        return min(MOST_SECONDS, *times)

    @property
    def depth(self) -> int | None:
        """Plies to look ahead. A mate in n moves is seen within 2n plies, after the reply to it.

        >>> Limits({"mate": 2}).depth, Limits({"mate": 9, "depth": 3}).depth
        (4, 3)
        """
        asked = [2 * self.numbers["mate"]] if "mate" in self.numbers else []
        asked += [self.numbers["depth"]] if "depth" in self.numbers else []
        return min(MOST_PLIES, *asked) if asked else None


def line_text(state: State, moves: Iterable[int], chess960: bool) -> str:
    """A line of play as UCI writes it; what cannot be played ends it.

    >>> import spielbaum as sb
    >>> start = sb.game("chess").initial()
    >>> line_text(start, [start.parse("e2e4"), start.parse("d2d4")], chess960=False)
    'e2e4'
    """
    words = []
    for move in moves:
        if move not in state.legal_moves:
            break
        words.append(move_text(state, move, chess960))
        state = state.play(move)
    return " ".join(words)


def info_line(decision: Decision, state: State, chess960: bool) -> str | None:
    """What a search knows as an ``info`` line; None if the agent says nothing about its search.

    >>> import spielbaum as sb
    >>> start = sb.game("chess").initial()
    >>> stats = {"depth": 3, "nodes": 500, "seconds": 0.25, "score": -12}
    >>> info_line(sb.Decision(start.parse("e2e4"), stats=stats), start, chess960=False)
    'info depth 3 score cp -12 nodes 500 nps 2000 time 250 pv e2e4'
    """
    stats = decision.stats
    words = [f"depth {stats['depth']}"] if "depth" in stats else []
    if "plies_to_end" in stats:
        words.append(f"score mate {_mate(int(stats['plies_to_end']), decision.value)}")
    elif "score" in stats:
        words.append(f"score cp {stats['score']}")
    if not words or stats.get("depth") == 0:
        return None
    if "nodes" in stats:
        words.append(f"nodes {stats['nodes']}")
    if "seconds" in stats:
        seconds = float(stats["seconds"])
        if "nodes" in stats and seconds > 0:
            words.append(f"nps {int(int(stats['nodes']) / seconds)}")
        words.append(f"time {int(seconds * 1000)}")
    if "hashfull" in stats:
        words.append(f"hashfull {stats['hashfull']}")
    line = line_text(state, decision.pv or (decision.move,), chess960)
    return f"info {' '.join(words)} pv {line}"


def _mate(plies: int, value: float) -> int:
    """Moves to mate, negative for the side that is mated, as UCI counts them."""
    return (plies + 1) // 2 if value > 0 else -(plies // 2)
