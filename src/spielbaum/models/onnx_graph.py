"""The graph of an ONNX file, taken apart before ONNX Runtime sees it.

Every field of every part is known here (see `spielbaum.models.protobuf.Message`): weights lie
in the file itself and are as large as they say, and there are no other graphs, functions or types
inside.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spielbaum.models.onnx_shapes import Node, Refused, Shapes, Sizes, infer_shapes
from spielbaum.models.protobuf import BYTES, FOUR_BYTES, NUMBER, Message, parts

Floats = npt.NDArray[np.float32]
OPSET = 17
"""The version of ONNX's operations that networks are written with."""
MOST_NODES = 20_000
MOST_WEIGHTS = 20_000
MOST_DIMENSIONS = 4
MODEL_GRAPH, MODEL_METADATA = 7, 14
_FLOAT = 1
_KINDS = {1: 2, 2: 3, 7: 8}
"""Kinds of attributes, and the field in which each has its value: decimal, whole, whole ones."""


@dataclass(frozen=True)
class Graph:
    """What a graph takes and gives, without the batch, and what lies between."""

    inputs: Mapping[str, Sizes]
    outputs: Mapping[str, Sizes]
    shapes: Shapes


def graph_bytes(content: bytes) -> bytes:
    """The part of a model that is its graph."""
    return b"".join(part for _, part in parts(content, (MODEL_GRAPH,)))


def check_model(content: bytes) -> list[tuple[str, str]]:
    """Refuse a model with parts that ours do not have; the entries of its metadata."""
    texts = dict.fromkeys((2, 3, 4, 6), BYTES)
    try:
        model = Message(
            content, {1: NUMBER, 5: NUMBER, MODEL_GRAPH: BYTES, **texts}, {8: BYTES, 14: BYTES}
        )
    except ValueError as error:
        if str(error) in ("field 20 is unknown", "field 25 is unknown"):
            raise Refused(
                "it has functions of its own, which networks of Spielbaum do not have"
            ) from None
        raise
    sets = [Message(each, {1: BYTES, 2: NUMBER}) for each in model.messages(8)]
    if not sets or not model.has(MODEL_METADATA):
        raise ValueError("no model, or not the whole of it")
    if [(each.text(1), each.integer(2)) for each in sets] != [("", OPSET)]:
        raise Refused(f"it has other operations than those of ONNX's version {OPSET}")
    entries = [Message(each, {1: BYTES, 2: BYTES}) for each in model.messages(MODEL_METADATA)]
    return [(each.text(1), each.text(2)) for each in entries]


def read_graph(content: bytes) -> Graph:
    """Take a graph apart and find out its shapes; raise `Refused` or `ValueError` if it is none."""
    try:
        graph = Message(
            content,
            {2: BYTES, 10: BYTES},
            dict.fromkeys((1, 5, 11, 12), BYTES),
        )
    except ValueError as error:
        if str(error) == "field 15 is unknown":
            raise Refused(
                "it has sparse weights, which networks of Spielbaum do not have"
            ) from None
        raise
    if len(graph.all(1)) > MOST_NODES or len(graph.all(5)) > MOST_WEIGHTS:
        raise Refused("it has more operations or weights than any network of Spielbaum")
    weights: dict[str, Sizes] = {}
    for part in graph.messages(5):
        name, sizes = _weight(part)
        if not name or name in weights:
            raise Refused("its weights do not each have a name of their own")
        weights[name] = sizes
    inputs, outputs = (dict(map(_value, graph.messages(number))) for number in (11, 12))
    if list(inputs) != ["planes"] or "planes" in weights:
        raise Refused("it takes something else than the planes of positions")
    nodes = [_node(part) for part in graph.messages(1)]
    shapes = infer_shapes(inputs["planes"], weights, nodes)
    for name, sizes in outputs.items():
        if shapes.rows.get(name) != sizes:
            found = "x".join(map(str, shapes.rows.get(name, ()))) or "nothing"
            raise Refused(
                f"its output {name!r:.40} is {found}, and said to be {'x'.join(map(str, sizes))}"
            )
    return Graph(inputs, outputs, shapes)


