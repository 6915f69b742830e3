"""One step of learning: losses of policy, value and weights, and how samples are drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from spielbaum.models.inputs import Symmetries, random_images
from spielbaum.train.data.samples import PADDING, Samples
from spielbaum.train.nets.towers import Net

IMPOSSIBLE = -1e9
"""The logit of what is no move."""
UNVISITED = -100.0
"""The logit of unvisited and of illegal moves where unvisited ones are masked (S4, 4.3.3)."""


@dataclass(frozen=True)
class Losses:
    """Means over samples; each as it enters the total, with its weight (S4, figure 6.1).

    >>> Losses(0.5, 0.25, 0.01).total
    0.76
    """

    policy: float
    value: float
    regularisation: float

    @property
    def total(self) -> float:
        """What is minimised."""
        return self.policy + self.value + self.regularisation


@dataclass(frozen=True)
class LossWeights:
    """How much each loss counts."""

    policy: float
    value: float
    regularisation: float


@dataclass(frozen=True)
class Batch:
    """Samples as tensors."""

    planes: Tensor
    actions: Tensor
    policy: Tensor
    values: Tensor
    policy_weight: Tensor


def make_optimizer(
    net: nn.Module, kind: str, rate: float, betas: tuple[float, float] = (0.9, 0.999)
) -> torch.optim.Optimizer:
    """Adam, or ``sgd`` with the first of ``betas`` as momentum."""
    if kind == "sgd":
        return torch.optim.SGD(net.parameters(), rate, momentum=betas[0])
    return torch.optim.Adam(net.parameters(), rate, betas=betas)


def set_learning_rate(
    optimizer: torch.optim.Optimizer, first: float, final: float, done: float
) -> float:
    """Let the learning rate fall from one number to another as a half cosine; 0: it stays.

    ``done`` is the share of the training that is over. Answers the rate.

    >>> optimizer = torch.optim.Adam([torch.zeros(1)], 1.0)
    >>> set_learning_rate(optimizer, 1.0, 0.5, 0.5)
    0.75
    >>> optimizer.param_groups[0]["lr"]
    0.75
    """
    rate = first
    if final:
        rate = final + (first - final) * (1 + math.cos(math.pi * min(1.0, done))) / 2
    for group in optimizer.param_groups:
        group["lr"] = rate
    return rate


def make_batch(
    samples: Samples,
    rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    symmetries: Symmetries | None,
    rng: np.random.Generator,
) -> Batch:
    """Some samples, each as a random one of its images."""
    planes, (actions,) = random_images(
        samples.planes[rows].astype(np.float32),
        [samples.actions[rows].astype(np.int64)],
        symmetries,
        rng,
    )
    return Batch(
        torch.from_numpy(planes),
        torch.from_numpy(actions),
        torch.from_numpy(samples.policy[rows].astype(np.float32)),
        torch.from_numpy(samples.values[rows]),
        torch.from_numpy(samples.policy_weight[rows]),
    )


def step(
    net: Net,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    weights: LossWeights,
    clip_norm: float,
    *,
    mask_unvisited: bool = False,
) -> Losses:
    """Change the weights once; returns the losses before. See `policy_loss` for the mask."""
    net.train()
    values, logits = net(batch.planes)
    targets = batch.values
    if net.config.target == "normalised":
        targets = (targets + 1) / 2
    value = weights.value * nn.functional.mse_loss(values, targets)
    policy = weights.policy * policy_loss(logits, batch, mask_unvisited=mask_unvisited)
    regularisation = weights.regularisation * squared_weights(net)
    total = value + policy + regularisation
    optimizer.zero_grad(set_to_none=True)
    total.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(net.parameters(), clip_norm)
    optimizer.step()
    return Losses(policy.item(), value.item(), regularisation.item())


def policy_loss(logits: Tensor, batch: Batch, *, mask_unvisited: bool = False) -> Tensor:
    """Return the cross-entropy of the policy over the legal moves, whose logits alone count.

    With ``mask_unvisited`` it is taken over the moves that the search visited, those with a share
    in the policy: all other logits are set to `UNVISITED`, so that the network does not learn
    anything about them (S4, 4.3.3).

    >>> logits = torch.tensor([[1.0, 1.0, 5.0, 9.0]])
    >>> batch = Batch(logits, torch.tensor([[0, 1, 2, PADDING]]), torch.tensor([[0.5, 0.5, 0, 0]]),
    ...               torch.zeros(1, 1), torch.ones(1))
    >>> round(policy_loss(logits, batch).item(), 3)
    4.036
    >>> round(policy_loss(logits, batch, mask_unvisited=True).item(), 3)  # log 2
    0.693
    """
    counted, masked = batch.actions != PADDING, IMPOSSIBLE
    if mask_unvisited:
        counted, masked = batch.policy > 0, UNVISITED
    own = torch.gather(logits, 1, batch.actions.clamp(min=0))
    chances = torch.log_softmax(own.masked_fill(~counted, masked), dim=1)
    crossed = -(batch.policy * chances.masked_fill(~counted, 0.0)).sum(dim=1)
    weight = batch.policy_weight
    return (crossed * weight).sum() / weight.sum().clamp(min=1.0)


def squared_weights(net: nn.Module) -> Tensor:
    """The sum of squares of all weights of layers; biases and normalisations are left alone."""
    squares = [each.square().sum() for each in net.parameters() if each.dim() > 1]
    return torch.stack(squares).sum()
