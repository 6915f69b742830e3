"""Positions to learn from, as arrays: what a network sees, and what it should answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

PADDING = -1
"""Stands for no action, where positions have fewer legal moves than others."""


@dataclass
class Samples:
    """Positions with their targets; the first axis of every array counts them.

    >>> empty = Samples.empty((3, 3, 3), 1)
    >>> len(Samples.join([empty, empty]))
    0
    """

    planes: npt.NDArray[np.float16]
    actions: npt.NDArray[np.int32]
    """The legal actions of each position, then `PADDING`."""
    policy: npt.NDArray[np.float16]
    """Probabilities of these actions; 0 behind them."""
    values: npt.NDArray[np.float32]
    """Rewards in turn order from the side to move, or of the side to move alone."""
    policy_weight: npt.NDArray[np.float32]
    """How much the policy of a position counts."""

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def empty(cls, shape: tuple[int, int, int], values: int) -> Samples:
        """No positions, of a network with that input and so many values."""
        return cls(
            np.zeros((0, *shape), np.float16),
            np.zeros((0, 1), np.int32),
            np.zeros((0, 1), np.float16),
            np.zeros((0, values), np.float32),
            np.zeros(0, np.float32),
        )

    @classmethod
    def join(cls, parts: list[Samples]) -> Samples:
        """All positions of some parts."""
        most = max(part.actions.shape[1] for part in parts)
        return cls(
            np.concatenate([part.planes for part in parts]),
            np.concatenate([_padded(part.actions, most, PADDING) for part in parts]),
            np.concatenate([_padded(part.policy, most, 0) for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.policy_weight for part in parts]),
        )


def _padded(rows: npt.NDArray[Any], size: int, value: int) -> npt.NDArray[Any]:
    return np.pad(rows, ((0, 0), (0, size - rows.shape[1])), constant_values=value)
