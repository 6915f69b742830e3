"""What a network looks like: its kind, its size, what it sees and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import AliasChoices, ConfigDict, Field

from spielbaum.errors import SpecError
from spielbaum.games import Game
from spielbaum.learn.config_files import Section

PLANE_ACTIONS = ("chess",)
"""Games whose actions lie on the board as planes do: action = (row * columns + column) * k + i."""
LARGEST_INPUT = 1_000_000
"""Numbers that a network may see of a position."""


class NetConfig(Section):
    """The architecture of a network; section ``[network]`` of a configuration.

    >>> NetConfig(kind="dense", blocks=2, width=64).width
    64
    """

    model_config = ConfigDict(populate_by_name=True)

    kind: Literal["dense", "conv", "residual"] = "residual"
    """Layers of units; layers of 3x3 convolutions; or a residual tower of pairs of these."""
    blocks: int = Field(
        default=5, ge=0, le=200, validation_alias=AliasChoices("blocks", "num_res_layer")
    )
    """Layers, or residual blocks behind a first convolution; S4's NUM_RES_LAYER."""
    width: int = Field(default=48, ge=1, le=8192)
    """Units or channels of every layer."""
    activation: Literal["relu", "leaky_relu"] = "relu"
    batch_norm: bool = True
    dropout: float = Field(default=0.0, ge=0.0, le=0.95)
    """Share of units that are left out at random in training, before the heads' last layers."""
    policy: Literal["dense", "conv", "planes", "none"] = "dense"
    """The head for moves: a dense layer; for chess also two convolutions (S4's AlphaZero), or one
    of a single cell (S4's DQN); or none at all."""
    policy_width: int = Field(default=4, ge=1, le=4096)
    """Channels of the dense policy head."""
    value_width: int = Field(default=2, ge=1, le=4096)
    """Channels of the value head."""
    value_hidden: int = Field(default=64, ge=1, le=65536)
    """Units of the value head's hidden layer."""
    target: Literal["raw", "normalised"] = "raw"
    """What the value head learns: rewards in [-1, 1] (tanh), or in [0, 1] (logistic curve)."""
    output: Literal["heads", "linear", "relu"] = "heads"
    """``heads``: a value and logits of moves; ``linear``: a Q-value for each move, by the head for
    moves alone (DQN); ``relu``: the same, but never below 0, as S4's was."""
    encoding: str = ""
    """Planes of the game; empty: its first encoding."""
    history: int = Field(default=0, ge=0, le=16)
    """How many positions before are seen, too, as further planes."""


@dataclass(frozen=True)
class Shape:
    """What goes into a network of a game and what comes out.

    >>> import spielbaum as sb
    >>> shape_of(sb.game("connect4"), NetConfig(encoding="naive", history=1))
    Shape(encoding='naive', planes=2, rows=6, columns=7, actions=7, values=1)
    """

    encoding: str
    planes: int
    rows: int
    columns: int
    actions: int
    values: int
    """One for the side to move of two players; else one for each player in turn order."""


def shape_of(game: Game, config: NetConfig) -> Shape:
    """The shape of a network for a game; `SpecError` if the game has no such planes.

    >>> import spielbaum as sb
    >>> shape_of(sb.game("chess"), NetConfig(encoding="naive"))
    Traceback (most recent call last):
        ...
    spielbaum.errors.SpecError: chess has no encoding 'naive'; it has: own, s4
    """
    known = game.encodings
    encoding = config.encoding or (known[0] if known else "")
    if encoding not in known:
        raise SpecError(
            f"{game} has no encoding {encoding!r:.60}; it has: {', '.join(known) or 'none'}"
        )
    planes, rows, columns = game._core.encodings[known.index(encoding)].shape
    planes *= 1 + config.history
    if planes * rows * columns > LARGEST_INPUT:
        raise SpecError(f"a network of {game} would see more than {LARGEST_INPUT:,} numbers")
    if config.policy in ("conv", "planes") and game.name not in PLANE_ACTIONS:
        raise SpecError(
            f"network.policy = {config.policy!r} is for {', '.join(PLANE_ACTIONS)}, whose moves "
            f"lie on the board as planes; expected 'dense' for {game}"
        )
    if config.output != "heads" and (config.policy == "none" or game.num_players != 2):
        raise SpecError(
            f"network.output = {config.output!r}: Q-values need a head for moves and two players"
        )
    values = 1 if game.num_players == 2 else game.num_players
    return Shape(encoding, planes, rows, columns, game.num_actions, values)
