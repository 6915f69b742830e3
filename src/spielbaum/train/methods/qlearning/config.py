"""All that determines a training by tabular Q-learning: small TOML files.

C. Watkins, "Learning from Delayed Rewards", 1989; S4, 3.1.1.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import Field

from spielbaum.train.config import Section
from spielbaum.train.rounds import Evaluation, RoundConfig

CONFIGS = Path(__file__).parent / "configs"


class Learning(Section):
    """How values change; section ``[learning]``."""

    alpha: float = Field(default=0.3, gt=0, le=1)
    """How far a value goes towards what was found."""
    discount: float = Field(default=1.0, gt=0, le=1)
    """What the same result is worth a move later."""
    epsilon: float = Field(default=1.0, ge=0, le=1)
    """Share of random moves in the first round."""
    final_epsilon: float = Field(default=0.1, ge=0, le=1)
    """Share of random moves in the last round; it falls evenly."""


class QLearningConfig(RoundConfig):
    """A whole configuration.

    >>> QLearningConfig.load("tictactoe").learning.discount
    1.0
    """

    configs = CONFIGS
    tiny: ClassVar = {"rounds": 2, "games": 5, "evaluation.every": 1, "evaluation.games": 2}

    game: str
    rounds: int = Field(default=40, ge=1, le=10_000_000)
    games: int = Field(default=1000, ge=1, le=100_000_000)
    """Games of a round."""
    max_plies: int = Field(default=500, ge=1, le=65_535)
    """A longer game is broken off, and its end teaches nothing."""
    positions: int = Field(default=2_000_000, ge=1, le=100_000_000)
    """The most positions of the table; in a round that begins with more, the training ends."""
    seed: int = Field(default=1, ge=0, le=2**62)
    learning: Learning = Field(default_factory=lambda: Learning())
    evaluation: Evaluation = Field(default_factory=lambda: Evaluation(opening=0))
