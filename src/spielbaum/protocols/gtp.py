"""The engine side of GTP 2, the Go Text Protocol, for any game of two players.

Vertices are the names that a game gives its cells; ``pass`` passes. Answers begin with ``=`` or
``?`` and the number of the command, if it has one, and end with an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from spielbaum.agents import Budget, Decision
from spielbaum.base.errors import MISTAKES, IllegalMove, SpecError
from spielbaum.base.options import Option, OptionValue, parse_spec
from spielbaum.base.version import VERSION
from spielbaum.engines.gtp import SIZES, colours
from spielbaum.engines.words import find_move, the_pass, vertex
from spielbaum.games import State, game
from spielbaum.games.game import Game, declared_options
from spielbaum.play.clock import think_seconds
from spielbaum.protocols.session import Command, Search, Session, best_first, one_line

INTERVAL = Option("interval", 100, "hundredths of a second between two reports", low=0, high=10**6)
MOST_MOVES = Option("maxmoves", 361, "moves that a report names", low=1, high=10**6)
SIZE = Option("boardsize", 19, low=1, high=10**6)
KOMI = Option("komi", 0.0)
MAIN_TIME = Option("main_time", 0.0, low=0, high=1e9)
BYO_YOMI = Option("byo_yomi_time", 0.0, low=0, high=1e9)
STONES = Option("byo_yomi_stones", 0, low=0, high=10**6)
NAMES = {"reversi": ("Othello", "Reversi")}
"""What Quarry's commands ``list_games`` and ``set_game`` call games."""


