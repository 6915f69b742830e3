"""Networks in PyTorch: layers, residual towers, and heads for moves and values.

Each part is a small module that `onnx_export` knows how to write; a batch normalisation always
follows the layer that it can be folded into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from spielbaum.learn.nets.net_config import NetConfig, Shape, shape_of

if TYPE_CHECKING:
    from spielbaum.games import Game

SLOPE = 0.01
"""Of leaky ReLU below 0."""


class Layer(nn.Module):
    """A convolution or a dense layer, then perhaps batch normalisation, then perhaps ReLU."""

    def __init__(
        self, linear: nn.Conv2d | nn.Linear, config: NetConfig, *, activated: bool = True
    ) -> None:
        super().__init__()
        self.linear = linear
        self.norm: nn.BatchNorm1d | nn.BatchNorm2d | None = None
        if config.batch_norm:
            if isinstance(linear, nn.Conv2d):
                self.norm = nn.BatchNorm2d(linear.out_channels)
            else:
                self.norm = nn.BatchNorm1d(linear.out_features)
        self.activated = activated
        self.slope = SLOPE if config.activation == "leaky_relu" else 0.0

    def forward(self, x: Tensor) -> Tensor:
        """The layer's output."""
        x = self.linear(x)
        if self.norm is not None:
            x = self.norm(x)
        if not self.activated:
            return x
        return nn.functional.leaky_relu(x, self.slope) if self.slope else torch.relu(x)


class Residual(nn.Module):
    """Two convolutions and a way around them (S3, S4)."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.first = convolution(config.width, config.width, 3, config)
        self.second = convolution(config.width, config.width, 3, config, activated=False)
        self.slope = self.first.slope

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        x = x + self.second(self.first(x))
        return nn.functional.leaky_relu(x, self.slope) if self.slope else torch.relu(x)


class PlaneLogits(nn.Module):
    """Logits that lie on the board: planes (B, k, H, W) become actions (B, H * W * k)."""

    def forward(self, x: Tensor) -> Tensor:
        """The logits in the order of actions."""
        return x.permute(0, 2, 3, 1).flatten(1)


class Net(nn.Module):
    """A body, a value head, and perhaps a head for moves.

    It answers values in the scale of its target (``tanh`` or logistic) and logits; without a
    policy head these are zeros. A network of Q-values has no value head: its values are zeros, and
    it answers Q-values where others answer logits.

    >>> import spielbaum as sb
    >>> net = make_net(sb.game("tictactoe"), NetConfig(kind="residual", blocks=1, width=8))
    >>> values, logits = net(torch.zeros(4, 3, 3, 3))
    >>> tuple(values.shape), tuple(logits.shape)
    ((4, 1), (4, 9))
    """

    def __init__(self, shape: Shape, config: NetConfig) -> None:
        super().__init__()
        self.shape = shape
        self.config = config
        self.body, features, channels = _body(shape, config)
        self.policy = _policy_head(shape, config, features, channels)
        self.value: nn.Sequential | None = None
        if config.output == "heads":
            self.value = _value_head(shape, config, features, channels)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Values and logits of a batch of planes."""
        if self.config.kind != "dense":
            planes = planes.contiguous(memory_format=torch.channels_last)
        x = self.body(planes)
        if self.value is None:
            assert self.policy is not None
            return x.new_zeros(len(x), self.shape.values), self.policy(x)
        value = self.value(x)
        value = torch.sigmoid(value) if self.config.target == "normalised" else torch.tanh(value)
        if self.policy is None:
            return value, value.new_zeros(len(value), self.shape.actions)
        return value, self.policy(x)

    def parameter_count(self) -> int:
        """How many numbers are learnt.

        >>> import spielbaum as sb
        >>> make_net(sb.game("tictactoe"), NetConfig(kind="dense", blocks=0)).parameter_count()
        2173
        """
        return sum(each.numel() for each in self.parameters())


def make_net(game: Game, config: NetConfig) -> Net:
    """A network for a game, with random weights of PyTorch's generator."""
    net = Net(shape_of(game, config), config)
    # Channels of a cell side by side: convolutions learn a fifth faster on a CPU.
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return net


def convolution(
    before: int, after: int, size: int, config: NetConfig, *, activated: bool = True
) -> Layer:
    """A convolution over the board that keeps its size."""
    bias = not config.batch_norm  # which would undo it
    linear = nn.Conv2d(before, after, size, padding=size // 2, bias=bias)
    return Layer(linear, config, activated=activated)


def _body(shape: Shape, config: NetConfig) -> tuple[nn.Sequential, int, int]:
    """The common part, and how many numbers and channels come out of it (0: it is flat)."""
    cells = shape.rows * shape.columns
    layers: list[nn.Module] = []
    if config.kind == "dense":
        layers.append(nn.Flatten())
        before = shape.planes * cells
        for _ in range(config.blocks):
            layers.append(
                Layer(nn.Linear(before, config.width, bias=not config.batch_norm), config)
            )
            before = config.width
        return nn.Sequential(*layers), before, 0
    layers.append(convolution(shape.planes, config.width, 3, config))
    for _ in range(config.blocks):
        if config.kind == "residual":
            layers.append(Residual(config))
        else:
            layers.append(convolution(config.width, config.width, 3, config))
    return nn.Sequential(*layers), config.width * cells, config.width


def _policy_head(
    shape: Shape, config: NetConfig, features: int, channels: int
) -> nn.Sequential | None:
    if config.policy == "none":
        return None
    layers: list[nn.Module] = []
    cells = shape.rows * shape.columns
    if config.policy == "planes" and channels:
        layers.append(nn.Dropout(config.dropout))
        layers.append(_last(nn.Conv2d(channels, shape.actions // cells, 1), config))
        layers.append(PlaneLogits())
        return nn.Sequential(*layers)
    if config.policy == "conv" and channels:
        layers.append(convolution(channels, channels, 3, config))
        layers.append(nn.Dropout(config.dropout))
        layers.append(_last(nn.Conv2d(channels, shape.actions // cells, 3, padding=1), config))
        layers.append(PlaneLogits())
        return nn.Sequential(*layers)
    if channels:
        layers.append(convolution(channels, config.policy_width, 1, config))
        layers.append(nn.Flatten())
        features = config.policy_width * cells
    layers.append(nn.Dropout(config.dropout))
    layers.append(_last(nn.Linear(features, shape.actions), config))
    return nn.Sequential(*layers)


def _last(linear: nn.Conv2d | nn.Linear, config: NetConfig) -> nn.Module:
    """The layer that answers; S4's DQN normalised it, and cut off what is below 0."""
    return Layer(linear, config) if config.output == "relu" else linear


def _value_head(shape: Shape, config: NetConfig, features: int, channels: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    if channels:
        layers.append(convolution(channels, config.value_width, 1, config))
        layers.append(nn.Flatten())
        features = config.value_width * shape.rows * shape.columns
    hidden = nn.Linear(features, config.value_hidden, bias=not config.batch_norm)
    layers.append(Layer(hidden, config))
    layers.append(nn.Dropout(config.dropout))
    layers.append(nn.Linear(config.value_hidden, shape.values))
    return nn.Sequential(*layers)
