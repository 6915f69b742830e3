"""The network of a training by imitation, and what changes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from spielbaum.models.inputs import Symmetries
from spielbaum.train.data.samples import PADDING, Samples
from spielbaum.train.methods.imitation.config import ImitationConfig
from spielbaum.train.nets.checkpoints import load_checkpoint, save_checkpoint
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.towers import Net, make_net
from spielbaum.train.nets.training import (
    IMPOSSIBLE,
    Losses,
    LossWeights,
    make_batch,
    policy_loss,
    set_learning_rate,
    step,
)


class Learner:
    """Learns positions once, and is asked about others."""

    def __init__(self, config: ImitationConfig) -> None:
        self._config = config
        self.game = config.rules()
        torch.set_num_threads(config.training.threads)
        torch.manual_seed(config.seed)
        self.net: Net = make_net(self.game, config.network)
        self._optimizer = torch.optim.Adam(self.net.parameters(), config.training.learning_rate)
        self._symmetries: Symmetries | None = None
        if config.training.symmetries and self.game.num_symmetries > 1:
            self._symmetries = Symmetries(self.game, self.net.shape.encoding)
        self.steps = 0
        self.positions = 0

    def learn(self, samples: Samples, number: int) -> Losses:
        """Learn every position once, in a random order; the means of the losses."""
        settings = self._config.training
        rng = np.random.default_rng([self._config.seed, number, 1])
        torch.manual_seed(self._config.seed * 1_000_003 + number)  # of dropout
        set_learning_rate(
            self._optimizer,
            settings.learning_rate,
            settings.final_learning_rate,
            number / self._config.rounds,
        )
        weights = LossWeights(settings.policy_weight, settings.value_weight, settings.reg_const)
        order = rng.permutation(len(samples))
        found = []
        for first in range(0, len(order), settings.batch_size):
            rows = order[first : first + settings.batch_size]
            if len(rows) > 1:  # batch normalisation needs two
                batch = make_batch(samples, rows, self._symmetries, rng)
                found.append(step(self.net, self._optimizer, batch, weights, settings.clip_norm))
                self.steps += 1
        self.positions += len(samples)
        return Losses(
            *(
                float(np.mean([getattr(each, name) for each in found]))
                for name in ("policy", "value", "regularisation")
            )
        )

    def judge(self, samples: Samples) -> tuple[float, float, float]:
        """Cross-entropy, mean squared error, and how often the teacher's best move is found."""
        self.net.eval()
        sums, rng = np.zeros(3), np.random.default_rng(0)
        with torch.no_grad():
            for first in range(0, len(samples), 512):
                rows = np.arange(first, min(first + 512, len(samples)))
                batch = make_batch(samples, rows, None, rng)
                values, logits = self.net(batch.planes)
                targets = batch.values
                if self.net.config.target == "normalised":
                    values = 2 * values - 1
                legal = batch.actions != PADDING
                own = torch.gather(logits, 1, batch.actions.clamp(min=0))
                best = own.masked_fill(~legal, IMPOSSIBLE).argmax(dim=1)
                sums += len(rows) * np.array(
                    [
                        policy_loss(logits, batch).item(),
                        torch.nn.functional.mse_loss(values, targets).item(),
                        (best == batch.policy.argmax(dim=1)).float().mean().item(),
                    ]
                )
        policy, value, accuracy = (sums / len(samples)).tolist()
        return policy, value, accuracy

    def save(self, path: Path, header: Mapping[str, Any]) -> None:
        """Write all that is needed to go on."""
        told = {"steps": self.steps, "positions": self.positions, **header}
        save_checkpoint(path, self.net, self._optimizer, told)

    def load(self, path: Path) -> dict[str, Any]:
        """Go on from what was written; answers the header."""
        header = load_checkpoint(path, self.net, self._optimizer)
        self.steps, self.positions = int(header["steps"]), int(header["positions"])
        return header

    def export(self, path: Path, training: Mapping[str, Any]) -> None:
        """Write the network for playing."""
        self.net.eval()
        told = {"method": "imitation", "steps": self.steps, "positions": self.positions, **training}
        told["config"] = self._config.model_dump(mode="json")
        save_net(self.net, self.game, path, told)
