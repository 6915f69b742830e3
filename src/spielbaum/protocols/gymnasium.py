"""Gymnasium: one seat of a game, against agents (``pip install 'spielbaum[environments]'``).

Importing this module registers every native game, such as ``Spielbaum/ConnectFour-v0``; the prefix
``spielbaum.protocols.gymnasium:`` of an id does the same. What `spielbaum.protocols.pettingzoo`
shares with it is here: spaces, masks and pictures.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete

from spielbaum.agents import Agent, Budget, Decision
from spielbaum.agents import agent as make_agent
from spielbaum.base.discover import when_needed
from spielbaum.base.errors import SpecError
from spielbaum.games import Game, State, game
from spielbaum.games.drawing.raster import pixels
from spielbaum.games.game import native_games
from spielbaum.play.table import Player, Rules, Table, take

NAMES = {
    "chess": "Chess",
    "connect4": "ConnectFour",
    "hex": "Hex",
    "reversi": "Reversi",
    "reversixt": "ReversiXT",
    "tictactoe": "TicTacToe",
    "yavalath": "Yavalath",
}
"""How the ids call the games; a game that is not listed has its own name with a capital."""

Planes: TypeAlias = npt.NDArray[np.float32]
Mask: TypeAlias = npt.NDArray[np.int8]


class SeatEnv(gymnasium.Env[Planes, int]):
    """One seat of a game: the environment's player against agents in all other seats.

    An observation is the position as feature planes (see `State.planes`) at the environment's turn;
    ``info["action_mask"]`` and `action_masks` say which actions are legal. The reward is 0 until
    the game ends, then the outcome's in [-1, 1]; an illegal action loses the game.

    >>> env = SeatEnv("tictactoe", opponent="perfect", seat=1)
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, int(info["action_mask"].sum())
    ((3, 3, 3), 8)
    >>> env.step(int(info["action_mask"].argmax()))[1:4]
    (0.0, False, False)
    """

    metadata = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        rules: Game | str = "tictactoe",
        *,
        opponent: str | Agent | Sequence[str | Agent] = "random",
        seat: int | None = 0,
        budget: Budget | None = None,
        encoding: str = "own",
        max_plies: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """``seat`` is the player who learns, or None: another one in every episode, drawn by seed.

        ``opponent`` plays all other seats; a sequence has one agent for each of them. ``budget`` is
        what they may use for a move. An episode is truncated after ``max_plies``.
        """
        self._game = rules if isinstance(rules, Game) else game(rules)
        players = self._game.num_players
        if seat is not None and not 0 <= seat < players:
            raise SpecError(f"seat {seat}: {self._game} has the seats 0 to {players - 1}")
        several = isinstance(opponent, Sequence) and not isinstance(opponent, str)
        given: list[Any] = list(opponent) if several else [opponent] * (players - 1)  # type: ignore[arg-type]
        if len(given) != players - 1:
            raise SpecError(f"{len(given)} opponents: {self._game} needs {players - 1}")
        self._opponents = [make_agent(each) if isinstance(each, str) else each for each in given]
        self._seat = seat
        self._budget = budget or Budget()
        self._encoding = encoding
        self._rules = Rules(max_plies=max_plies)
        self._viewer = Viewer(render_mode)
        self.render_mode = render_mode
        self.observation_space = plane_space(self._game, encoding)  # type: ignore[assignment]
        self.action_space = Discrete(self._game.num_actions)  # type: ignore[assignment]
        self._table: Table | None = None
        self.seat = seat or 0
        """The player of this episode."""

    @property
    def position(self) -> State:
        """The position of the running game, for tools that want more than planes."""
        return self._running.state

    @property
    def _running(self) -> Table:
        if self._table is None:
            raise SpecError("the environment has no game yet: call reset() first")
        return self._table

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        """Start a game, and have those play who move before the environment's player."""
        super().reset(seed=seed)
        if self._seat is None:
            self.seat = int(self.np_random.integers(self._game.num_players))
        players = []
        for opponent in self._opponents:
            opponent.reset(seed=int(self.np_random.integers(2**31)))
            players.append(Player(opponent, self._budget))
        players.insert(self.seat, Player(None))
        self._table = Table(self._game.initial(), players, self._rules)
        self._let_others_play()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Play an action, and have the others play until it is the environment's turn again."""
        table = self._running
        if table.turn() is None:
            raise SpecError("the game is over: call reset() before the next step")
        table.play(Decision(int(action)))
        self._let_others_play()
        result = table.result
        reward = 0.0 if result is None else float(result.rewards[self.seat])
        truncated = result is not None and result.ended_by == "length"
        if self.render_mode == "human":
            self.render()
        over = result is not None and not truncated
        return self._observation(), reward, over, truncated, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal, as `sb3_contrib.MaskablePPO` asks for it."""
        return self._mask().astype(np.bool_)

    def render(self) -> Any:
        """The board as text or pixels, or None after showing it in a window."""
        return self._viewer.show(self._running.state)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._viewer.close()

    def _let_others_play(self) -> None:
        while (turn := self._running.turn()) is not None and turn.player != self.seat:
            take(turn)

    def _mask(self) -> Mask:
        table = self._running
        return action_mask(table.state if table.result is None else None, self._game.num_actions)

    def _observation(self) -> Planes:
        return self._running.state.planes(self._encoding)

    def _info(self) -> dict[str, Any]:
        result = self._running.result
        return {"action_mask": self._mask(), **({"reason": result.reason} if result else {})}


def plane_space(rules: Game, encoding: str) -> Box:
    """The space of feature planes, whose numbers have no bounds that hold for all games."""
    if not rules.encodings:
        raise SpecError(f"{rules} has no feature planes, which environments observe")
    return Box(-np.inf, np.inf, rules.plane_shape(encoding), np.float32)


def action_mask(state: State | None, num_actions: int) -> Mask:
    """1 for every legal action; none without a state.

    >>> action_mask(game("tictactoe").state("a1"), 9)
    array([0, 1, 1, 1, 1, 1, 1, 1, 1], dtype=int8)
    """
    mask = np.zeros(num_actions, dtype=np.int8)
    if state is not None:
        mask[list(state.legal_moves)] = 1
    return mask


def has_display() -> bool:
    """Whether a window could be opened here."""
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


class Viewer:
    """Shows positions in one of the modes ``ansi`` (text), ``rgb_array`` (pixels) and ``human``."""

    def __init__(self, mode: str | None) -> None:
        if mode not in (None, "ansi", "rgb_array", "human"):
            raise SpecError(f"render_mode {mode!r:.40}: expected ansi, rgb_array or human")
        self._mode = mode
        self._figure: Any = None

    def show(self, state: State) -> Any:
        """The position as text or pixels; None in a window, and without a mode.

        >>> Viewer("rgb_array").show(game("tictactoe").initial()).shape
        (360, 360, 3)
        """
        if self._mode == "ansi":
            return str(state)
        if self._mode is not None:
            image = pixels(state.svg())
            if self._mode == "rgb_array":
                return image
            self._open(image)
        return None

    def _open(self, image: npt.NDArray[np.uint8]) -> None:
        if not has_display():
            raise SpecError("render_mode human: there is no display; expected ansi or rgb_array")
        pyplot = when_needed("matplotlib.pyplot")
        if self._figure is None:
            self._figure = pyplot.figure("Spielbaum", figsize=(5, 5))
        self._figure.clear()
        axes = self._figure.add_axes((0, 0, 1, 1))
        axes.imshow(image)
        axes.axis("off")
        pyplot.pause(0.01)

    def close(self) -> None:
        """Close the window, if one was opened."""
        if self._figure is not None:
            when_needed("matplotlib.pyplot").close(self._figure)
            self._figure = None


def register() -> tuple[str, ...]:
    """Register an id for every native game, and return the ids.

    >>> "Spielbaum/ConnectFour-v0" in register()
    True
    """
    ids = []
    for name in native_games():
        ids.append(f"Spielbaum/{NAMES.get(name, name.capitalize())}-v0")
        if ids[-1] not in gymnasium.registry:
            gymnasium.register(
                id=ids[-1], entry_point=f"{__name__}:SeatEnv", kwargs={"rules": name}
            )
    return tuple(ids)


register()
