"""The network of a training by deep Q-learning: it learns from transitions, and is written down."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from spielbaum.models.inputs import Symmetries, encode, random_images
from spielbaum.train.data.samples import PADDING
from spielbaum.train.methods.dqn.config import DqnConfig
from spielbaum.train.methods.dqn.replay import Integers, Replay, Transitions
from spielbaum.train.nets.checkpoints import load_checkpoint, save_checkpoint
from spielbaum.train.nets.onnx_export import save_net
from spielbaum.train.nets.towers import Net, make_net
from spielbaum.train.nets.training import set_learning_rate, squared_weights

if TYPE_CHECKING:
    from spielbaum.games import State

IMPOSSIBLE = -1e9
"""The Q-value of what is no move."""
TOGETHER = 512
"""Positions that the network sees at a time, at most, when it does not learn."""


@dataclass(frozen=True)
class Errors:
    """Means over the steps of a round, each as it enters the total.

    >>> Errors(0.25, 0.1, 0.01).total
    0.36
    """

    q: float
    """The squared (or Huber's) error of Q-values."""
    conservative: float
    """How far other moves were from being below those of masters."""
    regularisation: float

    @property
    def total(self) -> float:
        """What is minimised."""
        return self.q + self.conservative + self.regularisation


class Learner:
    """A network, its target network, and what changes them.

    >>> import spielbaum as sb
    >>> from spielbaum.train.methods.dqn.config import read_config
    >>> network = {"kind": "dense", "blocks": 1, "width": 8}
    >>> learner = Learner(read_config({"game": "tictactoe", "network": network}))
    >>> learner.q_values([sb.game("tictactoe").initial()]).shape
    (1, 9)
    """

    def __init__(self, config: DqnConfig) -> None:
        self._config = config
        self.game = config.rules()
        torch.set_num_threads(config.learning.threads)
        torch.manual_seed(config.seed)
        self.net: Net = make_net(self.game, config.network)
        self._target = copy.deepcopy(self.net).eval()
        self._optimizer = torch.optim.Adam(self.net.parameters(), config.learning.learning_rate)
        self._symmetries: Symmetries | None = None
        if config.learning.symmetries and self.game.num_symmetries > 1:
            self._symmetries = Symmetries(self.game, self.net.shape.encoding)
        self.steps = 0

    def q_values(self, states: Sequence[State]) -> npt.NDArray[np.float32]:
        """The Q-values of all actions in some positions."""
        shape, history = self.net.shape, self._config.network.history
        planes = np.stack([encode(state, shape.encoding, history) for state in states])
        return self.q_of_planes(planes)

    def q_of_planes(self, planes: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The same for what the network sees of them."""
        self.net.eval()
        with torch.no_grad():
            parts = [
                self.net(torch.from_numpy(planes[first : first + TOGETHER]))[1]
                for first in range(0, len(planes), TOGETHER)
            ]
        answer: npt.NDArray[np.float32] = torch.cat(parts).numpy()
        return answer

    def learn(self, number: int, replay: Replay, database: Replay) -> Errors:
        """Take the steps of a round, with transitions from both memories."""
        config, settings = self._config, self._config.learning
        rng = np.random.default_rng([config.seed, number, 1])
        torch.manual_seed(self._config.seed * 1_000_003 + number)  # of dropout
        set_learning_rate(
            self._optimizer,
            settings.learning_rate,
            settings.final_learning_rate,
            number / self._config.rounds,
        )
        own = settings.batch_size
        if len(database):
            share = config.database.share if len(replay) else 1.0
            own -= round(share * settings.batch_size)
        early = database.early(config.database.opening_plies)
        sums = np.zeros(3)
        for _ in range(settings.steps):
            parts = []
            if own:
                rows = rng.integers(len(replay), size=own)
                parts.append(self._drawn(replay, rows, rng))
            if own < settings.batch_size:
                rows = rng.integers(len(database), size=settings.batch_size - own)
                if len(early):
                    chosen = rng.random(len(rows)) < config.database.opening_share
                    rows = np.where(chosen, rng.choice(early, size=len(rows)), rows)
                parts.append(self._drawn(database, rows, rng))
            sums += self._step(parts, masters=settings.batch_size - own)
            self.steps += 1
            if self.steps % settings.target_every == 0:
                self._target.load_state_dict(self.net.state_dict())
        return Errors(*(sums / settings.steps).tolist())

    def save(self, path: Path, header: Mapping[str, Any]) -> None:
        """Write all that is needed to go on."""
        told = {"steps": self.steps, **header}
        save_checkpoint(path, self._both(), self._optimizer, told)

    def load(self, path: Path) -> dict[str, Any]:
        """Go on from what was written; answers the header."""
        header = load_checkpoint(path, self._both(), self._optimizer)
        self.steps = int(header["steps"])
        return header

    def export(self, path: Path, training: Mapping[str, Any]) -> None:
        """Write the network for playing."""
        self.net.eval()
        told = {"method": "dqn", "steps": self.steps, **training}
        told["config"] = self._config.model_dump(mode="json")
        save_net(self.net, self.game, path, told)

    def _both(self) -> nn.ModuleDict:
        return nn.ModuleDict({"online": self.net, "target": self._target})

    def _drawn(self, memory: Replay, rows: Integers, rng: np.random.Generator) -> Transitions:
        settings = self._config.learning
        found = memory.take(
            rows, n_step=settings.n_step, discount=settings.discount, cut=settings.cut
        )
        planes, (legal, actions) = random_images(
            found.planes, [found.legal, found.actions[:, np.newaxis]], self._symmetries, rng
        )
        then, (then_legal,) = random_images(
            found.next_planes, [found.next_legal], self._symmetries, rng
        )
        return Transitions(
            planes,
            legal,
            actions[:, 0],
            found.meant,
            found.rewards,
            found.factors,
            then,
            then_legal,
        )

    def _step(self, parts: Sequence[Transitions], masters: int) -> tuple[float, float, float]:
        """Change the weights once; the last ``masters`` transitions are of the database."""
        config, settings = self._config, self._config.learning
        planes, then = (
            torch.from_numpy(np.concatenate([getattr(part, name) for part in parts]))
            for name in ("planes", "next_planes")
        )
        rewards, factors, actions = (
            torch.from_numpy(np.concatenate([getattr(part, name) for part in parts]))
            for name in ("rewards", "factors", "actions")
        )
        then_legal = self._mask([part.next_legal for part in parts])
        targets = rewards + factors * self._worth(then, then_legal)
        self.net.train()
        q = self.net(planes)[1]
        own = q.gather(1, actions[:, np.newaxis])[:, 0]
        error = nn.functional.mse_loss if settings.loss == "mse" else nn.functional.huber_loss
        loss = error(own, targets)
        conservative = loss.new_zeros(())
        if masters and (weight := config.database.conservative):
            legal = self._mask([parts[-1].legal])
            meant = torch.from_numpy(parts[-1].meant)
            conservative = weight * conservative_loss(
                q[-masters:], legal, actions[-masters:], meant, config.database.temperature
            )
        regularisation = loss.new_zeros(())
        if settings.reg_const:
            regularisation = settings.reg_const * squared_weights(self.net)
        self._optimizer.zero_grad(set_to_none=True)
        (loss + conservative + regularisation).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.net.parameters(), settings.clip_norm)
        self._optimizer.step()
        return loss.item(), conservative.item(), regularisation.item()

    def _worth(self, planes: Tensor, legal: Tensor) -> Tensor:
        """What the best move in each of these positions is worth, by the target network."""
        with torch.no_grad():
            judged: Tensor = self._target(planes)[1].masked_fill(~legal, IMPOSSIBLE)
            if not self._config.learning.double:
                return judged.max(dim=1).values
            self.net.eval()
            chosen = self.net(planes)[1].masked_fill(~legal, IMPOSSIBLE).argmax(dim=1, keepdim=True)
            return judged.gather(1, chosen)[:, 0]

    def _mask(self, parts: Sequence[Integers]) -> Tensor:
        """Which actions are legal, from lists of them."""
        mask = np.zeros((sum(map(len, parts)), self.net.shape.actions + 1), np.bool_)
        first = 0
        for part in parts:  # `PADDING` is the last column, which goes away
            np.put_along_axis(mask[first : first + len(part)], part, True, axis=1)
            first += len(part)
        assert PADDING == -1
        return torch.from_numpy(mask[:, :-1])


def conservative_loss(
    q: Tensor, legal: Tensor, actions: Tensor, meant: Tensor, temperature: float
) -> Tensor:
    """How far other moves are from being below those of masters, as a soft maximum.

    It is what conservative Q-learning adds (Kumar and others, 2020): without it, moves that nobody
    played keep whatever Q-value the network happens to give them. Moves by chance do not count.

    >>> q, legal = torch.tensor([[1.0, 1.0, 5.0]]), torch.tensor([[True, True, False]])
    >>> played, meant = torch.tensor([0]), torch.tensor([True])
    >>> round(conservative_loss(q, legal, played, meant, 1.0).item(), 3)  # log 2
    0.693
    """
    own = q.gather(1, actions[:, np.newaxis])[:, 0]
    soft = torch.logsumexp(q.masked_fill(~legal, IMPOSSIBLE) / temperature, dim=1)
    return ((temperature * soft - own) * meant).sum() / meant.sum().clamp(min=1)
