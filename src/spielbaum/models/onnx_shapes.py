"""The shapes of everything that a network computes, known before it runs.

A tensor is either a weight, of fixed sizes, or has a row for each position of a batch, which is its
first size and not written here. Each operation that networks of Spielbaum have is a rule: what it
is given, and what comes out. What has no rule is no network of Spielbaum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Sizes: TypeAlias = tuple[int, ...]
LARGEST_NUMBER = 64
"""Of attributes, such as the padding of a convolution."""
LARGEST_ROW = 128 << 20
"""Bytes that the results of all operations may take together, for one position."""
BLOCK = 16
"""ONNX Runtime rounds channels up to a multiple of this, at most."""


class Refused(ValueError):
    """Something that a network of Spielbaum does not have."""


@dataclass(frozen=True)
class Node:
    """An operation of a graph."""

    operation: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Shapes:
    """What a graph computes for one position."""

    rows: Mapping[str, Sizes]
    """The sizes of every result by name, without the batch."""
    bytes: int
    """All results together take so many bytes of memory for each position of a batch."""


def infer_shapes(planes: Sizes, weights: Mapping[str, Sizes], nodes: Sequence[Node]) -> Shapes:
    """Find out what operations compute from ``planes``; raise `Refused` if they make no sense.

    >>> relu = Node("Relu", ["planes"], ["y"])
    >>> infer_shapes((3, 6, 7), {}, [relu]).rows["y"]
    (3, 6, 7)
    >>> wide = Node("Add", ["planes", "w"], ["y"])
    >>> infer_shapes((3, 10000, 1), {"w": (1, 10000)}, [wide])
    Traceback (most recent call last):
        ...
    spielbaum.models.onnx_shapes.Refused: its results would take more than 128 MB for a position
    """
    rows: dict[str, Sizes] = {"planes": planes}
    used = room = 0
    for node in nodes:
        sizes = _result(node, rows, weights)
        name = node.outputs[0] if len(node.outputs) == 1 else ""
        if not name or name in rows or name in weights:
            raise Refused("its operations do not each have one result of their own")
        if min(sizes, default=1) < 1:
            raise Refused(f"the operation {node.operation} has an empty result")
        rows[name] = sizes
        used += _bytes(sizes)
        room = max(room, _room(node, weights, sizes))  # used by one convolution after the other
        if used + room > LARGEST_ROW:
            raise Refused(f"its results would take more than {LARGEST_ROW >> 20} MB for a position")
    return Shapes(rows, used)


def _bytes(sizes: Sizes) -> int:
    if len(sizes) == 3:
        channels, *board = sizes
        sizes = (-(-channels // BLOCK) * BLOCK, *board)
    return 4 * math.prod(sizes)


def _room(node: Node, weights: Mapping[str, Sizes], sizes: Sizes) -> int:
    """The room for the windows of a convolution, which are laid side by side to be multiplied."""
    if node.operation != "Conv":
        return 0
    return 4 * math.prod(weights[node.inputs[1]][1:]) * math.prod(sizes[1:])


def _result(node: Node, rows: Mapping[str, Sizes], weights: Mapping[str, Sizes]) -> Sizes:
    rule = RULES.get(node.operation)
    if rule is None:
        raise Refused(
            f"it has the operation {node.operation!r:.40}, which networks of Spielbaum do not have"
        )
    fewest, most = rule.inputs
    known = [name for name in node.inputs if name in rows or name in weights]
    if len(known) < len(node.inputs) or not fewest <= len(known) <= most or known[0] not in rows:
        raise Refused(
            f"the operation {node.operation} does not have the inputs that it should have"
        )
    for name, value in node.attributes.items():
        if not isinstance(value, rule.attributes.get(name, ())):
            raise Refused(
                f"the operation {node.operation} has {name!r:.40}, which ours do not have"
            )
        numbers = value if isinstance(value, tuple) else (value,) if isinstance(value, int) else ()
        if any(not 0 <= number <= LARGEST_NUMBER for number in numbers):
            raise Refused(f"an operation has a number in {name} that is larger than it can be")
    given = [_Given(rows.get(name), weights.get(name)) for name in node.inputs]
    return rule.sizes(given, node.attributes)


@dataclass(frozen=True)
class _Given:
    """What an operation is given: a result with a row for each position, or a weight."""

    row: Sizes | None
    weight: Sizes | None

    def the_row(self, dimensions: int | None = None) -> Sizes:
        if self.row is None or dimensions not in (None, len(self.row)):
            raise Refused("an operation is given results of other dimensions than it should be")
        return self.row

    def the_weight(self, dimensions: int) -> Sizes:
        if self.weight is None or len(self.weight) != dimensions:
            raise Refused("an operation is given weights of other dimensions than it should be")
        return self.weight


Attributes: TypeAlias = Mapping[str, Any]


def _same(given: Sequence[_Given], attributes: Attributes) -> Sizes:
    return given[0].the_row()


def _broadcast(given: Sequence[_Given], attributes: Attributes) -> Sizes:
    """Sizes of 1 stand for any; missing ones in front for 1."""
    one, other = given[0].the_row(), given[1]
    second = other.row
    if second is None:
        weight = other.weight or ()
        # The batch is one size more: a weight has none, or 1 in its place.
        if len(weight) > len(one):
            if len(weight) != len(one) + 1 or weight[0] != 1:
                raise Refused("weights are added to positions, not to each other's rows")
            weight = weight[1:]
        second = (1,) * (len(one) - len(weight)) + weight
    if len(one) != len(second):
        raise Refused("two results of different dimensions are put together")
    for a, b in zip(one, second, strict=True):
        if a != b and 1 not in (a, b):
            raise Refused("two results of different sizes are put together")
    return tuple(max(pair) for pair in zip(one, second, strict=True))


def _slide(sizes: Sizes, kernel: Sizes, attributes: Attributes) -> Sizes:
    """How often a window fits on a board in each direction."""
    strides, dilations = attributes.get("strides", (1, 1)), attributes.get("dilations", (1, 1))
    pads = attributes.get("pads", (0, 0, 0, 0))
    if (len(kernel), len(strides), len(dilations), len(pads)) != (2, 2, 2, 4):
        raise Refused("a window has other dimensions than a board")
    if min(*strides, *dilations, *kernel) < 1:
        raise Refused("a window or its step is empty")
    found = []
    for index, size in enumerate(sizes):
        width = dilations[index] * (kernel[index] - 1) + 1
        found.append((size + pads[index] + pads[index + 2] - width) // strides[index] + 1)
    return tuple(found)


def _conv(given: Sequence[_Given], attributes: Attributes) -> Sizes:
    channels, *board = given[0].the_row(3)
    filters, depth, *kernel = given[1].the_weight(4)
    group = attributes.get("group", 1)
    if group < 1 or channels != depth * group or filters % group:
        raise Refused("the weights of a convolution do not fit its channels")
    if attributes.get("kernel_shape", tuple(kernel)) != tuple(kernel):
        raise Refused("the weights of a convolution do not fit its window")
    if len(given) == 3 and given[2].the_weight(1) != (filters,):
        raise Refused("the offsets of a convolution do not fit its channels")
    return (filters, *_slide(tuple(board), tuple(kernel), attributes))


def _max_pool(given: Sequence[_Given], attributes: Attributes) -> Sizes:
    channels, *board = given[0].the_row(3)
    kernel = attributes.get("kernel_shape", ())
    if attributes.get("ceil_mode", 0) or attributes.get("storage_order", 0):
        raise Refused("a pooling is rounded up, which ours are not")
    if any(pad >= size for pad, size in zip(attributes.get("pads", ()), kernel * 2, strict=False)):
        raise Refused("a pooling has windows beside the board")
    return (channels, *_slide(tuple(board), kernel, attributes))


def _gemm(given: Sequence[_Given], attributes: Attributes) -> Sizes:
    (inputs,) = given[0].the_row(1)
    weight = given[1].the_weight(2)
    units, depth = weight if attributes.get("transB", 0) else weight[::-1]
    if attributes.get("transA", 0) or depth != inputs:
        raise Refused("the weights of a layer do not fit its inputs")
    if len(given) == 3 and given[2].weight not in ((units,), (1, units), (1,), ()):
        raise Refused("the offsets of a layer do not fit its units")
    return (units,)


def _flatten(given: Sequence[_Given], attributes: Attributes) -> Sizes:
    if attributes.get("axis", 1) != 1:
        raise Refused("positions of a batch are put together")
    return (math.prod(given[0].the_row()),)


def _transpose(given: Sequence[_Given], attributes: Attributes) -> Sizes:
    row, order = given[0].the_row(), attributes.get("perm", ())
    if sorted(order) != list(range(len(row) + 1)) or order[0] != 0:
        raise Refused("positions of a batch change places with their results")
    return tuple(row[place - 1] for place in order[1:])


@dataclass(frozen=True)
class _Rule:
    sizes: Callable[[Sequence[_Given], Attributes], Sizes]
    inputs: tuple[int, int] = (1, 1)
    """How many there are, at least and at most."""
    attributes: Mapping[str, type] = field(default_factory=dict)


_WINDOW = {"kernel_shape": tuple, "strides": tuple, "pads": tuple, "dilations": tuple}
RULES: Mapping[str, _Rule] = {
    "Add": _Rule(_broadcast, (2, 2)),
    "Conv": _Rule(_conv, (2, 3), {**_WINDOW, "group": int}),
    "Flatten": _Rule(_flatten, attributes={"axis": int}),
    "Gemm": _Rule(_gemm, (2, 3), {"alpha": float, "beta": float, "transA": int, "transB": int}),
    "Identity": _Rule(_same),
    "LeakyRelu": _Rule(_same, attributes={"alpha": float}),
    "MaxPool": _Rule(_max_pool, attributes={**_WINDOW, "ceil_mode": int, "storage_order": int}),
    "Mul": _Rule(_broadcast, (2, 2)),
    "Relu": _Rule(_same),
    "Sigmoid": _Rule(_same),
    "Tanh": _Rule(_same),
    "Transpose": _Rule(_transpose, attributes={"perm": tuple}),
}
"""The operations that networks of Spielbaum have."""
