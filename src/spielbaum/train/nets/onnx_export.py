"""Networks as ONNX files: written part by part, with batch normalisation folded into weights.

PyTorch's own exporter would do, too, but needs another large library and leaves the folding to
whoever reads the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from spielbaum.base.arrays import write_atomically
from spielbaum.games import Game
from spielbaum.models.onnx_file import FORMAT, Q_VALUES, header_entry
from spielbaum.models.onnx_graph import OPSET, graph_bytes
from spielbaum.train.nets.net_config import Activation
from spielbaum.train.nets.towers import SLOPE, Layer, Net, PlaneLogits, Pooling, Residual

IR_VERSION = 8

Floats = npt.NDArray[np.float32]


def save_net(net: Net, game: Game, path: Path, training: Mapping[str, Any]) -> None:
    """Write a network for playing, at once or not at all.

    ``training`` says in plain values how it was trained.

    >>> import tempfile
    >>> import spielbaum as sb
    >>> from spielbaum.train.nets.net_config import NetConfig
    >>> from spielbaum.train.nets.towers import make_net
    >>> game = sb.game("tictactoe")
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "a.onnx"
    >>> save_net(make_net(game, NetConfig(blocks=1, width=8)), game, path, {"games": 0})
    >>> decision = sb.agent(f"net:{path}").choose(game.initial(), sb.Budget(iterations=20))
    >>> decision.stats["iterations"]
    20
    >>> folder.cleanup()
    """
    write_atomically(path, net_bytes(net, game, training))


def net_bytes(net: Net, game: Game, training: Mapping[str, Any]) -> bytes:
    """The content of a network's file."""
    graph = _Graph(net)
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(
        graph.proto(), ir_version=IR_VERSION, opset_imports=opset, producer_name="spielbaum"
    )
    written: bytes = model.SerializeToString()
    header = {
        "format": FORMAT,
        "game": str(game),
        "encoding": net.shape.encoding,
        "history": net.config.history,
        "values": net.shape.values,
        "network": net.config.model_dump(),
        "parameters": net.parameter_count(),
        "training": dict(training),
        "sha256": hashlib.sha256(graph_bytes(written)).hexdigest(),
    }
    # Parts of a message may follow each other. The header comes last: what is cut off has none.
    return written + header_entry(header)


class _Graph:
    """Collects nodes and weights."""

    def __init__(self, net: Net) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        shape = net.shape
        with torch.no_grad():
            body = self._sequence(net.body, "planes")
            if net.value is not None:
                value = self._sequence(net.value, body)
                if net.config.target == "normalised":
                    # 2 logistic(x) - 1 is tanh(x / 2).
                    half = self._weight("half", np.full(1, 0.5, np.float32))
                    value = self._node("Mul", [value, half])
                self._node("Tanh", [value], name="values")
            if net.policy is not None:
                name = "logits" if net.value is not None else Q_VALUES
                self._node("Identity", [self._sequence(net.policy, body)], name=name)
        sizes: list[str | int | None] = ["batch", shape.planes, shape.rows, shape.columns]
        self._inputs = [helper.make_tensor_value_info("planes", TensorProto.FLOAT, sizes)]
        outputs = {Q_VALUES: shape.actions}
        if net.value is not None:
            outputs = {"values": shape.values}
            if net.policy is not None:
                outputs["logits"] = shape.actions
        self._outputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", size])
            for name, size in outputs.items()
        ]

    def proto(self) -> onnx.GraphProto:
        return helper.make_graph(
            self._nodes, "net", self._inputs, self._outputs, initializer=self._weights
        )

    def _node(self, operation: str, inputs: list[str], name: str = "", **attributes: Any) -> str:
        output = name or f"x{len(self._nodes)}"
        self._nodes.append(helper.make_node(operation, inputs, [output], **attributes))
        return output

    def _weight(self, name: str, values: Floats) -> str:
        name = f"{name}{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _sequence(self, modules: nn.Sequential, x: str) -> str:
        for module in modules:
            x = self._module(module, x)
        return x

    def _module(self, module: nn.Module, x: str) -> str:
        if isinstance(module, Layer):
            x = self._linear(module.linear, module.norm, x)
            return x if module.activation is None else self._activation(module.activation, x)
        if isinstance(module, Residual):
            around = self._module(module.second, self._module(module.first, x))
            return self._activation(module.activation, self._node("Add", [x, around]))
        if isinstance(module, Pooling):
            size = [module.window] * 2
            pads = [0, 0, *module.missing]
            return self._node("MaxPool", [x], kernel_shape=size, strides=size, pads=pads)
        if isinstance(module, nn.Conv2d | nn.Linear):
            return self._linear(module, None, x)
        if isinstance(module, nn.Flatten):
            return self._node("Flatten", [x], axis=1)
        if isinstance(module, PlaneLogits):
            return self._node("Flatten", [self._node("Transpose", [x], perm=[0, 2, 3, 1])], axis=1)
        if isinstance(module, nn.Dropout):  # only in training
            return x
        raise TypeError(f"no way to write a {type(module).__name__}")

    def _activation(self, activation: Activation, x: str) -> str:
        if activation == "leaky_relu":
            return self._node("LeakyRelu", [x], alpha=SLOPE)
        return self._node("Sigmoid" if activation == "sigmoid" else "Relu", [x])

    def _linear(
        self,
        linear: nn.Conv2d | nn.Linear,
        norm: nn.BatchNorm1d | nn.BatchNorm2d | None,
        x: str,
    ) -> str:
        weight, bias = _folded(linear, norm)
        inputs = [x, self._weight("w", weight), self._weight("b", bias)]
        if isinstance(linear, nn.Linear):
            return self._node("Gemm", inputs, transB=1)
        size = int(linear.kernel_size[0])
        before, after = (size - 1) // 2, size // 2
        pads = [before, before, after, after]
        return self._node("Conv", inputs, kernel_shape=[size, size], pads=pads)


def _folded(
    linear: nn.Conv2d | nn.Linear, norm: nn.BatchNorm1d | nn.BatchNorm2d | None
) -> tuple[Floats, Floats]:
    """Weights and bias of a layer together with the normalisation that follows it."""
    weight = linear.weight.double()
    bias = weight.new_zeros(len(weight)) if linear.bias is None else linear.bias.double()
    if norm is not None:
        assert norm.running_mean is not None
        assert norm.running_var is not None
        scale = norm.weight.double() / torch.sqrt(norm.running_var.double() + norm.eps)
        weight = weight * scale.reshape(-1, *[1] * (weight.dim() - 1))
        bias = (bias - norm.running_mean.double()) * scale + norm.bias.double()
    return weight.float().numpy(), bias.float().numpy()
