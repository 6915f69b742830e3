"""All that determines a training by Expert Iteration: small TOML files, and those of the package.

T. Anthony, Z. Tian and D. Barber, "Thinking Fast and Slow with Deep Learning and Tree Search"
(2017). The apprentice is an n-tuple network, the expert alpha-beta with the apprentice at its
leaves.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from spielbaum.base.errors import SpecError
from spielbaum.models.ntuple import check_game
from spielbaum.train.config import Section
from spielbaum.train.rounds import Evaluation, RoundConfig

CONFIGS = Path(__file__).parent / "configs"


class Apprentice(Section):
    """The network that learns; section ``[apprentice]``."""

    tuples: int = Field(default=60, ge=1, le=10_000)
    """Number of tuples, drawn at random."""
    length: int = Field(default=7, ge=1, le=20)
    """Cells of a tuple."""
    kind: Literal["walk", "slide", "points"] = "walk"
    """How tuples are drawn: random walks, walks that slide along the border, or any cells."""


class Expert(Section):
    """The search that shows the apprentice what it should have found; section ``[expert]``."""

    depth: int = Field(default=4, ge=1, le=100)
    """Plies of alpha-beta in a position, with the apprentice's values at its leaves."""
    memory: int = Field(default=64, ge=1, le=1_000_000)
    """Megabytes of its table."""


class Play(Section):
    """How positions are found; section ``[play]``."""

    games: int = Field(default=100, ge=1, le=1_000_000)
    """Games of a round, in which the apprentice plays both sides."""
    epsilon: float = Field(default=0.1, ge=0, le=1)
    """Share of random moves."""
    opening: int = Field(default=4, ge=0, le=1000)
    """Random plies before a game, at most; nothing is learnt from them."""
    max_plies: int = Field(default=500, ge=1, le=65_535)
    """A longer game is a draw."""


class Learning(Section):
    """How the apprentice learns; section ``[learning]``."""

    positions: int = Field(default=20_000, ge=1, le=100_000_000)
    """Positions of games that are remembered, the newest; their successors are learnt, too."""
    epochs: int = Field(default=1, ge=1, le=1000)
    """How often each of them is learnt in a round."""
    control: Literal["plain", "tcl", "tcl-exp"] = "tcl-exp"
    """Step sizes: all are equal, or smaller for weights whose changes contradict each other."""
    alpha: float = Field(default=0.05, gt=0, le=10)
    """Size of a step."""
    final_alpha: float = Field(default=0.02, gt=0, le=10)
    """Size in the last round; it falls geometrically."""


class ExpertConfig(RoundConfig):
    """A whole configuration.

    >>> ExpertConfig.load("connect4").expert.depth
    4
    """

    configs = CONFIGS
    tiny: ClassVar = {
        "rounds": 2,
        "apprentice.tuples": 4,
        "apprentice.length": 3,
        "expert.depth": 2,
        "play.games": 3,
        "evaluation.every": 1,
        "evaluation.games": 2,
    }

    game: str
    rounds: int = Field(default=50, ge=1, le=10_000_000)
    seed: int = Field(default=1, ge=0, le=2**62)
    apprentice: Apprentice = Field(default_factory=lambda: Apprentice())
    expert: Expert = Field(default_factory=lambda: Expert())
    play: Play = Field(default_factory=lambda: Play())
    learning: Learning = Field(default_factory=lambda: Learning())
    evaluation: Evaluation = Field(default_factory=lambda: Evaluation(games=50))

    def check(self) -> None:
        """Raise `SpecError` for values that do not go together."""
        rules = self.rules()
        check_game(rules)
        if rules.num_players != 2:
            raise SpecError(f"expert iteration is for two players; {rules} has {rules.num_players}")
        super().check()
