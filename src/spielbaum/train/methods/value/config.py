"""All that determines the training of a value network: TOML files, and those of the package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from spielbaum.arena.plan import Entrant, Plan
from spielbaum.base.errors import SpecError
from spielbaum.play.limits import Limits
from spielbaum.play.openings import Openings
from spielbaum.train.config import Section, TrainConfig
from spielbaum.train.nets.net_config import Activation, NetConfig, shape_of

CONFIGS = Path(__file__).parent / "configs"

Split = Literal["positions", "games"]
"""What is drawn for validation."""


class Games(Section):
    """The games from which the network learns; section ``[games]``."""

    number: int = Field(default=4000, ge=2, le=100_000_000)
    agents: tuple[str, ...] = Field(default=("uct:c=0.8",), min_length=1, max_length=64)
    """Who plays: one agent against itself, or each against each of the others."""
    iterations: int = Field(default=1000, ge=1, le=1_000_000_000)
    """Of an agent's search for every move."""
    openings: str = "empty"
    """How games begin, as in the arena: ``empty``, ``random:PLIES``, ``file:PATH`` ... The arena
    looks for openings that are even and all different, which takes its time with thousands."""
    processes: int = Field(default=0, ge=0, le=1024)
    """Processes that play; 0: one for each core."""


class Positions(Section):
    """What is learnt of the games; section ``[positions]``."""

    most: int = Field(default=400_000, ge=20, le=100_000_000)
    """Positions that are used, their images counted; if the games have more, some are drawn."""
    validation: float = Field(default=0.05, gt=0, lt=1)
    """Share of positions, or of games, that are not learnt, but measure what was."""
    split: Split = "positions"
    """What is drawn for that; ``games``: nothing of a game that was drawn is learnt."""
    symmetries: bool = True
    """All images of a position under the symmetries of the game are learnt."""
    ends: bool = False
    """Whether positions in which the game is over are learnt, too; a search asks for them only with
    ``blend_ends=on``."""


class Learning(Section):
    """How the network is trained; section ``[training]``."""

    epochs: int = Field(default=30, ge=1, le=1_000_000)
    batch_size: int = Field(default=256, ge=2, le=1_000_000)
    optimizer: Literal["adam", "sgd"] = "adam"
    learning_rate: float = Field(default=0.001, gt=0, le=10)
    final_learning_rate: float = Field(default=0.0, ge=0, le=10)
    """If not 0, the learning rate falls to it over all epochs, as a half cosine."""
    reg_const: float = Field(default=0.0, ge=0, le=10)
    """Weight of the sum of squared weights (L2)."""
    clip_norm: float = Field(default=5.0, gt=0, le=1e9)
    """Longer gradients are shortened to this."""
    patience: int = Field(default=0, ge=0, le=1_000_000)
    """Epochs without a better network after which training ends; 0: it never does."""
    threads: int = Field(default=1, ge=1, le=1024)
    """Threads of PyTorch; more are slower where others work on the same cores."""


class Search(Section):
    """Among which networks the best is looked for; section ``[search]``.

    The kind of network, what it sees and its target are those of ``[network]``. Kernels are varied
    if it has convolutions, and pooling if it is of the kind ``conv``.
    """

    trials: int = Field(default=0, ge=0, le=100_000)
    """Networks that are tried before the training; 0: that of ``[network]`` is taken."""
    epochs: int = Field(default=10, ge=1, le=1_000_000)
    """Of each, unless it is given up before."""
    most: int = Field(default=100_000, ge=20, le=100_000_000)
    """Positions that are used."""
    blocks: tuple[int, ...] = Field(default=(1, 2, 3), min_length=1)
    width: tuple[int, ...] = Field(default=(16, 32, 64, 128, 256), min_length=1)
    own_widths: bool = True
    """Whether each layer has a width of its own; those of a residual tower are always the same."""
    kernel: tuple[int, ...] = Field(default=(3, 5), min_length=1)
    """Rows and columns of the kernels, the same in all layers."""
    pool: tuple[int, ...] = Field(default=(0, 2), min_length=1)
    """Windows of max-pooling; 0: none."""
    value_hidden: tuple[int, ...] = Field(default=(16, 32, 64, 128), min_length=1)
    batch_norm: tuple[bool, ...] = Field(default=(False, True), min_length=1)
    dropout: tuple[float, ...] = Field(default=(0.0, 0.25, 0.5), min_length=1)
    body_dropout: tuple[float, ...] = Field(default=(0.0, 0.25), min_length=1)
    activation: tuple[Activation, ...] = Field(default=("relu",), min_length=1)
    learning_rate: tuple[float, ...] = Field(default=(0.01, 0.003, 0.001, 0.0003), min_length=1)


class ValueConfig(TrainConfig):
    """A whole configuration.

    >>> config = load_config("s0-densenet")
    >>> config.games.number, config.network.encoding, config.network.target
    (16000, 'regular', 'raw')
    """

    configs = CONFIGS
    free = ("training.epochs", "games.processes")
    tiny: ClassVar = {
        "games.number": 12,
        "games.iterations": 20,
        "positions.most": 600,
        "positions.validation": 0.2,
        "training.epochs": 2,
        "training.batch_size": 64,
        "search.trials": 2,
        "search.epochs": 2,
        "search.most": 300,
    }

    method: Literal["value"] = "value"
    game: str
    seed: int = Field(default=1, ge=0, le=2**31 - 1)
    games: Games = Field(default_factory=lambda: Games())
    positions: Positions = Field(default_factory=lambda: Positions())
    network: NetConfig = Field(default_factory=lambda: NetConfig(policy="none"))
    training: Learning = Field(default_factory=lambda: Learning())
    search: Search = Field(default_factory=lambda: Search())

    @model_validator(mode="before")
    @classmethod
    def _values_alone(cls, values: Any) -> Any:
        """A network without a word about moves has no head for them."""
        if isinstance(values, Mapping) and isinstance(values.get("network"), Mapping):
            return {**values, "network": {"policy": "none", **values["network"]}}
        return values

    def plan(self) -> Plan:
        """The games that are played.

        >>> load_config("tictactoe").plan().entrants[1].agent
        'uct:temperature=1,seed=1'
        """
        limits = Limits(iterations=self.games.iterations)
        specs = list(self.games.agents)
        while len(specs) < self.rules().num_players:
            first = self.games.agents[0]
            specs.append(f"{first}{',' if ':' in first else ':'}seed={len(specs)}")
        entrants = tuple(Entrant(spec, limits) for spec in specs)
        openings = Openings.parse(self.games.openings)
        pairings = len(Plan(self.game, entrants, 2, openings).pairings())
        each = max(2, -(-self.games.number // pairings))
        return Plan(self.game, entrants, each, openings, seed=self.seed)

    def check(self) -> None:
        """Raise `SpecError` for values that do not go together."""
        shape_of(self.rules(), self.network)
        if self.network.policy != "none":
            raise SpecError(
                f"network.policy = {self.network.policy!r}: expected 'none', for results of games "
                "teach values alone"
            )
        if self.network.history:
            raise SpecError(
                f"network.history = {self.network.history}: expected 0, for a position is learnt "
                "once, whatever was before it"
            )
        self.plan()  # says what is wrong with agents and openings


load_config, read_config = ValueConfig.load, ValueConfig.read
