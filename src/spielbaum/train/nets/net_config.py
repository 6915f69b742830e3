"""What a network looks like: its kind, its size, what it sees and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field, model_validator

from spielbaum.base.errors import SpecError
from spielbaum.games import Game
from spielbaum.train.config import Section

LARGEST_INPUT = 1_000_000
"""Numbers that a network may see of a position."""
MOST_BLOCKS = 200


def _several(value: Any) -> Any:
    """Read a single number as a list of one: files and headers of earlier versions have those."""
    return (value,) if isinstance(value, int) else value


def _hidden_layers(value: Any) -> Any:
    """Read 0 as no hidden layer."""
    return () if value == 0 else _several(value)


Widths = Annotated[
    tuple[Annotated[int, Field(ge=1, le=8192)], ...],
    BeforeValidator(_several),
    Field(min_length=1, max_length=MOST_BLOCKS + 1),
]
Kernels = Annotated[
    tuple[Annotated[int, Field(ge=1, le=32)], ...],
    BeforeValidator(_several),
    Field(min_length=1, max_length=MOST_BLOCKS + 1),
]
HiddenLayers = Annotated[
    tuple[Annotated[int, Field(ge=1, le=65536)], ...],
    BeforeValidator(_hidden_layers),
    Field(max_length=16),
]
Activation = Literal["relu", "leaky_relu", "sigmoid"]


class NetConfig(Section):
    """The architecture of a network; section ``[network]`` of a configuration.

    Sizes of layers are lists: one number holds for every layer, several are those of each layer in
    turn, and then say how many layers there are.

    >>> NetConfig(kind="dense", blocks=2, width=64).widths
    (64, 64)
    >>> NetConfig(kind="conv", width=[32, 32, 64]).blocks  # behind the first convolution
    2
    """

    model_config = ConfigDict(populate_by_name=True)

    kind: Literal["dense", "conv", "residual"] = "residual"
    """Layers of units; layers of convolutions; or a residual tower of pairs of these."""
    blocks: int = Field(
        default=5, ge=0, le=MOST_BLOCKS, validation_alias=AliasChoices("blocks", "num_res_layer")
    )
    """Dense layers; or convolutions or residual blocks behind a first convolution; S4's
    NUM_RES_LAYER."""
    width: Widths = (48,)
    """Units or channels: one number for all layers, or a number for each (not in a residual
    tower)."""
    kernel: Kernels = (3,)
    """Rows and columns of a convolution's kernel: one number for all, or a number for each (not in
    a residual tower); the board keeps its size."""
    pool: int = Field(default=0, ge=0, le=16)
    """Rows and columns of a window of max-pooling between convolutions; 0: no pooling. Incomplete
    windows at the edge are left out as long as two whole ones fit in each direction."""
    pool_every: int = Field(default=2, ge=1, le=MOST_BLOCKS + 1)
    """Convolutions before each pooling."""
    activation: Activation = "relu"
    batch_norm: bool = True
    dropout: float = Field(default=0.0, ge=0.0, le=0.95)
    """Share of units that are left out at random in training, before the heads' last layers and
    behind each of the value head's hidden layers."""
    body_dropout: float = Field(default=0.0, ge=0.0, le=0.95)
    """The same behind each dense layer, each residual block, and each pooling or, without pooling,
    each convolution."""
    policy: Literal["dense", "conv", "planes", "none"] = "dense"
    """The head for moves: a dense layer; for chess also two convolutions (S4's AlphaZero), or one
    of a single cell (S4's DQN); or none at all."""
    policy_width: int = Field(default=4, ge=1, le=4096)
    """Channels of the dense policy head."""
    value_width: int = Field(default=2, ge=0, le=4096)
    """Channels of the value head; 0: its first layer sees all channels of the tower."""
    value_hidden: HiddenLayers = (64,)
    """Units of each of the value head's hidden layers; 0: there are none."""
    hidden_norm: bool = True
    """Whether these are normalised if ``batch_norm`` is on; AlphaGo Zero's is not (S3)."""
    target: Literal["raw", "normalised"] = "raw"
    """What the value head learns: rewards in [-1, 1] (tanh), or in [0, 1] (logistic curve)."""
    output: Literal["heads", "linear", "relu"] = "heads"
    """``heads``: a value and logits of moves; ``linear``: a Q-value for each move, by the head for
    moves alone (DQN); ``relu``: the same, but never below 0, as S4's was."""
    encoding: str = ""
    """Planes of the game; empty: its first encoding."""
    history: int = Field(default=0, ge=0, le=16)
    """How many positions before are seen, too, as further planes."""

    @model_validator(mode="before")
    @classmethod
    def _count_layers(cls, values: Any) -> Any:
        """Take the number of layers from a list of widths, if nothing else says it."""
        if not isinstance(values, Mapping) or "blocks" in values or "num_res_layer" in values:
            return values
        width = values.get("width")
        if isinstance(width, list | tuple) and len(width) > 1:
            return {**values, "blocks": len(width) - (values.get("kind") != "dense")}
        return values

    @property
    def layers(self) -> int:
        """Number of dense layers, or of the first convolution and all blocks behind it."""
        return self.blocks + (self.kind != "dense")

    @property
    def widths(self) -> tuple[int, ...]:
        """Units or channels of each layer."""
        return self.width * self.layers if len(self.width) == 1 else self.width

    @property
    def kernels(self) -> tuple[int, ...]:
        """Size of the kernel of each convolution, or of each block."""
        return self.kernel * self.layers if len(self.kernel) == 1 else self.kernel

    def smaller(self) -> NetConfig:
        """Return a network of the same kind with few and narrow layers, for dry runs.

        >>> NetConfig(kind="dense", width=[512, 1024, 16]).smaller().width
        (16, 16)
        """
        blocks = min(self.blocks, 2)
        layers = max(1, blocks + (self.kind != "dense"))
        changes = {
            "blocks": blocks,
            "width": tuple(min(width, 16) for width in self.width[:layers]),
            "kernel": self.kernel[:layers],
            "value_hidden": tuple(min(units, 64) for units in self.value_hidden),
        }
        return self.model_copy(update=changes)


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
    spielbaum.base.errors.SpecError: chess has no encoding 'naive'; it has: own, s4
    """
    _check_layers(config)
    known = game.encodings
    if not known:
        raise SpecError(f"{game} has no planes, which are what a network sees of it")
    encoding = config.encoding or known[0]
    if encoding not in known:
        raise SpecError(f"{game} has no encoding {encoding!r:.60}; it has: {', '.join(known)}")
    planes, rows, columns = game.plane_shape(encoding)
    planes *= 1 + config.history
    if planes * rows * columns > LARGEST_INPUT:
        raise SpecError(f"a network of {game} would see more than {LARGEST_INPUT:,} numbers")
    if config.policy in ("conv", "planes") and not game.has_plane_actions:
        raise SpecError(
            f"network.policy = {config.policy!r} is for games whose moves lie on the board as "
            f"planes; expected 'dense' for {game}"
        )
    if config.policy in ("conv", "planes") and config.pool:
        raise SpecError(
            f"network.pool = {config.pool}: expected 0 with network.policy = {config.policy!r}, "
            "whose moves lie on the cells of the board"
        )
    if config.output != "heads" and (config.policy == "none" or game.num_players != 2):
        raise SpecError(
            f"network.output = {config.output!r}: Q-values need a head for moves and two players"
        )
    values = 1 if game.num_players == 2 else game.num_players
    return Shape(encoding, planes, rows, columns, game.num_actions, values)


def _check_layers(config: NetConfig) -> None:
    """Raise `SpecError` for sizes of layers that do not go with the kind of network."""
    if config.pool and config.kind != "conv":
        raise SpecError(
            f"network.pool = {config.pool}: expected 0 with network.kind = {config.kind!r}; only "
            "'conv' has pooling between its layers"
        )
    for name in ("width", "kernel"):
        sizes = getattr(config, name)
        if len(sizes) == 1:
            continue
        given = f"network.{name} = {list(sizes)!s:.60}"
        if config.kind == "residual" or (name == "kernel" and config.kind == "dense"):
            raise SpecError(f"{given}: expected one number with network.kind = {config.kind!r}")
        if len(sizes) != config.layers:
            raise SpecError(
                f"{given}: expected one number, or {config.layers}, as many as the network has "
                f"layers with network.blocks = {config.blocks}"
            )
