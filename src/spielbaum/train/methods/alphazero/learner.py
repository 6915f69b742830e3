"""The network of a training and its optimizer: restored, trained on the memory, and written."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from spielbaum.base.bounded import DAMAGE
from spielbaum.base.errors import StoreError
from spielbaum.models.inputs import Symmetries
from spielbaum.train.data.lessons import lessons_of
from spielbaum.train.data.samples import Samples
from spielbaum.train.methods.alphazero.config import AlphaZeroConfig
from spielbaum.train.methods.alphazero.run_memory import net_path
from spielbaum.train.nets.checkpoints import load_checkpoint, load_weights, save_checkpoint
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.onnx_weights import take_weights
from spielbaum.train.nets.towers import Net, make_net
from spielbaum.train.nets.training import (
    Losses,
    LossWeights,
    make_batch,
    make_optimizer,
    set_learning_rate,
    step,
)
from spielbaum.train.run_folder import CHECKPOINT

if TYPE_CHECKING:
    from spielbaum.games import Game


class Learner:
    """Trains the network of a run's folder, generation by generation."""

    def __init__(self, config: AlphaZeroConfig, folder: Path, weights: Path | None = None) -> None:
        """``weights``: a checkpoint, or a network's file, with which a new training begins."""
        self._config = config
        self._folder = folder
        self._game = config.rules()
        self._parts: dict[Path, Samples] = {}
        torch.set_num_threads(config.retraining.threads)
        torch.manual_seed(config.seed)
        self._net = make_net(self._game, config.network)
        settings = config.retraining
        self._optimizer = make_optimizer(
            self._net,
            settings.optimizer,
            settings.learning_rate,
            (settings.beta_1, settings.beta_2),
        )
        self._symmetries: Symmetries | None = None
        if config.retraining.symmetries and self._game.num_symmetries > 1:
            self._symmetries = Symmetries(self._game, self._net.shape.encoding)
        self.generation = 0
        self.steps = 0
        """Of the optimizer, so far."""
        self.seconds = 0.0
        """Of the last training."""
        self.losses: list[Losses] = []
        """Of the last training, loop by loop."""
        if (folder / CHECKPOINT).exists():
            header = load_checkpoint(folder / CHECKPOINT, self._net, self._optimizer)
            try:
                self.generation, self.steps = int(header["generation"]), int(header["steps"])
                self.losses = [Losses(*map(float, each)) for each in header["losses"]]
            except DAMAGE:
                raise StoreError(f"training {folder}: its checkpoint is damaged") from None
        else:
            if weights is not None:
                _begin_with(weights, self._net, self._game)
            self._save()
        if not net_path(folder, self.generation).exists():
            self.export()

    def train(self, files: Sequence[Path], new_positions: int) -> list[Losses]:
        """Train on the games of some files, and write the next generation; losses of each loop."""
        settings = self._config.retraining
        generation = self.generation + 1
        samples = self._samples(files)
        loops = settings.training_loops
        if settings.samples_per_position:
            wanted = new_positions * settings.samples_per_position
            loops = max(1, round(wanted / settings.epochs / settings.batch_size_1))
        rng = np.random.default_rng([self._config.seed, generation])
        set_learning_rate(
            self._optimizer,
            settings.learning_rate,
            settings.final_learning_rate,
            generation / self._config.model_updates,
        )
        self.losses = []
        began = time.monotonic()
        for _ in range(loops):
            self.losses.append(self._loop(samples, rng))
        self.seconds = time.monotonic() - began
        self.generation = generation
        self._save()
        self.export()
        return self.losses

    def export(self) -> None:
        """Write the network for playing."""
        training = {
            "method": "alphazero",
            "generation": self.generation,
            "steps": self.steps,
            "config": self._config.model_dump(mode="json"),
        }
        self._net.eval()
        path = net_path(self._folder, self.generation)
        path.parent.mkdir(exist_ok=True)
        save_net(self._net, self._game, path, training)

    def _loop(self, samples: Samples, rng: np.random.Generator) -> Losses:
        """Draw positions from the memory, and use them in small batches (S4)."""
        settings = self._config.retraining
        weights = LossWeights(settings.policy_weight, settings.value_weight, settings.reg_const)
        drawn = rng.integers(len(samples), size=min(settings.batch_size_1, 4 * len(samples)))
        found = []
        for _ in range(settings.epochs):
            rng.shuffle(drawn)
            for first in range(0, len(drawn), settings.batch_size_2):
                rows = drawn[first : first + settings.batch_size_2]
                if len(rows) > 1:  # batch normalisation needs two
                    batch = make_batch(samples, rows, self._symmetries, rng)
                    found.append(
                        step(
                            self._net,
                            self._optimizer,
                            batch,
                            weights,
                            settings.clip_norm,
                            mask_unvisited=settings.mask_unvisited,
                        )
                    )
                    self.steps += 1
        return Losses(
            *(
                float(np.mean([getattr(each, name) for each in found]))
                for name in ("policy", "value", "regularisation")
            )
        )

    def _samples(self, files: Sequence[Path]) -> Samples:
        """The positions of files; what was read before is not read again."""
        config = self._config
        parts: dict[Path, Samples] = {}
        for path in files:
            parts[path] = self._parts.get(path) or lessons_of(
                path,
                self._game,
                self._net.shape,
                history=config.network.history,
                search_share=config.retraining.search_share,
                result_share=config.retraining.result_share,
            )
        self._parts = parts
        return Samples.join(list(parts.values()))

    def _save(self) -> None:
        header = {
            "generation": self.generation,
            "steps": self.steps,
            "config": self._config.model_dump(mode="json"),
            "losses": [[each.policy, each.value, each.regularisation] for each in self.losses],
        }
        save_checkpoint(self._folder / CHECKPOINT, self._net, self._optimizer, header)


def check_weights(config: AlphaZeroConfig, weights: Path) -> None:
    """Say why a training cannot begin with some weights, before it has a folder."""
    game = config.rules()
    _begin_with(weights, make_net(game, config.network), game)


def _begin_with(weights: Path, net: Net, game: Game) -> None:
    if weights.suffix == ".onnx":
        take_weights(weights, net, game)
    else:
        load_weights(weights, net)
