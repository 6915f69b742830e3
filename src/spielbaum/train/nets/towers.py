"""Networks in PyTorch: layers, residual towers, and heads for moves and values.

Each part is a small module that `onnx_export` knows how to write; a batch normalisation always
follows the layer that it can be folded into.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from spielbaum.train.nets.net_config import Activation, NetConfig, Shape, shape_of

if TYPE_CHECKING:
    from spielbaum.games import Game

SLOPE = 0.01
"""Of leaky ReLU below 0."""


def activate(x: Tensor, activation: Activation) -> Tensor:
    """Apply an activation function to every number.

    >>> activate(torch.tensor([-1.0, 2.0]), "leaky_relu").tolist()
    [-0.009999999776482582, 2.0]
    """
    if activation == "sigmoid":
        return torch.sigmoid(x)
    return nn.functional.leaky_relu(x, SLOPE) if activation == "leaky_relu" else torch.relu(x)


class Convolution(nn.Conv2d):
    """A convolution that keeps the size of the board; even kernels reach farther down and right.

    >>> Convolution(1, 8, 4)(torch.zeros(2, 1, 6, 7)).shape
    torch.Size([2, 8, 6, 7])
    """

    def __init__(self, before: int, after: int, size: int, *, bias: bool = True) -> None:
        super().__init__(before, after, size, padding=(size - 1) // 2, bias=bias)
        self.pads_more = size % 2 == 0

    def forward(self, x: Tensor) -> Tensor:
        """The channels of every cell."""
        return super().forward(nn.functional.pad(x, (0, 1, 0, 1)) if self.pads_more else x)


class Layer(nn.Module):
    """A convolution or a dense layer, then perhaps normalisation, then perhaps an activation."""

    def __init__(
        self,
        linear: nn.Conv2d | nn.Linear,
        config: NetConfig,
        *,
        activated: bool = True,
        normalised: bool = True,
    ) -> None:
        super().__init__()
        self.linear = linear
        self.norm: nn.BatchNorm1d | nn.BatchNorm2d | None = None
        if config.batch_norm and normalised:
            if isinstance(linear, nn.Conv2d):
                self.norm = nn.BatchNorm2d(linear.out_channels)
            else:
                self.norm = nn.BatchNorm1d(linear.out_features)
        self.activation = config.activation if activated else None

    def forward(self, x: Tensor) -> Tensor:
        """The layer's output."""
        x = self.linear(x)
        if self.norm is not None:
            x = self.norm(x)
        return x if self.activation is None else activate(x, self.activation)


