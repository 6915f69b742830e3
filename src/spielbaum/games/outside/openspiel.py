"""Games of OpenSpiel: ``openspiel:name=hex,board_size=7`` (``pip install 'spielbaum[openspiel]'``).

Every sequential, deterministic zero-sum game of perfect information that ``pyspiel`` knows is a
game here, with the parameters that OpenSpiel gives it as options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from spielbaum.base.discover import when_needed
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option, OptionValue, did_you_mean, resolve
from spielbaum.games.outcome import Outcome
from spielbaum.games.python_game import PythonGame

MOST_ACTIONS = 0xFFFF
MOST_PLAYERS = 8


class Position:
    """A state of OpenSpiel's that nobody changes, with the moves that led to it as its identity.

    OpenSpiel does not say which of its states are interchangeable (ko, repetitions and counters of
    moves depend on the path), so that positions are equal only after the same moves.
    """

    __slots__ = ("_texts", "key", "player", "state")

    def __init__(self, state: Any, player: int, key: bytes) -> None:
        self.state = state
        self.player = player
        self.key = key
        self._texts: dict[int, str] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def texts(self) -> Mapping[int, str]:
        """The text of every legal move: OpenSpiel's own as far as that is one unmistakable word."""
        if self._texts is None:
            moves = self.state.legal_actions()
            written = [self.state.action_to_string(self.player, move) for move in moves]
            self._texts = dict(zip(moves, one_word_each(written, moves), strict=True))
        return self._texts