class GtpEngine(Session):
    """A GTP engine around an agent; ``limits`` are those of a move while no clock was set.

    >>> engine = GtpEngine("reversi", "alphabeta", print, Budget(depth=3))
    >>> engine.run(["1 play black d3", "play black d3", "2 undo", "quit"])
    =1
    <BLANKLINE>
    ? play: it is white's turn
    <BLANKLINE>
    =2
    <BLANKLINE>
    =
    <BLANKLINE>
    """

    def __init__(
        self, rules: str, spec: str, send: Callable[[str], None], limits: Budget | None = None
    ) -> None:
        super().__init__(spec, send)
        self._rules = rules
        self._game = _two_players(game(rules))
        self._limits = limits or Budget(seconds=1.0)
        self._state = self._game.initial()
        self._clock: tuple[float, float, int] | None = None
        self._left: dict[int, tuple[float, int]] = {}
        self._number = ""
        self._analysing = False
        self._problem = ""
        self.answers: dict[str, Callable[[Sequence[str]], str]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: "Spielbaum",
            "version": lambda words: VERSION,
            "known_command": self._known_command,
            "list_commands": lambda words: "\n".join(sorted([*self.answers, *self.commands])),
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": lambda words: self._genmove(words, play=True),
            "reg_genmove": lambda words: self._genmove(words, play=False),
            "undo": self._undo,
            "showboard": lambda words: f"\n{self._state}",
            "final_score": self._final_score,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "list_games": lambda words: "\n".join(self._names),
            "set_game": self._set_game,
            "quit": lambda words: "",
        }
        self.commands: dict[str, Command] = {
            f"{kind}{what}": self._analysis(kind, plays)
            for kind in ("kata-", "lz-")
            for what, plays in (("analyze", False), ("genmove_analyze", True))
        }

    @property
    def _names(self) -> tuple[str, ...]:
        return NAMES.get(self._game.name, (self._game.name,))

    def complain(self, problem: str) -> None:
        """Answer a command that failed."""
        self._end_analysis()
        self._respond(one_line(problem), failed=True)

    def _respond(self, text: str, failed: bool = False) -> None:
        # A blank after the number only if something follows, and no empty line inside of an answer.
        lines = [line for line in text.split("\n") if line.strip()] if "\n" in text else [text]
        first = "" if "\n" in text and text.startswith("\n") else lines.pop(0)
        self.send(f"{'?' if failed else '='}{self._number}{' ' if first else ''}{first}")
        for line in lines:
            self.send(line)
        self.send("")

    def obey(self, line: str) -> bool:
        """Obey one line, which ends an analysis; False if it is ``quit``."""
        self._end_analysis()
        # Control characters are left out, and comments; the protocol wants it so.
        words = re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", "", line.partition("#")[0]).split()
        self._number = (
            words.pop(0) if words and re.fullmatch(r"\d{1,18}", words[0], re.ASCII) else ""
        )
        if not words:
            return True
        name, rest = words[0], words[1:]
        if name in self.commands:
            return super().obey(" ".join(words))
        if name not in self.answers:
            self.complain(self.unknown(name))
            return True
        try:
            self._respond(self.answers[name](rest))
        except MISTAKES as error:
            self.complain(f"{name}: {error}")
        return name != "quit"

    def unknown(self, word: str) -> str:
        """What every controller looks for if a command does not exist."""
        return f"unknown command {word!r:.60}"

    # Setting up

    def _known_command(self, words: Sequence[str]) -> str:
        return str(" ".join(words) in {*self.answers, *self.commands}).lower()

    def _set_game(self, words: Sequence[str]) -> str:
        if " ".join(words).lower() not in (name.lower() for name in self._names):
            raise SpecError(f"expected {' or '.join(self._names)}, not {' '.join(words)!r:.60}")
        return self._clear_board(())

    def _boardsize(self, words: Sequence[str]) -> str:
        """Set the size where a game has one; any other must be what the board has."""
        size = int(SIZE.parse(words[0] if words else ""))
        name, written = parse_spec(self._rules)
        declared = {option.name for option in declared_options(name)}
        option = next((each for each in SIZES if each in declared), None)
        if option is not None:
            try:
                options: dict[str, OptionValue] = {**written, option: size}
                made = game(name, **options)
            except SpecError:
                raise SpecError("unacceptable size") from None
        elif size == max(self._game.plane_shape()[1:]):
            made = self._game
        else:
            raise SpecError("unacceptable size")
        self._game = made
        return self._clear_board(())

    def _clear_board(self, words: Sequence[str]) -> str:
        self._state = self._game.initial()
        self._left.clear()
        self.forget()
        return ""

    def _komi(self, words: Sequence[str]) -> str:
        KOMI.parse(words[0] if words else "")  # it has a meaning in Go alone
        return ""

    # Moves

    def _player(self, word: str) -> int:
        names = colours(self._game)
        for player, name in enumerate(names):
            if word and name.startswith(word.lower()) and word.lower() in (name, name[0]):
                return player
        raise SpecError(f"expected {names[0]} or {names[1]}, not {word!r:.60}")

    def _turn(self, player: int) -> State:
        """The position with a player to move, who may follow on a pass that nobody wrote."""
        outcome = self._state.outcome
        if outcome is not None:
            raise IllegalMove(f"the game is over: {outcome.reason}")
        passed = the_pass(self._state)
        if self._state.to_move != player and passed is not None:
            after = self._state.play(passed)
            if after.outcome is None and after.to_move == player:
                return after
        if self._state.to_move != player:
            raise IllegalMove(f"it is {colours(self._game)[self._state.to_move]}'s turn")
        return self._state

    def _play(self, words: Sequence[str]) -> str:
        if len(words) != 2:
            raise SpecError(f"expected a colour and a vertex, not {' '.join(words)!r:.60}")
        state = self._turn(self._player(words[0]))
        try:
            self._state = state.play(find_move(state, words[1]))
        except IllegalMove as error:
            raise IllegalMove(f"illegal move: {error}") from None
        return ""

    def _undo(self, words: Sequence[str]) -> str:
        before = self._state.previous
        if before is None:
            raise SpecError("cannot undo")
        self._state = before
        return ""

    def _genmove(self, words: Sequence[str], *, play: bool) -> str:
        player = self._player(words[0] if words else "")
        state = self._turn(player)
        found: list[Decision | None] = []
        self._think(state, player, lambda decision: None, found.append)
        assert self.search is not None
        self.search.join()
        decision = found[0] if found else None
        if decision is None:
            raise IllegalMove(self._problem or "there is no move")
        if play:
            self._state = state.play(decision.move)
        return vertex(state, decision.move)

    def _think(
        self,
        state: State,
        player: int,
        tell: Callable[[Decision], None],
        answer: Callable[[Decision | None], None],
        *,
        endless: bool = False,
        lines: int = 1,
    ) -> None:
        self._problem = ""
        self.show_lines(lines)
        budget = Budget() if endless else self._budget(player)

        def complain(problem: str) -> None:
            self._problem = problem

        self.start(
            Search(
                self.ready_agent(),
                state,
                budget,
                tell=tell,
                answer=answer,
                complain=complain,
                held=endless,
            )
        )

    def _budget(self, player: int) -> Budget:
        if self._clock is None:
            return self._limits
        main, byo_yomi, stones = self._clock
        left, of = self._left.get(player, (main, 0))
        if of:  # so many moves in the time that is left
            return Budget(seconds=think_seconds(left, moves_to_go=of))
        extra = byo_yomi / stones if stones else 0.0
        return Budget(seconds=think_seconds(left + extra, increment=extra))

    # Time

    def _time_settings(self, words: Sequence[str]) -> str:
        if len(words) != 3:
            raise SpecError(f"expected three numbers, not {' '.join(words)!r:.60}")
        main, byo_yomi = float(MAIN_TIME.parse(words[0])), float(BYO_YOMI.parse(words[1]))
        stones = int(STONES.parse(words[2]))
        self._left.clear()
        # Time for no stones is no limit; neither is no time at all.
        unlimited = (byo_yomi > 0 and stones == 0) or (main == 0 and byo_yomi == 0)
        self._clock = None if unlimited else (main, byo_yomi, stones)
        return ""

    def _time_left(self, words: Sequence[str]) -> str:
        if len(words) != 3:
            raise SpecError(f"expected a colour and two numbers, not {' '.join(words)!r:.60}")
        seconds, stones = float(MAIN_TIME.parse(words[1])), int(STONES.parse(words[2]))
        self._left[self._player(words[0])] = (seconds, stones)
        self._clock = self._clock or (seconds, 0.0, 0)
        return ""

    def _final_score(self, words: Sequence[str]) -> str:
        """The result: in Reversi by the discs, elsewhere who won."""
        outcome = self._state.outcome
        if outcome is None:
            raise SpecError("cannot score: the game is not over")
        if outcome.winner is None:
            return "0"
        letter = colours(self._game)[outcome.winner][0].upper()
        cells = self._state.cells
        discs = abs(cells.count(1) - cells.count(2)) if self._game.name == "reversi" else 0
        return f"{letter}+{discs or '1'}"

    # Analysis

    def _analysis(self, kind: str, plays: bool) -> Command:
        def analyse(words: Sequence[str]) -> None:
            asked = _Analysis.read(words, self._player, self._state.to_move)
            state = self._turn(asked.player)
            self._respond_first()
            told, latest = "", 0.0

            def report(decision: Decision) -> None:
                nonlocal told
                line = _report(decision, state, kind, asked.moves)
                if line != told:  # a search ends with what it has said last
                    self.send(line)
                told = line

            def tell(decision: Decision) -> None:
                nonlocal latest
                now = float(decision.stats.get("seconds", 0.0))
                if now - latest >= asked.interval:
                    latest = now
                    report(decision)

            def answer(decision: Decision | None) -> None:
                if decision is not None:
                    report(decision)
                if plays and decision is not None:
                    self.send(f"play {vertex(state, decision.move)}")
                    self._state = state.play(decision.move)
                self.send("")

            self._analysing = not plays
            self._think(state, asked.player, tell, answer, endless=not plays, lines=asked.moves)
            if plays and self.search is not None:
                self.search.join()

        return analyse

    def _respond_first(self) -> None:
        """Begin an answer whose lines come while the agent thinks."""
        self.send(f"={self._number}")

    def _end_analysis(self) -> None:
        if self._analysing:
            self._analysing = False
            self.halt()


