"""A network as an evaluator of positions: ONNX Runtime, with a cache of what was asked before."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from spielbaum.base.errors import ModelError
from spielbaum.models.onnx_file import Q_VALUES, NetFile, read_net, shared_net, start_session
from spielbaum.models.quantised import in_bytes
from spielbaum.models.shipped import find_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spielbaum.games import State

from spielbaum.models.inputs import encode, legal_mask

Floats = npt.NDArray[np.float32]
Precision: TypeAlias = Literal["float", "int8"]
"""Numbers that a network computes with: of 32 bits, or bytes."""
PREFIX = "net:"
MOST_MEMORY = 128 << 20
"""Bytes that running a network may take: larger batches are run in parts."""
Q_SHARPNESS = 10.0
"""Logits of a network of Q-values are these times this: 0.1 more is e times as likely."""


def named_evaluator(option: str, cache: int) -> NetEvaluator | None:
    """The network that an option of an agent names as ``net:FILE``; None if it names none.

    >>> named_evaluator("auto", 0) is None
    True
    """
    if not option.startswith(PREFIX):
        return None
    return NetEvaluator(shared_net(find_model(option.removeprefix(PREFIX), ".onnx")), cache)


class NetEvaluator:
    """Answers values and logits of batches of positions; see `spielbaum.agents.batches.Evaluator`.

    A network of Q-values answers that of the best legal move as value, no more than 1 and no less
    than -1, and logits that make better moves more likely (`Q_SHARPNESS`).

    ``cache``: how many answers are kept; those that were not asked for longest are forgotten. What
    is asked is known again by all that the network sees and by the legal moves, so that an answer
    is never that of another position.

    ``precision``: ``int8`` computes with bytes, which is up to 2.5 times as fast and changes values
    by about 0.01 (see `spielbaum.models.quantised`).

    >>> NetEvaluator.load(Path("/nowhere/a.onnx"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.ModelError: model /nowhere/a.onnx: No such file or directory
    """

    def __init__(self, net: NetFile, cache: int = 0, precision: Precision = "float") -> None:
        self.net = net
        self.encoding = net.encoding
        self.history = net.history
        self.evaluations = 0
        """Positions that the network itself has seen."""
        self.hits = 0
        """Positions that were answered by the cache."""
        self._session = start_session(net, in_bytes(net) if precision == "int8" else None)
        self._outputs = ["values", "logits"] if net.has_policy else ["values"]
        if net.is_q:
            self._outputs = [Q_VALUES]
        self._room = cache
        self._cache: OrderedDict[bytes, tuple[Floats, Floats]] = OrderedDict()

    @classmethod
    def load(cls, path: Path, cache: int = 0, precision: Precision = "float") -> NetEvaluator:
        """The evaluator of a file."""
        return cls(read_net(path), cache, precision)

    def evaluate(
        self, planes: npt.NDArray[np.float32], legal: npt.NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Values of shape (batch, 1), or (batch, players) in turn order, and logits."""
        if self._room == 0:
            return self._ask(planes, legal)
        keys = [_key(each, mask) for each, mask in zip(planes, legal, strict=True)]
        new = [row for row, key in enumerate(keys) if key not in self._cache]
        values = np.empty((len(keys), self.net.values), np.float32)
        logits = np.zeros(legal.shape, np.float32)
        if new:
            values[new], logits[new] = self._ask(planes[new], legal[new])
        fresh = set(new)
        self.hits += len(keys) - len(new)
        for row, key in enumerate(keys):
            if row in fresh:
                self._cache[key] = (values[row].copy(), logits[row, legal[row]])
            else:
                self._cache.move_to_end(key)
                values[row], logits[row, legal[row]] = self._cache[key]
        while len(self._cache) > self._room:
            self._cache.popitem(last=False)
        return values, logits

    def evaluate_states(
        self, states: Sequence[State], *, average: bool = False
    ) -> tuple[Floats, Floats]:
        """The same for states; ``average``: over all symmetries of the board."""
        if average:
            return self._averaged(states)
        planes = np.stack([encode(state, self.encoding, self.history) for state in states])
        return self.evaluate(planes, legal_mask(states, self.net.game.num_actions))

    def _averaged(self, states: Sequence[State]) -> tuple[Floats, Floats]:
        flat = [
            (state, index, image)
            for state in states
            for index, image in enumerate(state.symmetries())
        ]
        planes = np.stack(
            [encode(state, self.encoding, self.history, image=index) for state, index, _ in flat]
        )
        legal = legal_mask([image.state for *_, image in flat], self.net.game.num_actions)
        values, logits = self.evaluate(planes, legal)
        back = np.stack([logits[row][list(image.actions)] for row, (*_, image) in enumerate(flat)])
        shape = (len(states), len(flat) // len(states), -1)
        return values.reshape(shape).mean(axis=1), back.reshape(shape).mean(axis=1)

    def _ask(
        self, planes: npt.NDArray[np.float32], legal: npt.NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        self.evaluations += len(planes)
        room = max(1, MOST_MEMORY // max(1, self.net.row_bytes))
        parts = [self._run(planes[first : first + room]) for first in range(0, len(planes), room)]
        answers = parts[0] if len(parts) == 1 else [*map(np.concatenate, zip(*parts, strict=True))]
        values = np.asarray(answers[0], np.float32)
        if self.net.is_q:
            best = np.where(legal, values, -np.inf).max(axis=1, keepdims=True, initial=-1.0)
            return np.minimum(best, 1.0).astype(np.float32), Q_SHARPNESS * values
        if len(answers) == 1:
            return values, np.zeros(legal.shape, np.float32)
        return values, np.asarray(answers[1], np.float32)

    def _run(self, planes: npt.NDArray[np.float32]) -> list[Floats]:
        try:
            answers: list[Floats] = self._session.run(self._outputs, {"planes": planes})
        except Exception as error:  # ONNX Runtime's exceptions have no common base of their own
            reason = str(error).strip().partition("\n")[0]
            raise ModelError(f"model {self.net.path}: it cannot be run: {reason:.200}") from None
        return answers


def _key(planes: Floats, legal: npt.NDArray[np.bool_]) -> bytes:
    digest = hashlib.blake2b(planes.data, digest_size=16)
    digest.update(legal.data)
    return digest.digest()