def one_word_each(texts: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """Texts of moves without blanks, all of them different; their numbers if nothing else is.

    >>> one_word_each(["B a1", "B PASS"], [0, 25])
    ['a1', 'PASS']
    >>> one_word_each(["bQ bA1/", "bG bA1/"], [3, 4])
    ['bQ_bA1/', 'bG_bA1/']
    >>> one_word_each(["up", "up"], [3, 4])
    ['3', '4']
    """
    words = [text.replace(", ", ",").split() for text in texts]
    if all(words):
        for shown in ([each[-1] for each in words], ["_".join(each) for each in words]):
            if len(set(shown)) == len(shown):
                return shown
    return [str(number) for number in numbers]


class OpenSpielGame(PythonGame):
    """A game of OpenSpiel."""

    name = "openspiel"
    options = (Option("name", "", "OpenSpiel's name of the game, such as hex"),)

    def __init__(self, name: str, **parameters: OptionValue) -> None:
        changed = {
            option.name: parameters[option.name]
            for option in self.declare({"name": name, **parameters})[1:]
            if parameters[option.name] != option.default
        }
        self.game = load(name, changed)
        self.num_players = self.game.num_players()
        self.num_actions = self.game.num_distinct_actions()
        self._highest = max(1.0, self.game.max_utility(), -self.game.min_utility())
        self._observation = observation_shape(self.game)
        if self._observation is not None:
            planes, rows, columns = self._observation
            self.plane_shape = (planes + self.num_players, rows, columns)

    @classmethod
    def declare(cls, given: Mapping[str, object]) -> Sequence[Option]:
        """The name, then the parameters of the game of that name.

        The default of a parameter is what it would be beside the others that are given: an edge of
        Hex is as long as ``board_size`` says unless ``num_rows`` does.
        """
        name = str(given.get("name", ""))
        parameters = specification(name)
        plain = [option_of(key, initial) for key, initial in parameters.items()]
        known = [option for option in plain if option.name in given]
        try:
            values = resolve(
                "game", cls.name, known, {each.name: given[each.name] for each in known}
            )
        except SpecError:
            return (*cls.options, *plain)  # by which somebody else finds the error and tells it
        declared = []
        for option in plain:
            others = {key: value for key, value in values.items() if key != option.name}
            default = effective(name, others).get(option.name) if others else option.default
            declared.append(
                replace(option, default=default)
                if isinstance(default, type(option.default))
                else option
            )
        return (*cls.options, *declared)

    def initial(self) -> Position:
        """OpenSpiel's initial state."""
        state = self.game.new_initial_state()
        return Position(state, state.current_player(), b"")

    def to_move(self, state: Position) -> int:
        """The player whose turn it is or, after the end, would be."""
        return state.player

    def legal_moves(self, state: Position) -> Sequence[int]:
        """OpenSpiel's actions, whose numbers are those of moves here."""
        moves: list[int] = state.state.legal_actions()
        return moves

    def play(self, state: Position, action: int) -> Position:
        """A copy of the state, in which the action has been played."""
        following = state.state.clone()
        following.apply_action(action)
        player = following.current_player()
        if player < 0:
            player = (state.player + 1) % self.num_players
        return Position(following, player, state.key + action.to_bytes(2, "little"))

    def outcome(self, state: Position) -> Outcome | None:
        """OpenSpiel's returns, divided by the highest that there are if these exceed 1."""
        if not state.state.is_terminal():
            return None
        rewards = tuple(reward / self._highest + 0.0 for reward in state.state.returns())
        best = max(rewards)
        winner = rewards.index(best) if rewards.count(best) == 1 else None
        return Outcome(rewards, winner, "the rules of OpenSpiel")

    def key(self, state: Position) -> bytes:
        """The moves since the start."""
        return state.key

    def notation(self, state: Position) -> str:
        """The texts of the moves since the start."""
        position, texts = self.initial(), []
        for action in state.state.history():
            texts.append(position.texts[action])
            position = self.play(position, action)
        return self.join_moves(texts)

    def text(self, state: Position, action: int) -> str:
        """OpenSpiel's text of the action, as one word."""
        return state.texts[action]

    def parse(self, state: Position, text: str) -> int | None:
        """The action of that text."""
        return next((move for move, each in state.texts.items() if each == text), None)

    def planes(self, state: Position) -> npt.NDArray[np.float32]:
        """What the player to move observes, then a plane for each player: ones if it is his turn.

        Many of OpenSpiel's observations do not say whose turn it is.
        """
        assert self._observation is not None
        assert self.plane_shape is not None
        observed = np.array(state.state.observation_tensor(state.player), dtype=np.float32)
        planes = np.zeros(self.plane_shape, dtype=np.float32)
        planes[: -self.num_players] = observed.reshape(self._observation)
        planes[state.player - self.num_players] = 1.0
        return planes

    def diagram(self, state: Position) -> str:
        """OpenSpiel's text of the state."""
        return str(state.state).rstrip("\n")


def specification(name: str) -> dict[str, Any]:
    """The parameters of a game of OpenSpiel with their defaults.

    >>> specification("breakthrough")
    {'columns': 8, 'rows': 8}
    """
    known = pyspiel().registered_names()
    if not name:
        raise SpecError("game openspiel: expected the name of a game, as in openspiel:name=hex")
    if name not in known:
        raise SpecError(
            f"game openspiel: OpenSpiel has no game {name!r:.60}{did_you_mean(name, known)}"
        )
    (found,) = (each for each in pyspiel().registered_games() if each.short_name == name)
    parameters: dict[str, Any] = found.parameter_specification
    return parameters


def option_of(key: str, initial: Any) -> Option:
    """A parameter of OpenSpiel's as an option; a game inside of a game is written as a text."""
    if isinstance(initial, bool | float | str):
        return Option(key, initial)
    if isinstance(initial, int):
        return Option(key, initial, low=min(initial, 1))
    return Option(key, "")


def effective(name: str, changed: Mapping[str, object]) -> dict[str, Any]:
    """All parameters of a game in which some are changed; none if OpenSpiel refuses them."""
    try:
        parameters: dict[str, Any] = pyspiel().load_game(written(name, changed)).get_parameters()
    except pyspiel().SpielError:
        return {}
    return parameters


def load(name: str, changed: Mapping[str, object]) -> Any:
    """A game of OpenSpiel, if it can be played here; `SpecError` says why not."""
    try:
        game = pyspiel().load_game(written(name, changed))
        reason = why_not(game)
        if reason is None:
            # Some sizes are refused only when a game starts, or when moves are written.
            start = game.new_initial_state()
            for move in start.legal_actions():
                start.action_to_string(move)
    except (pyspiel().SpielError, ValueError) as error:
        said = str(error).strip().split("\n")[0]
        raise SpecError(
            f"game openspiel: OpenSpiel refuses {written(name, changed)}: {said:.200}"
        ) from None
    if reason is not None:
        raise SpecError(f"game openspiel: {name} cannot be played here, for {reason}")
    return game


def why_not(game: Any) -> str | None:
    """The reason why a game cannot be played here, if there is one."""
    kinds, kind, players = pyspiel().GameType, game.get_type(), game.num_players()
    reasons = {
        "its players do not move one after the other": kind.dynamics != kinds.Dynamics.SEQUENTIAL,
        "chance takes part in it": kind.chance_mode != kinds.ChanceMode.DETERMINISTIC,
        "its players do not see everything": (
            kind.information != kinds.Information.PERFECT_INFORMATION
        ),
        f"it has {players} players, expected 2 to {MOST_PLAYERS}": not 2 <= players <= MOST_PLAYERS,
        "its rewards do not sum to zero": kind.utility != kinds.Utility.ZERO_SUM,
        f"it has more than {MOST_ACTIONS} actions": game.num_distinct_actions() > MOST_ACTIONS,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def written(name: str, parameters: Mapping[str, object]) -> str:
    """A game as OpenSpiel writes it.

    >>> written("go", {"board_size": 5, "komi": "0.5"})
    'go(board_size=5,komi=0.5)'
    """
    return f"{name}({','.join(f'{key}={value}' for key, value in parameters.items())})"


def observation_shape(game: Any) -> tuple[int, int, int] | None:
    """Planes, rows and columns of OpenSpiel's observations; None if it has none."""
    if not game.get_type().provides_observation_tensor:
        return None
    shape = game.observation_tensor_shape()
    if len(shape) == 3:
        planes, rows, columns = shape
        return planes, rows, columns
    return prod(shape), 1, 1


def pyspiel() -> Any:
    """OpenSpiel itself, imported when a game of its is first named."""
    try:
        return when_needed("pyspiel")
    except ImportError:
        raise SpecError(
            "games of OpenSpiel need the package open-spiel: pip install 'spielbaum[openspiel]'"
        ) from None


GAME = OpenSpielGame
