"""Networks in whole numbers of eight bits, which processors multiply several times as fast.

The file of a network stays as it is: when it is loaded, convolutions and what lies between them are
written anew with ``QuantizeLinear`` and ``DequantizeLinear`` around them, which ONNX Runtime melts
into operations on bytes (static quantisation; B. Jacob et al., *Quantization and Training of Neural
Networks for Efficient Integer-Arithmetic-Only Inference*, 2018). Weights have a scale for each
channel. How large results become is measured on positions of random games. What comes last, values
and logits, is computed in 32 bits as before.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from spielbaum.base.rng import Rng
from spielbaum.models.inputs import encode
from spielbaum.models.onnx_file import start_session
from spielbaum.models.onnx_graph import OPSET, graph_bytes, network_parts
from spielbaum.models.protobuf import field, number, parts

if TYPE_CHECKING:
    from spielbaum.games import Game, State
    from spielbaum.models.onnx_file import NetFile

Floats = npt.NDArray[np.float32]
Operation: TypeAlias = tuple[str, list[str], str, dict[str, Any]]
POSITIONS = 256
"""Positions of random games by which it is measured how large numbers become."""
IR_VERSION = 8
_FLOAT, _BYTE, _SIGNED_BYTE, _INT = 1, 2, 3, 6
_KINDS = {"float32": _FLOAT, "uint8": _BYTE, "int8": _SIGNED_BYTE, "int32": _INT}
_ON_BOARD = {"Conv", "Relu", "LeakyRelu", "Sigmoid", "Add", "MaxPool"}
"""What is computed with bytes. A convolution whose result goes elsewhere is the last one before
logits or values, which have to be exact."""


def random_planes(game: Game, encoding: str, history: int, seed: int = 1) -> Floats:
    """Draw positions of random games, as a network sees them.

    >>> import spielbaum as sb
    >>> random_planes(sb.game("tictactoe"), "own", 0).shape
    (256, 3, 3, 3)
    """
    rng = Rng(seed)
    found: list[Floats] = []
    while len(found) < POSITIONS:
        state: State = game.initial()
        while state.outcome is None and len(found) < POSITIONS:
            found.append(encode(state, encoding, history))
            state = state.play(state.legal_moves[rng.below(len(state.legal_moves))])
    return np.stack(found)


def in_bytes(net: NetFile) -> bytes:
    """Write a network with bytes, for `start_session`; one without convolutions stays as it is."""
    content, names = _with_results(net)
    if not names:
        return net.content
    planes = random_planes(net.game, net.encoding, net.history)
    results = start_session(net, content).run(names, {"planes": planes})
    found = dict(zip(names, results, strict=True), planes=planes)
    return _Writer(net, {name: _range(each) for name, each in found.items()}).model()


def _range(numbers: Floats) -> tuple[float, int]:
    """What 1 of a byte stands for, and which byte is 0."""
    most = max(float(np.abs(numbers).max()), 1e-6)
    return (most / 255, 0) if numbers.min() >= 0 else (most / 127, 128)


def _with_results(net: NetFile) -> tuple[bytes, list[str]]:
    """The graph of a network so that it also answers what lies on the board, and the names."""
    graph = graph_bytes(net.content)
    names = list(_on_board(network_parts(graph)[0]))
    return _model(graph + b"".join(field(12, _output(name)) for name in names)), names


def _on_board(nodes: Iterable[Operation]) -> dict[str, str]:
    """The results of convolutions and what follows them on the board: names and operations."""
    found: dict[str, str] = {}
    for kind, inputs, output, _ in nodes:
        if kind == "Conv" or (kind in _ON_BOARD and inputs[0] in found):
            found[output] = kind
    return found


class _Writer:
    """Takes operations in their order, and writes them with bytes where they are on the board."""

    def __init__(self, net: NetFile, ranges: Mapping[str, tuple[float, int]]) -> None:
        self._graph = graph_bytes(net.content)
        nodes, self._given = network_parts(self._graph)
        self._ranges = ranges
        self._kinds = _on_board(nodes)
        self._takers: dict[str, set[str]] = {}
        for kind, inputs, _, _ in nodes:
            for name in inputs:
                self._takers.setdefault(name, set()).add(kind)
        self._nodes: list[bytes] = []
        self._weights: dict[str, bytes] = {}
        self._bytes: dict[str, tuple[str, float]] = {}
        for node in nodes:
            self._write(*node)

    def model(self) -> bytes:
        """The whole, without a header, which only files have."""
        ends = b"".join(field(place, bytes(part)) for place, part in parts(self._graph, (11, 12)))
        nodes = b"".join(field(1, node) for node in self._nodes)
        weights = b"".join(field(5, weight) for weight in self._weights.values())
        return _model(nodes + field(2, b"net") + weights + ends)

    def _write(self, kind: str, inputs: list[str], output: str, attributes: dict[str, Any]) -> None:
        data, *others = inputs
        if kind == "Conv" and self._is_byte(output):
            data, scale = self._in_bytes(data)
            others = self._scaled(others, scale)
        elif kind != "Relu":  # which melts into what comes before it
            data, *others = [
                self._in_bytes(name)[0] if self._is_byte(name) else name for name in inputs
            ]
        for name in others:
            if name in self._given:
                self._weight(name, self._given[name])
        self._nodes.append(_node(kind, [data, *others], output, attributes))

    def _is_byte(self, name: str) -> bool:
        kind = self._kinds.get(name)
        return kind is not None and (kind != "Conv" or bool(self._takers[name] & _ON_BOARD))

    def _in_bytes(self, name: str) -> tuple[str, float]:
        """What a result is called after it has been bytes, and what 1 of these is worth."""
        if name not in self._bytes:
            scale, zero = self._ranges[name]
            pair = [
                self._weight(f"{name}.scale", np.array(scale, np.float32)),
                self._weight(f"{name}.zero", np.array(zero, np.uint8)),
            ]
            self._nodes.append(_node("QuantizeLinear", [name, *pair], f"{name}.q", {}))
            self._nodes.append(_node("DequantizeLinear", [f"{name}.q", *pair], f"{name}.d", {}))
            self._bytes[name] = (f"{name}.d", scale)
        return self._bytes[name]

    def _scaled(self, names: list[str], scale: float) -> list[str]:
        """Weights as bytes with a scale for each channel, and offsets in the scale of products."""
        weight = self._given[names[0]]
        channels = np.abs(weight).reshape(len(weight), -1).max(axis=1)
        scales = (np.maximum(channels, 1e-6) / 127).astype(np.float32)
        wide = scales.reshape(-1, *[1] * (weight.ndim - 1))
        found = [self._integers(names[0], np.round(weight / wide).astype(np.int8), scales)]
        for name in names[1:]:
            products = (scales * np.float32(scale)).astype(np.float32)
            offsets = np.clip(np.round(self._given[name] / products), -(2**31), 2**31 - 1)
            found.append(self._integers(name, offsets.astype(np.int32), products))
        return found

    def _integers(self, name: str, values: npt.NDArray[Any], scales: Floats) -> str:
        zeros = np.zeros(len(scales), values.dtype)
        inputs = [
            self._weight(f"{name}.q", values),
            self._weight(f"{name}.scale", scales),
            self._weight(f"{name}.zero", zeros),
        ]
        self._nodes.append(_node("DequantizeLinear", inputs, f"{name}.d", {"axis": 0}))
        return f"{name}.d"

    def _weight(self, name: str, values: npt.NDArray[Any]) -> str:
        sizes = b"".join(number(1, size) for size in values.shape)
        kind = number(2, _KINDS[values.dtype.name])
        self._weights[name] = sizes + kind + field(8, name.encode()) + field(9, values.tobytes())
        return name


def _model(graph: bytes) -> bytes:
    opset = field(1, b"") + number(2, OPSET)
    return number(1, IR_VERSION) + field(7, graph) + field(8, opset)


def _output(name: str) -> bytes:
    return field(1, name.encode()) + field(2, field(1, number(1, _FLOAT)))


def _node(kind: str, inputs: Iterable[str], output: str, attributes: Mapping[str, Any]) -> bytes:
    written = b"".join(field(1, name.encode()) for name in inputs)
    written += field(2, output.encode()) + field(4, kind.encode())
    return written + b"".join(field(5, _attribute(*each)) for each in attributes.items())


def _attribute(name: str, value: Any) -> bytes:
    written = field(1, name.encode())
    if isinstance(value, tuple):
        return written + b"".join(number(8, each) for each in value) + number(20, 7)
    if isinstance(value, int):
        return written + number(3, value) + number(20, 2)
    return written + b"\x15" + struct.pack("<f", value) + number(20, 1)
