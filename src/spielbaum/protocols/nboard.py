"""The engine side of NBoard's protocol, which GUIs of Othello speak; versions 1 and 2.

Positions come as games in GGF, moves as ``F5`` or ``PA``; evaluations are in discs, from the view
of the player to move. A search ends when the next command comes, ``ping`` included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from spielbaum.agents import Budget, Decision
from spielbaum.base.errors import NotationError, SpecError
from spielbaum.base.options import Option
from spielbaum.engines.nboard import VERSIONS, discs_of, move_name
from spielbaum.engines.words import find_move
from spielbaum.games import State, game
from spielbaum.games.formats.ggf import parse
from spielbaum.protocols.session import Search, Session, best_first, one_line

DEPTH = Option("depth", 12, low=1, high=60)
HINTS = Option("hint", 1, low=1, high=64)
NUMBER = Option("ping", 0, low=0, high=10**9)
CONTEMPT = Option("contempt", 0.0)


class NBoardEngine(Session):
    """An NBoard engine around an agent; ``limits`` end a search as well as the GUI's depth does.

    >>> engine = NBoardEngine("alphabeta", print)
    >>> engine.run(["nboard 2", "set depth 4", "ping 1", "move f5//1.5", "rubbish"])
    set myname Spielbaum 4
    pong 1
    status there is no command 'rubbish'
    """

    def __init__(
        self, spec: str, send: Callable[[str], None], limits: Budget | None = None
    ) -> None:
        super().__init__(spec, send)
        self._limits = limits or Budget()
        self._depth = int(DEPTH.default)
        self._state = game("reversi").initial()
        self.commands = {
            "nboard": self._nboard,
            "set": self._set,
            "move": self._move,
            "hint": self._hint,
            "go": self._go,
            "ping": self._ping,
            "learn": self._learn,
            "analyze": self._analyze,
        }

    def complain(self, problem: str) -> None:
        """Show it in the status line of the GUI."""
        self.send(f"status {one_line(problem)}")

    def obey(self, line: str) -> bool:
        """Obey one line, before which a running search is ended."""
        words = line.split()
        if words and self.search is not None and self.search.is_alive():
            self.halt()
        if len(words) == 1 and words[0] not in self.commands and _is_move(words[0]):
            words.insert(0, "move")  # as NBoard 1.1 sends them
        return super().obey(" ".join(words))

    def _nboard(self, words: Sequence[str]) -> None:
        if " ".join(words) not in VERSIONS:
            raise SpecError(
                f"expected version {' or '.join(VERSIONS)}, not {' '.join(words)!r:.60}"
            )

    def _set(self, words: Sequence[str]) -> None:
        name, rest = (words[0] if words else ""), " ".join(words[1:])
        if name == "depth":
            self._depth = int(DEPTH.parse(rest))
            self.send(f"set myname Spielbaum {self._depth}")
        elif name == "game":
            self._state = _position(rest)
        elif name == "contempt":
            CONTEMPT.parse(rest)  # our agents take a draw for what it is
        else:
            raise SpecError(f"expected depth, game or contempt, not {name!r:.60}")

    def _move(self, words: Sequence[str]) -> None:
        text = (words[0] if words else "").partition("/")[0]
        self._state = self._state.play(find_move(self._state, text))

    def _ping(self, words: Sequence[str]) -> None:
        self.send(f"pong {NUMBER.parse(words[0] if words else '')}")

    def _learn(self, words: Sequence[str]) -> None:
        self.send("learned")  # there is no book to be changed

    def _hint(self, words: Sequence[str]) -> None:
        hints = int(HINTS.parse(words[0] if words else "1"))
        self._think(hints, lambda decision, state: None)

    def _go(self, words: Sequence[str]) -> None:
        self._think(1, self._answer)

    def _analyze(self, words: Sequence[str]) -> None:
        """Evaluate every position of the game, from its end to its start."""
        agent = self.ready_agent()
        state: State | None = self._state
        while state is not None:
            if state.outcome is None:
                value = agent.choose(state, self._budget()).value
                first = value if state.to_move == 0 else -value
                self.send(f"analysis {len(state.history)} {discs_of(first):.2f}")
            state = state.previous

    def _budget(self) -> Budget:
        """The GUI's depth, and the limits of the command if there are any.

        A tree search has no depth: without other limits it thinks for a second, as always.
        """
        limits = self._limits
        return replace(limits, depth=min(self._depth, limits.depth or self._depth))

    def _think(self, lines: int, answer: Callable[[Decision, State], None]) -> None:
        state = self._state
        outcome = state.outcome
        if outcome is not None:
            raise NotationError(f"the game is over: {outcome.reason}")
        self.halt()
        self.show_lines(lines)
        self.send("status Spielbaum is thinking")

        def tell(decision: Decision) -> None:
            for line in search_lines(decision, state, lines):
                self.send(line)

        def end(decision: Decision | None) -> None:
            if decision is not None:
                seconds = float(decision.stats.get("seconds", 0.0))
                nodes = decision.stats.get("nodes", decision.stats.get("iterations", 0))
                self.send(f"nodestats {nodes} {seconds:.2f}")
                answer(decision, state)
            self.send("status Spielbaum is waiting")

        self.start(
            Search(
                self.ready_agent(),
                state,
                self._budget(),
                tell=tell,
                answer=end,
                complain=self.complain,
            )
        )

    def _answer(self, decision: Decision, state: State) -> None:
        seconds = float(decision.stats.get("seconds", 0.0))
        name, value = move_name(state, decision.move), discs_of(decision.value)
        self.send(f"=== {name}/{value:.2f}/{seconds:.2f}")


def search_lines(decision: Decision, state: State, lines: int) -> list[str]:
    """What is known of the best moves: lines of play without blanks, discs, and depth.

    >>> import spielbaum as sb
    >>> start = sb.game("reversi").initial()
    >>> decision = sb.Decision(19, 0.25, pv=(19,), stats={"depth": 3})
    >>> search_lines(decision, start, 1)
    ['search D3 16.00 0 3']
    """
    found = []
    for each in best_first(decision)[:lines]:
        after, names = state, []
        for move in each.pv or (each.move,):
            if move not in after.legal_moves:
                break
            names.append(move_name(after, move))
            after = after.play(move)
        depth = decision.stats.get("depth", len(names))
        found.append(f"search {'-'.join(names)} {discs_of(each.value):.2f} 0 {depth}")
    return found


def _position(text: str) -> State:
    """The position at the end of a game in GGF."""
    tree = parse(text)
    if tree.errors:
        raise NotationError(tree.errors[0])
    return tree.end()


def _is_move(word: str) -> bool:
    plain = word.partition("/")[0].lower()
    return plain == "pa" or (len(plain) == 2 and plain[0] in "abcdefgh" and plain[1] in "12345678")