def network_parts(
    content: bytes,
) -> tuple[list[tuple[str, list[str], str, dict[str, Any]]], dict[str, Floats]]:
    """Take apart a graph that `read_graph` accepts: its operations in order, and its weights.

    An operation is its name, the names of what it takes, that of what it gives, and its attributes.
    """
    graph = Message(content, {2: BYTES, 10: BYTES}, dict.fromkeys((1, 5, 11, 12), BYTES))
    nodes = [_node(part) for part in graph.messages(1)]
    weights = {}
    for part in graph.messages(5):
        name, sizes = _weight(part)
        weights[name] = np.frombuffer(_tensor(part).bytes(9), "<f4").reshape(sizes)
    found = [
        (each.operation, list(each.inputs), each.outputs[0], dict(each.attributes))
        for each in nodes
    ]
    return found, weights


def _tensor(part: memoryview) -> Message:
    return Message(part, {2: NUMBER, 8: BYTES, 9: BYTES, 12: BYTES, 14: NUMBER}, {1: NUMBER})


def _weight(part: memoryview) -> tuple[str, Sizes]:
    """The name and the sizes of a weight, which has as many numbers as they say."""
    try:
        tensor = _tensor(part)
    except ValueError as error:
        if str(error) == "field 13 is unknown":
            raise _elsewhere() from None
        raise
    if tensor.integer(14) != 0:
        raise _elsewhere()
    if tensor.integer(2) != _FLOAT:
        raise Refused("its weights are not of 32 bits")
    sizes = tuple(tensor.integers(1))
    if len(sizes) > MOST_DIMENSIONS or min(sizes, default=1) < 1:
        raise Refused("its weights have sizes that weights cannot have")
    if 4 * math.prod(sizes) != len(tensor.bytes(9)):
        raise Refused("its weights are not as many as they are said to be")
    return tensor.text(8), sizes


def _elsewhere() -> Refused:
    return Refused("its weights are said to lie in another file, which is never read")


def _value(part: memoryview) -> tuple[str, Sizes]:
    """The name and the sizes of an input or output, behind the batch, which has any size."""
    value = Message(part, {1: BYTES, 2: BYTES, 3: BYTES})
    tensor = Message(Message(value.bytes(2), {1: BYTES}).bytes(1), {1: NUMBER, 2: BYTES})
    if tensor.integer(1) != _FLOAT:
        raise Refused("its inputs and outputs are not of 32 bits")
    shape = Message(tensor.bytes(2), {}, {1: BYTES}).messages(1)
    sizes = [Message(each, {1: NUMBER, 2: BYTES}) for each in shape]
    if not sizes or sizes[0].has(1) or any(each.integer(1) < 1 for each in sizes[1:]):
        raise Refused("its inputs and outputs have other sizes than a batch of positions")
    return value.text(1), tuple(each.integer(1) for each in sizes[1:])


def _node(part: memoryview) -> Node:
    node = Message(part, dict.fromkeys((3, 4, 6, 7), BYTES), dict.fromkeys((1, 2, 5), BYTES))
    if node.text(7) not in ("", "ai.onnx"):
        raise Refused("it has operations that are not ONNX's own")
    attributes: dict[str, Any] = {}
    for each in node.messages(5):
        name, value = _attribute(each)
        if name in attributes:
            raise ValueError("an attribute comes twice")
        attributes[name] = value
    return Node(node.text(4), node.texts(1), node.texts(2), attributes)


def _attribute(part: memoryview) -> tuple[str, Any]:
    try:
        attribute = Message(
            part,
            {1: BYTES, 2: FOUR_BYTES, 3: NUMBER, 13: BYTES, 20: NUMBER},
            {8: NUMBER},
        )
    except ValueError:
        raise Refused("it has texts, tensors or graphs in operations") from None
    value_field = _KINDS.get(attribute.integer(20))
    others = [number for number in _KINDS.values() if number != value_field]
    if value_field is None or any(attribute.has(number) for number in others):
        raise ValueError("an attribute of another kind")
    if value_field == 8:
        return attribute.text(1), tuple(attribute.integers(8))
    if value_field == 3:
        return attribute.text(1), attribute.integer(3)
    return attribute.text(1), float(*struct.unpack("<f", attribute.bytes(2) or bytes(4)))
