"""All that determines a training by imitation: small TOML files, and those of the package."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import Field

from spielbaum.arena.strength import check_opponents
from spielbaum.base.errors import SpecError
from spielbaum.train import rounds
from spielbaum.train.config import Section
from spielbaum.train.data.lessons import Learn
from spielbaum.train.nets.net_config import NetConfig, shape_of
from spielbaum.train.rounds import RoundConfig

CONFIGS = Path(__file__).parent / "configs"


class Training(Section):
    """How the network is trained; section ``[training]``."""

    positions: int = Field(default=50_000, ge=1, le=100_000_000)
    """That are read for a round, from files that are drawn, and learnt once."""
    batch_size: int = Field(default=256, ge=2, le=1_000_000)
    learning_rate: float = Field(default=0.002, gt=0, le=10)
    final_learning_rate: float = Field(default=0.0001, ge=0, le=10)
    """If not 0, the learning rate falls to it over all rounds, as a half cosine."""
    reg_const: float = Field(default=0.00001, ge=0, le=10)
    """Weight of the sum of squared weights (L2)."""
    clip_norm: float = Field(default=5.0, gt=0, le=1e9)
    """Longer gradients are shortened to this."""
    value_weight: float = Field(default=1.0, ge=0, le=1000)
    policy_weight: float = Field(default=1.0, ge=0, le=1000)
    search_share: float = Field(default=0.7, ge=0, le=1)
    """Share of the teacher's own value in the target, beside the game's result."""
    learn: Learn = "both"
    """Whose moves are learnt in recorded games of two agents: those of both, or of one of them."""
    symmetries: bool = True
    """Every position is shown as a random one of its images."""
    threads: int = Field(default=1, ge=1, le=1024)
    """Threads of PyTorch."""


class Evaluation(rounds.Evaluation):
    """How it is measured what was learnt; section ``[evaluation]``."""

    opponents: tuple[str, ...] = ()
    """Agents that the network plays against, with a search."""
    games: int = Field(default=10, ge=1, le=1_000_000)
    held_out: int = Field(default=50, ge=2, le=1_000_000)
    """One in so many games is not learnt from, but asked about."""
    positions: int = Field(default=4000, ge=1, le=10_000_000)
    """Of those games, at most."""
    simulations: int = Field(default=50, ge=1, le=1_000_000)
    """Of that search for each move."""


class Teacher(Section):
    """Who plays the games if none are named; section ``[teacher]``."""

    agent: str = ""
    """Agent whose games are recorded in the folder of the training, once. Empty: games must be
    named."""
    limits: str = ""
    """Limits of the agent for each move, such as ``iterations=200``."""
    positions: int = Field(default=20_000, ge=1, le=100_000_000)
    """Positions that are recorded."""
    max_plies: int = Field(default=300, ge=1, le=65_535)
    """A longer game counts as a draw."""


class ImitationConfig(RoundConfig):
    """A whole configuration.

    >>> config = load_config("chess")
    >>> config.network.output, config.training.search_share
    ('heads', 0.7)
    """

    configs = CONFIGS
    tiny: ClassVar = {
        "rounds": 2,
        "teacher.positions": 200,
        "training.positions": 64,
        "training.batch_size": 16,
        "evaluation.every": 1,
        "evaluation.held_out": 2,
        "evaluation.positions": 64,
        "evaluation.games": 2,
        "evaluation.simulations": 4,
    }

    game: str
    rounds: int = Field(default=40, ge=1, le=10_000_000)
    games: tuple[str, ...] = ()
    """Folders of games."""
    seed: int = Field(default=1, ge=0, le=2**62)
    network: NetConfig = Field(default_factory=lambda: NetConfig())
    training: Training = Field(default_factory=lambda: Training())
    evaluation: Evaluation = Field(default_factory=lambda: Evaluation())
    teacher: Teacher = Field(default_factory=lambda: Teacher())

    def check(self) -> None:
        """Raise `SpecError` for values that do not go together."""
        shape_of(self.rules(), self.network)
        if self.network.output != "heads":
            raise SpecError(f"network.output = {self.network.output!r}: expected 'heads'")
        super().check()
        if self.teacher.agent:
            check_opponents("teacher.agent", (self.teacher.agent,), self.teacher.limits)


load_config, read_config = ImitationConfig.load, ImitationConfig.read