class _Analysis:
    """What a command of analysis asks for."""

    def __init__(self, player: int) -> None:
        self.player = player
        self.interval = float(INTERVAL.default) / 100
        self.moves = int(MOST_MOVES.default)

    @classmethod
    def read(cls, words: Sequence[str], player: Callable[[str], int], to_move: int) -> _Analysis:
        """Read a colour, an interval, and pairs of names and values, of which some are ignored."""
        rest = list(words)
        made = cls(to_move)
        if rest and rest[0][:1].isalpha() and rest[0] not in ("interval", "maxmoves", "minmoves"):
            made.player = player(rest.pop(0))
        if rest and rest[0].isdigit():
            made.interval = float(INTERVAL.parse(rest.pop(0))) / 100
        for name, value in zip(rest[::2], rest[1::2], strict=False):
            if name == "interval":
                made.interval = float(INTERVAL.parse(value)) / 100
            elif name == "maxmoves":
                made.moves = int(MOST_MOVES.parse(value))
        return made


def _report(decision: Decision, state: State, kind: str, most: int) -> str:
    """What is known of the best moves, as KataGo or Leela Zero write it."""
    parts = []
    for order, each in enumerate(best_first(decision)[:most]):
        line, names = state, []
        for move in each.pv or (each.move,):
            if move not in line.legal_moves:
                break
            names.append(vertex(line, move))
            line = line.play(move)
        share = (each.value + 1) / 2
        prior = 0.0 if each.prior is None else each.prior
        numbers: Mapping[str, object] = (
            {"winrate": f"{share:.6f}", "prior": f"{prior:.6f}"}
            if kind == "kata-"
            else {"winrate": round(share * 10000), "prior": round(prior * 10000)}
        )
        told = " ".join(f"{name} {value}" for name, value in numbers.items())
        parts.append(
            f"info move {names[0]} visits {each.visits} {told} order {order} pv {' '.join(names)}"
        )
    return " ".join(parts)


def _two_players(rules: Game) -> Game:
    if rules.num_players != 2:
        raise SpecError(f"GTP is for two players, not for {rules}")
    return rules
