"""The network of a training and its optimizer: trained epoch by epoch, measured, and written."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from spielbaum.base.bounded import DAMAGE, typed
from spielbaum.base.errors import ModelError, StoreError
from spielbaum.games import Game
from spielbaum.train.data.samples import Samples
from spielbaum.train.methods.value.config import Learning
from spielbaum.train.methods.value.method import ValueRow
from spielbaum.train.nets.checkpoints import load_checkpoint, read_header, save_checkpoint
from spielbaum.train.nets.net_config import NetConfig
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.towers import make_net
from spielbaum.train.nets.training import (
    LossWeights,
    make_batch,
    make_optimizer,
    set_learning_rate,
    step,
)
from spielbaum.train.run_folder import CHECKPOINT

MEASURE_BATCH = 4096


class Trainer:
    """A value network and the positions from which it learns.

    Every epoch has its own random numbers, made from the seed and its number: a training that was
    interrupted goes on after the last whole epoch as if nothing had happened.
    """

    def __init__(
        self,
        game: Game,
        network: NetConfig,
        learning: Learning,
        samples: tuple[Samples, Samples],
        seed: int,
    ) -> None:
        """``samples``: positions for training, and for validation."""
        torch.set_num_threads(learning.threads)
        torch.manual_seed(seed)
        self._game = game
        self._learning = learning
        self._seed = seed
        self._train, self._validation = samples
        order = np.random.default_rng(seed).permutation(len(self._train))
        self._sample = np.sort(order[: len(self._validation)])
        self.net = make_net(game, network)
        self._optimizer = make_optimizer(self.net, learning.optimizer, learning.learning_rate)
        self._weights = LossWeights(policy=0.0, value=1.0, regularisation=learning.reg_const)
        self.rows: list[ValueRow] = []

    @property
    def best(self) -> ValueRow | None:
        """The epoch with the smallest error in validation."""
        return min(self.rows, key=lambda row: row.mse) if self.rows else None

    @property
    def done(self) -> bool:
        """Whether there is nothing more to do."""
        return is_done(self.rows, self._learning)

    def epoch(self) -> ValueRow:
        """Learn every position once, and measure."""
        began = time.monotonic()
        learning, number = self._learning, len(self.rows) + 1
        done = (number - 1) / max(1, learning.epochs - 1)
        rate = set_learning_rate(
            self._optimizer, learning.learning_rate, learning.final_learning_rate, done
        )
        torch.manual_seed(self._seed * 1_000_003 + number)  # of dropout
        rng = np.random.default_rng([self._seed, number])
        order = rng.permutation(len(self._train))
        for first in range(0, len(order), learning.batch_size):
            rows = order[first : first + learning.batch_size]
            if len(rows) > 1:  # batch normalisation needs two
                batch = make_batch(self._train, rows, None, rng)
                step(self.net, self._optimizer, batch, self._weights, learning.clip_norm)
        learnt = self._errors(self._train, self._sample)
        held = self._errors(self._validation, np.arange(len(self._validation)))
        before = self.rows[-1].seconds if self.rows else 0.0
        row = ValueRow(number, before + time.monotonic() - began, rate, *learnt, *held)
        self.rows.append(row)
        return row

    def save(self, folder: Path) -> None:
        """Write all that is needed to go on."""
        rows = [[getattr(row, name) for name in ValueRow.__dataclass_fields__] for row in self.rows]
        save_checkpoint(folder / CHECKPOINT, self.net, self._optimizer, {"rows": rows})

    def restore(self, folder: Path) -> None:
        """Go on with what `save` wrote, if there is something."""
        if (folder / CHECKPOINT).exists():
            load_checkpoint(folder / CHECKPOINT, self.net, self._optimizer)
            self.rows = read_epochs(folder)

    def export(self, path: Path, training: Mapping[str, Any]) -> None:
        """Write the network for playing."""
        self.net.eval()
        save_net(self.net, self._game, path, training)

    def guess(self) -> tuple[float, float]:
        """Both errors in validation if the answer is always the mean of what is learnt."""
        off = self._validation.values - self._train.values.mean(axis=0)
        return float(np.square(off).mean()), float(np.abs(off).mean())

    def _errors(
        self, samples: Samples, rows: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> tuple[float, float]:
        """Mean squared and mean absolute error of values in [-1, 1]."""
        self.net.eval()
        squares = absolutes = 0.0
        with torch.no_grad():
            for first in range(0, len(rows), MEASURE_BATCH):
                some = rows[first : first + MEASURE_BATCH]
                answers, _ = self.net(torch.from_numpy(samples.planes[some].astype(np.float32)))
                values = answers.numpy().astype(np.float64)
                if self.net.config.target == "normalised":
                    values = 2 * values - 1
                off = values - samples.values[some]
                squares += float(np.square(off).sum())
                absolutes += float(np.abs(off).sum())
        count = len(rows) * samples.values.shape[1]
        return squares / count, absolutes / count


def read_epochs(folder: Path) -> list[ValueRow]:
    """Return the epochs that the checkpoint of a run has; none if there is no checkpoint."""
    if not (folder / CHECKPOINT).exists():
        return []
    names = ValueRow.__dataclass_fields__
    try:
        rows = read_header(folder / CHECKPOINT)["rows"]
        return [typed(ValueRow, dict(zip(names, row, strict=True))) for row in rows]
    except ModelError:
        raise
    except DAMAGE:
        raise StoreError(f"training {folder}: its checkpoint is damaged") from None


def is_done(rows: Sequence[ValueRow], learning: Learning) -> bool:
    """Return whether there are all epochs, or too many since the best one."""
    if len(rows) >= learning.epochs:
        return True
    best = min(rows, key=lambda row: row.mse, default=None)
    return bool(learning.patience and best and len(rows) - best.epoch >= learning.patience)
