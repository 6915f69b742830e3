"""What the worker that learns does: it keeps the network between generations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spielbaum.base.discover import load
from spielbaum.base.workers import desk
from spielbaum.train.methods.alphazero.config import AlphaZeroConfig
from spielbaum.train.run_folder import needs_extra

if TYPE_CHECKING:
    from spielbaum.train.methods.alphazero.learner import Learner


@dataclass(frozen=True)
class Trained:
    """The losses of a training, and how long it took."""

    generation: int
    steps: int
    losses: list[tuple[float, float, float]]
    """Policy, value and regularisation of each loop."""
    seconds: float

    @classmethod
    def of(cls, learner: Learner) -> Trained:
        """What a learner has done last."""
        losses = [(each.policy, each.value, each.regularisation) for each in learner.losses]
        return cls(learner.generation, learner.steps, losses, learner.seconds)


def begin_learning(config: AlphaZeroConfig, folder: Path, weights: Path | None) -> Trained:
    """Load the network as it is on disk, or make it; answers how it was trained last."""
    try:
        make = load(__package__, "learner").Learner
    except ImportError as error:
        raise needs_extra(error) from None
    learner: Learner = desk().keep(lambda: make(config, folder, weights))
    return Trained.of(learner)


def learn_on(files: Sequence[Path], new_positions: int) -> Trained:
    """Train the next generation on the games of files.

    ``new_positions``: how many of their positions no generation has learnt yet.
    """
    learner: Learner = desk().keep(_nothing_to_train)
    learner.train(files, new_positions)
    return Trained.of(learner)


def _nothing_to_train() -> Learner:
    raise LookupError("learn_on before begin_learning")