class Residual(nn.Module):
    """Two convolutions and a way around them (S3, S4)."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        [width], [kernel] = config.width, config.kernel
        self.first = convolution(width, width, kernel, config)
        self.second = convolution(width, width, kernel, config, activated=False)
        self.activation = config.activation

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        return activate(x + self.second(self.first(x)), self.activation)


class Pooling(nn.Module):
    """Max-pooling of a board by windows that lie side by side.

    Incomplete windows at the edge are left out as long as two whole ones fit in each direction
    (AutoKeras's rule, and thereby S0's); on smaller boards they are kept, so that something always
    comes out.

    >>> first = Pooling(2, 6, 7)
    >>> (first.rows, first.columns), (Pooling(2, 3, 3).rows, Pooling(2, 3, 3).columns)
    ((3, 3), (2, 2))
    """

    def __init__(self, window: int, rows: int, columns: int) -> None:
        super().__init__()
        self.window = window
        self.missing = (0, 0)
        """Rows and columns that the last windows lack."""
        if min(rows, columns) < 2 * window:
            self.missing = (-rows % window, -columns % window)
        below, right = self.missing
        self.rows, self.columns = (rows + below) // window, (columns + right) // window
        """Size of the board that comes out."""

    def forward(self, x: Tensor) -> Tensor:
        """The largest number of each window."""
        below, right = self.missing
        if below or right:
            x = nn.functional.pad(x, (0, right, 0, below), value=-torch.inf)
        return nn.functional.max_pool2d(x, self.window)


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
        self.body, features = _body(shape, config)
        self.policy = _policy_head(shape, config, features)
        self.value: nn.Sequential | None = None
        if config.output == "heads":
            self.value = _value_head(shape, config, features)

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
    """A convolution over the board as a layer."""
    bias = not config.batch_norm  # which would undo it
    return Layer(Convolution(before, after, size, bias=bias), config, activated=activated)


@dataclass(frozen=True)
class _Features:
    """What comes out of a body: channels of cells, or numbers without a place on the board."""

    channels: int
    cells: int
    flat: bool

    @property
    def numbers(self) -> int:
        return self.channels * self.cells


def _body(shape: Shape, config: NetConfig) -> tuple[nn.Sequential, _Features]:
    """The common part, and what comes out of it."""
    if config.kind == "dense":
        return _dense_body(shape, config)
    layers: list[nn.Module] = []
    before, rows, columns = shape.planes, shape.rows, shape.columns
    for number, (width, kernel) in enumerate(zip(config.widths, config.kernels, strict=True)):
        if config.kind == "residual" and number:
            layers.append(Residual(config))
        else:
            layers.append(convolution(before, width, kernel, config))
        before, drops = width, not config.pool
        if config.pool and (number + 1) % config.pool_every == 0:
            pooling, drops = Pooling(config.pool, rows, columns), True
            rows, columns = pooling.rows, pooling.columns
            layers.append(pooling)
        if drops and config.body_dropout:
            layers.append(nn.Dropout(config.body_dropout))
    return nn.Sequential(*layers), _Features(before, rows * columns, flat=False)


def _dense_body(shape: Shape, config: NetConfig) -> tuple[nn.Sequential, _Features]:
    layers: list[nn.Module] = [nn.Flatten()]
    before = shape.planes * shape.rows * shape.columns
    for width in config.widths:
        layers.append(Layer(nn.Linear(before, width, bias=not config.batch_norm), config))
        if config.body_dropout:
            layers.append(nn.Dropout(config.body_dropout))
        before = width
    return nn.Sequential(*layers), _Features(before, 1, flat=True)


def _policy_head(shape: Shape, config: NetConfig, features: _Features) -> nn.Sequential | None:
    if config.policy == "none":
        return None
    layers: list[nn.Module] = []
    numbers, channels = features.numbers, features.channels
    planes = shape.actions // (shape.rows * shape.columns)
    if config.policy == "planes" and not features.flat:
        layers.append(nn.Dropout(config.dropout))
        layers.append(_last(Convolution(channels, planes, 1), config))
        layers.append(PlaneLogits())
        return nn.Sequential(*layers)
    if config.policy == "conv" and not features.flat:
        layers.append(convolution(channels, channels, 3, config))
        layers.append(nn.Dropout(config.dropout))
        layers.append(_last(Convolution(channels, planes, 3), config))
        layers.append(PlaneLogits())
        return nn.Sequential(*layers)
    if not features.flat:
        layers.append(convolution(channels, config.policy_width, 1, config))
        layers.append(nn.Flatten())
        numbers = config.policy_width * features.cells
    layers.append(nn.Dropout(config.dropout))
    layers.append(_last(nn.Linear(numbers, shape.actions), config))
    return nn.Sequential(*layers)


def _last(linear: nn.Conv2d | nn.Linear, config: NetConfig) -> nn.Module:
    """The layer that answers; S4's DQN normalised it, and cut off what is below 0."""
    return Layer(linear, config) if config.output == "relu" else linear


def _value_head(shape: Shape, config: NetConfig, features: _Features) -> nn.Sequential:
    layers: list[nn.Module] = []
    numbers = features.numbers
    if not features.flat:
        if config.value_width:
            layers.append(convolution(features.channels, config.value_width, 1, config))
            numbers = config.value_width * features.cells
        layers.append(nn.Flatten())
    normalised = config.batch_norm and config.hidden_norm
    for units in config.value_hidden:
        hidden = nn.Linear(numbers, units, bias=not normalised)
        layers.append(Layer(hidden, config, normalised=normalised))
        layers.append(nn.Dropout(config.dropout))
        numbers = units
    if not config.value_hidden:
        layers.append(nn.Dropout(config.dropout))
    layers.append(nn.Linear(numbers, shape.values))
    return nn.Sequential(*layers)
