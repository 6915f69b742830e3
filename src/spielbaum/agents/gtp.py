"""The agent ``gtp``: an outside engine that speaks the Go Text Protocol."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from spielbaum.agents.decision import Decision
from spielbaum.agents.outside import PROGRAM, OutsideAgent
from spielbaum.agents.registry import register_agent
from spielbaum.base.errors import EngineError, IllegalMove, SpecError
from spielbaum.base.options import Option
from spielbaum.engines.gtp import SIZES, GtpProcess, colours
from spielbaum.engines.process import HANDSHAKE_SECONDS
from spielbaum.engines.words import find_move, the_pass, vertex

if TYPE_CHECKING:
    from spielbaum.base.budget import Budget
    from spielbaum.games import Game, State

OPTIONS = (
    *PROGRAM,
    Option("commands", "", "commands to begin with, separated by ';', such as level 5"),
    Option("patience", 60.0, "seconds that an answer may take beyond the budget", low=0.1),
)
OTHER_NAMES = {"reversi": ("othello", "reversi"), "go": ("go",)}


class GtpAgent(OutsideAgent[GtpProcess]):
    """An engine that speaks GTP 2; it plays whatever game it and we have in common.

    It gets the moves one after the other, and those that were taken back by a new start. How
    strong it plays is for its arguments and ``commands`` to say; engines that know of time are told
    ``Budget.seconds``. A pass that nobody can avoid is made without asking it.

    >>> import sys
    >>> import spielbaum as sb
    >>> agent = sb.agent("gtp", path=sys.executable, args="-m spielbaum gtp reversi --depth 2")
    >>> state = sb.game("reversi").initial()
    >>> agent.choose(state).move in state.legal_moves
    True
    >>> agent.close()
    """

    kind = "gtp"

    def __init__(
        self,
        path: str,
        args: str = "",
        startup: float = HANDSHAKE_SECONDS,
        commands: str = "",
        patience: float = 60.0,
    ) -> None:
        super().__init__(path, args, startup)
        self._commands = [each.strip() for each in commands.split(";") if each.strip()]
        self._patience = patience
        self._board: tuple[Game, tuple[int, ...]] | None = None
        """What the engine has before it."""

    def check(self, state: State) -> None:
        """Refuse games for others than two, and positions that no moves lead to."""
        if state.num_players != 2:
            raise SpecError(f"agent gtp plays games of two players, not {state.game}")
        if state.root != state.game.initial():
            raise SpecError("agent gtp plays from the start of a game only")

    def start(self) -> GtpProcess:
        """Start the engine and give it the commands to begin with."""
        engine = GtpProcess(self.command, self.startup)
        with engine.closed_on_error():
            for command in self._commands:
                engine.ask(command)
        self._board = None
        return engine

    def ask(
        self, engine: GtpProcess, state: State, limits: Budget, stopped: Callable[[], bool]
    ) -> Decision:
        """Bring the engine's board up to date and let it generate a move."""
        began = time.perf_counter()
        passed = the_pass(state)
        if passed is not None and len(state.legal_moves) == 1:
            return Decision(passed, stats={"engine": engine.name}, state=state)
        self._catch_up(engine, state)
        colour = colours(state.game)[state.to_move]
        if limits.seconds is not None and "time_settings" in engine.commands:
            engine.tries(f"time_settings 0 {max(round(limits.seconds), 1)} 1")
        self._board = None  # until its answer is known to be legal
        answer = engine.think(f"genmove {colour}", limits.seconds, stopped, self._patience)
        if answer.strip().lower() == "resign":
            raise EngineError(f"engine {engine.path} resigned")
        try:
            move = find_move(state, answer.strip())
        except IllegalMove:
            raise self.illegal(answer, state) from None
        self._board = (state.game, (*state.history, move))
        stats: dict[str, bool | int | float | str] = {
            "seconds": time.perf_counter() - began,
            "engine": engine.name,
        }
        return Decision(move, pv=(move,), stats=stats, state=state)

    def _catch_up(self, engine: GtpProcess, state: State) -> None:
        played: tuple[int, ...] = ()
        if self._board is not None and self._board[0] == state.game:
            played = self._board[1]
        history = state.history
        if self._board is None or played != history[: len(played)] or self._board[0] != state.game:
            self._set_up(engine, state.game)
            played = ()
        before = state.root
        for ply, move in enumerate(history):
            if ply >= len(played):
                command = f"play {colours(state.game)[before.to_move]} {vertex(before, move)}"
                if move == the_pass(before):
                    engine.tries(command)  # some engines know of no passes that are forced
                else:
                    engine.ask(command)
            before = before.play(move)
        self._board = (state.game, history)

    def _set_up(self, engine: GtpProcess, game: Game) -> None:
        """Choose game and size, as far as the engine knows such things, and clear the board."""
        if {"list_games", "set_game"} <= engine.commands:
            wanted = OTHER_NAMES.get(game.name, (game.name,))
            known = engine.ask("list_games").split()
            name = next((each for each in known if each.lower() in wanted), None)
            if name is None:
                raise SpecError(
                    f"engine {engine.path} plays {', '.join(known) or 'nothing'}, not {game}"
                )
            engine.ask(f"set_game {name}")
        options = game.options
        size = next((options[each] for each in SIZES if each in options), None)
        if "boardsize" in engine.commands and size is not None:
            engine.ask(f"boardsize {size}")
        engine.ask("clear_board")
        if "komi" in engine.commands and "komi" in options:
            engine.ask(f"komi {options['komi']}")


register_agent("gtp", GtpAgent, options=OPTIONS, help="an outside engine that speaks GTP")
