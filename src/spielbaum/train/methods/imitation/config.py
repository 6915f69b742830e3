"""All that determines a training by imitation: small TOML files, and those of the package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from spielbaum.arena.strength import check_opponents
from spielbaum.base.errors import SpecError
from spielbaum.games import Game, game
from spielbaum.train.config import Section, load_named, validated
from spielbaum.train.data.lessons import Learn
from spielbaum.train.nets.net_config import NetConfig, shape_of

CONFIGS = Path(__file__).parent / "configs"
METHOD = "imitation"
"""Name of this kind of training in the folder of a run."""


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


class Evaluation(Section):
    """How it is measured what was learnt; section ``[evaluation]``."""

    every: int = Field(default=5, ge=1, le=1_000_000)
    """Rounds between two measurements."""
    held_out: int = Field(default=50, ge=2, le=1_000_000)
    """One in so many games is not learnt from, but asked about."""
    positions: int = Field(default=4000, ge=1, le=10_000_000)
    """Of those games, at most."""
    opponents: tuple[str, ...] = ()
    """Agents that the network plays against, with a search."""
    games: int = Field(default=10, ge=1, le=1_000_000)
    simulations: int = Field(default=50, ge=1, le=1_000_000)
    """Of that search for each move."""
    opening: int = Field(default=2, ge=0, le=100)
    """Random plies before these games."""
    limits: str = "iterations=1000"
    """Of the opponents for each move."""


class ImitationConfig(Section):
    """A whole configuration.

    >>> config = load_config("chess")
    >>> config.network.output, config.training.search_share
    ('heads', 0.7)
    """

    game: str
    rounds: int = Field(default=40, ge=1, le=10_000_000)
    games: tuple[str, ...] = ()
    """Folders of games."""
    seed: int = Field(default=1, ge=0, le=2**62)
    network: NetConfig = Field(default_factory=lambda: NetConfig())
    training: Training = Field(default_factory=lambda: Training())
    evaluation: Evaluation = Field(default_factory=lambda: Evaluation())

    def rules(self) -> Game:
        """The game itself."""
        return game(self.game)

    def same_training(self, other: ImitationConfig) -> bool:
        """Whether they differ in nothing but how long they train."""
        return self.model_copy(update={"rounds": other.rounds}) == other

    def dry(self) -> ImitationConfig:
        """The same with tiny numbers, so that everything happens once within a minute."""
        training = {"positions": 64, "batch_size": min(self.training.batch_size, 16)}
        evaluation = {"every": 1, "held_out": 2, "positions": 64, "games": 2, "simulations": 4}
        return self.model_copy(
            update={
                "rounds": 2,
                "network": self.network.smaller(),
                "training": self.training.model_copy(update=training),
                "evaluation": self.evaluation.model_copy(update=evaluation),
            }
        )


def load_config(name: str | Path) -> ImitationConfig:
    """Read a configuration: one of the package by its name, or a file."""
    return load_named(name, CONFIGS, read_config, METHOD)


def read_config(written: Mapping[str, Any]) -> ImitationConfig:
    """A configuration from the values of a TOML file; `SpecError` names what is wrong.

    >>> read_config({"game": "tictactoe", "rounds": 0})
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: rounds = 0: input should be greater than or equal to 1
    """
    config = validated(ImitationConfig, written)
    shape_of(config.rules(), config.network)
    if config.network.output != "heads":
        raise SpecError(f"network.output = {config.network.output!r}: expected 'heads'")
    settings = config.evaluation
    check_opponents("evaluation.opponents", settings.opponents, settings.limits)
    return config
