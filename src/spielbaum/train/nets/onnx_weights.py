"""Networks that go on learning from a file for playing, in which normalisation is folded away.

A layer of the file answers w x + b. With batch normalisation that is written once more as weights w
and a normalisation whose factor and offset undo what it does. Whatever mean and variance it
believes in, the layer's answer is the same; but as soon as the network learns, it takes those of
the batch. Hence they are measured first, in positions of random games.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from spielbaum.base.errors import ModelError
from spielbaum.games import Game
from spielbaum.models.inputs import encode, random_states
from spielbaum.models.onnx_file import read_net
from spielbaum.train.nets.towers import Layer, Net

Norm = nn.BatchNorm1d | nn.BatchNorm2d

POSITIONS = 1000
"""In which means and variances are measured."""


def take_weights(path: Path, net: Net, game: Game) -> None:
    """Give a network the weights of a file; `ModelError` if it has another game or architecture.

    >>> import tempfile
    >>> import spielbaum as sb
    >>> from spielbaum.train.nets.net_config import NetConfig
    >>> from spielbaum.train.nets.onnx_export import save_net
    >>> from spielbaum.train.nets.towers import make_net
    >>> game = sb.game("tictactoe")
    >>> net, other = (make_net(game, NetConfig(blocks=1, width=8)) for _ in range(2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_net(net.eval(), game, Path(folder) / "a.onnx", {})
    ...     take_weights(Path(folder) / "a.onnx", other, game)
    >>> planes = torch.ones(1, 3, 3, 3)
    >>> bool(torch.allclose(net(planes)[0], other.eval()(planes)[0], atol=1e-5))
    True
    """
    file = read_net(path)
    if str(file.game) != str(game):
        raise ModelError(f"model {path}: it is a network for {file.game}, not for {game}")
    entries = [
        torch.from_numpy(numpy_helper.to_array(each).copy())
        for each in onnx.load_model_from_string(file.content).graph.initializer
        if not each.name.startswith("half")  # the factor of a normalised target
    ]
    layers = list(_layers(net))
    shapes = [tuple(each.shape) for each in entries]
    wanted = [
        shape
        for linear, _ in layers
        for shape in (tuple(linear.weight.shape), (len(linear.weight),))
    ]
    same_view = (file.encoding, file.history) == (net.shape.encoding, net.config.history)
    same_pooling = _pooling(file.header.get("network")) == _pooling(net.config.model_dump())
    if shapes != wanted or not same_view or not same_pooling:
        raise ModelError(f"model {path}: it does not fit the network of this training")
    with torch.no_grad():
        biases = entries[1::2]
        for (linear, norm), weight, bias in zip(layers, entries[::2], biases, strict=True):
            linear.weight.copy_(weight)
            if norm is None:
                assert linear.bias is not None
                linear.bias.copy_(bias)
            else:
                _believe(norm, torch.zeros_like(bias), torch.ones_like(bias), bias)
        norms = [norm for _, norm in layers]
        _measure(net, game, list(zip(norms, biases, strict=True)))


def _pooling(network: Any) -> tuple[Any, Any]:
    """How a network pools by what a header says: pooling has no weights that would tell it."""
    told = network if isinstance(network, dict) else {}
    return (told["pool"], told.get("pool_every")) if told.get("pool") else (0, 0)


def _layers(net: Net) -> Iterator[tuple[nn.Conv2d | nn.Linear, Norm | None]]:
    """Weights and what normalises them, in the order in which they are written to files."""
    for part in (net.body, net.value, net.policy):
        known: set[int] = set()
        for module in [] if part is None else part.modules():
            if isinstance(module, Layer):
                known.add(id(module.linear))
                yield module.linear, module.norm
            elif isinstance(module, nn.Conv2d | nn.Linear) and id(module) not in known:
                yield module, None


def _believe(norm: Norm, mean: Tensor, variance: Tensor, bias: Tensor) -> None:
    """Let a normalisation do nothing but add a bias, with this mean and variance of its input."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(variance)
    norm.weight.copy_(torch.sqrt(variance + norm.eps))
    norm.bias.copy_(bias + mean)


def _measure(net: Net, game: Game, norms: list[tuple[Norm | None, Tensor]]) -> None:
    """Find out means and variances of what normalisations see."""
    seen: dict[int, tuple[Tensor, Tensor]] = {}

    def look(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        x = inputs[0].transpose(0, 1).flatten(1)
        seen[id(module)] = x.mean(dim=1), x.var(dim=1)

    hooks = [norm.register_forward_pre_hook(look) for norm, _ in norms if norm is not None]
    states = [state for state in random_states(game, POSITIONS) if state.outcome is None]
    planes = np.stack([encode(each, net.shape.encoding, net.config.history) for each in states])
    net.eval()
    net(torch.from_numpy(planes))
    for hook in hooks:
        hook.remove()
    for norm, bias in norms:
        if norm is not None:
            _believe(norm, *seen[id(norm)], bias)
