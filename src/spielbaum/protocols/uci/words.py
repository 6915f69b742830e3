"""The words of UCI as a GUI says and reads them: limits of ``go``, and ``info`` lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option
from spielbaum.base.scores import value_score
from spielbaum.engines.uci import move_text
from spielbaum.play.clock import LEAST, kept_back, think_seconds
from spielbaum.protocols.session import best_first

if TYPE_CHECKING:
    from spielbaum.agents.decision import Decision, MoveEval
    from spielbaum.games.state import State


@dataclass(frozen=True)
class Clocks:
    """What a dialect calls the time left and the increments of the first and second player."""

    times: tuple[str, str]
    increments: tuple[str, str]


CHESS_CLOCKS = Clocks(("wtime", "btime"), ("winc", "binc"))
GAME_CLOCKS = Clocks(("p1time", "p2time"), ("p1inc", "p2inc"))
"""The names of UGI."""

NUMBERS = {
    option.name: option
    for option in (
        # The clocks may be negative: some GUIs let a game go on after the time is up.
        *(Option(name, 0) for each in (CHESS_CLOCKS, GAME_CLOCKS) for name in each.times),
        *(
            Option(name, 0, low=0)
            for each in (CHESS_CLOCKS, GAME_CLOCKS)
            for name in each.increments
        ),
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

    def seconds(self, player: int, overhead: float, clocks: Clocks = CHESS_CLOCKS) -> float | None:
        """How long the player to move may think; None where other limits end the search.

        >>> limits = Limits({"wtime": 60000, "btime": 30100})
        >>> round(limits.seconds(player=1, overhead=0.01), 3)
        0.99
        """
        numbers = self.numbers
        if self.infinite:
            return None
        times = []
        if "movetime" in numbers:
            given = numbers["movetime"] / 1000
            times.append(max(LEAST, given - kept_back(given, overhead)))
        if clocks.times[player] in numbers:
            seconds = think_seconds(
                numbers[clocks.times[player]] / 1000,
                numbers.get(clocks.increments[player], 0) / 1000,
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


@dataclass(frozen=True)
class Shown:
    """What a GUI wants to see of a search."""

    chess960: bool = False
    """Castling is written as king takes rook."""
    lines: int = 1
    """Number of best moves to tell about (MultiPV)."""
    wdl: bool = False
    """Scores come with chances to win, draw and lose (UCI_ShowWDL)."""


def info_lines(decision: Decision, state: State, shown: Shown) -> Iterator[str]:
    """What a search knows as ``info`` lines: one for each of the best moves that are asked for.

    An agent that says nothing about its search has none. Searches that do not count in hundredths
    of a pawn, such as those with networks, have the score that belongs to their value.

    >>> import spielbaum as sb
    >>> start = sb.game("chess").initial()
    >>> stats = {"depth": 3, "nodes": 500, "seconds": 0.25, "score": -12}
    >>> list(info_lines(sb.Decision(start.parse("e2e4"), stats=stats), start, Shown()))
    ['info depth 3 score cp -12 nodes 500 nps 2000 time 250 pv e2e4']
    >>> stats = {"iterations": 800, "seconds": 0.5}
    >>> tree = sb.Decision(start.parse("e2e4"), 0.2, stats=stats)
    >>> list(info_lines(tree, start, Shown(wdl=True)))
    ['info depth 1 score cp 100 wdl 360 480 160 nodes 800 nps 1600 time 500 pv e2e4']
    """
    stats = decision.stats
    known = {"depth", "plies_to_end", "score", "iterations"} & set(stats)
    if not known or stats.get("depth") == 0:
        return
    moves = best_first(decision)[: shown.lines]
    depth = stats.get("depth", len(decision.pv) or 1)
    for number, each in enumerate(moves, 1):
        line = (decision.pv if number == 1 else each.pv) or (each.move,)
        words = [f"depth {depth}"] if known != {"score"} else []
        if shown.lines > 1:
            words.append(f"multipv {number}")
        words.append(f"score {_score(decision, each, number, line, state)}")
        value = decision.value if number == 1 else each.value
        if shown.wdl:
            words.append(f"wdl {chances(value)}")
        nodes = stats.get("nodes" if "iterations" not in stats else "iterations")
        if nodes is not None:
            words.append(f"nodes {nodes}")
        if "seconds" in stats:
            seconds = float(stats["seconds"])
            if nodes is not None and seconds > 0:
                words.append(f"nps {int(int(nodes) / seconds)}")
            words.append(f"time {int(seconds * 1000)}")
        if "hashfull" in stats:
            words.append(f"hashfull {stats['hashfull']}")
        yield f"info {' '.join(words)} pv {line_text(state, line, shown.chess960)}"


def _score(
    decision: Decision, each: MoveEval, number: int, line: Sequence[int], state: State
) -> str:
    """The score of one of the best moves, as UCI writes it."""
    stats = decision.stats
    if number == 1 and "plies_to_end" in stats:
        return f"mate {_mate(int(stats['plies_to_end']), decision.value)}"
    if number == 1 and "score" in stats:
        return f"cp {stats['score']}"
    value = decision.value if number == 1 else each.value
    if abs(value) == 1 and (plies := _plies_to_end(state, line)):
        return f"mate {_mate(plies, value)}"
    return f"cp {value_score(value)}"


def _plies_to_end(state: State, line: Sequence[int]) -> int | None:
    """The length of a line, if it ends the game."""
    for move in line:
        if move not in state.legal_moves:
            return None
        state = state.play(move)
    return len(line) if state.outcome is not None else None


def chances(value: float) -> str:
    """Chances to win, draw and lose in thousandths, for a value.

    A value says only how far winning exceeds losing. The rest is as if a game were two halves that
    are won independently with probability (1 + value) / 2, and a draw one half for each.

    >>> chances(0.0), chances(0.5), chances(-1.0)
    ('250 500 250', '562 376 62', '0 0 1000')
    """
    won = round(250 * (1 + value) ** 2)
    lost = round(250 * (1 - value) ** 2)
    return f"{won} {1000 - won - lost} {lost}"


def _mate(plies: int, value: float) -> int:
    """Moves to mate, negative for the side that is mated, as UCI counts them."""
    return (plies + 1) // 2 if value > 0 else -(plies // 2)
