"""What a trained agent adds to the file of `submission`: numpy, a network or n-tuples, and PUCT.

``spielbaum kaggle export net:FILE`` and ``ntuple:FILE`` write this between the search and what
Kaggle calls. ``MODEL`` then says what the weights are, and ``WEIGHTS`` has them: a compressed .npz
in the digits of base 64.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf, sqrt
from typing import Any

import numpy as np

from spielbaum.protocols.kaggle.submission import Board, Node, Search, Settings

MODEL: dict[str, Any] = {}
WEIGHTS = ""

FIRST_PLAY = 0.25
"""What a move that has not been tried is worth less than the position so far."""
Q_SHARPNESS = 10.0
"""Q-values times this are logits."""
TUPLE_SHARPNESS = 6.0
"""Values of moves by n-tuples times this are logits."""

Array = np.ndarray[Any, np.dtype[Any]]
Evaluation = tuple[float, Sequence[float]]
"""Value of a position for the player to move, and a prior for each of his moves."""


def unpacked(text: str) -> dict[str, Array]:
    """Read the arrays of a text as `packed` writes it.

    >>> unpacked(packed({"a": np.arange(3)}))["a"].tolist()
    [0, 1, 2]
    """
    with np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def packed(arrays: dict[str, Array]) -> str:
    """Write arrays as a text."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return base64.b64encode(file.getvalue()).decode()


def softmax(logits: Array) -> list[float]:
    """Shares of logits.

    >>> softmax(np.array([0.0, 0.0]))
    [0.5, 0.5]
    """
    powers = np.exp(logits - logits.max())
    shares: list[float] = (powers / powers.sum()).tolist()
    return shares


class Network:
    """A neural network for one size of the board, computed operation by operation."""

    def __init__(self, board: Board, model: dict[str, Any], weights: dict[str, Array]) -> None:
        self._board = board
        self._nodes = model["nodes"]
        self._weights = weights
        self._windows: dict[Any, tuple[Array, int, int]] = {}

    def __call__(self, own: int, other: int, cells: Sequence[int]) -> Evaluation:
        """Evaluate a position, whose open cells are given."""
        found = self.run(self.planes(own, other))
        columns = [self._board.column(cell) for cell in cells]
        if "q" in found:
            values = found["q"][columns]
            return min(max(float(values.max()), -1.0), 1.0), softmax(Q_SHARPNESS * values)
        value = float(found["values"][0])
        if "logits" not in found:
            return value, [1 / len(cells)] * len(cells)
        return value, softmax(found["logits"][columns])

    def planes(self, own: int, other: int) -> Array:
        """Own stones, those of the other, and empty cells, the top row first."""
        rows = self._board.rows
        shape = (len(self._board.bottoms), rows)
        size = shape[0] * rows
        both = [
            np.array([stones >> i & 1 for i in range(size)], np.float32).reshape(shape).T[::-1]
            for stones in (own, other)
        ]
        return np.stack([*both, 1 - both[0] - both[1]])

    def run(self, planes: Array) -> dict[str, Array]:
        """Outputs of the network, and all that lies between."""
        known: dict[str, Array] = {"planes": planes}
        for kind, inputs, output, options in self._nodes:
            given = [known[name] if name in known else self._weights[name] for name in inputs]
            known[output] = getattr(self, f"_{kind.lower()}")(given, options)
        return known

    def _add(self, given: list[Array], _: dict[str, Any]) -> Array:
        one, other = _of_one_position(given)
        return one + other

    def _mul(self, given: list[Array], _: dict[str, Any]) -> Array:
        one, other = _of_one_position(given)
        return one * other

    def _identity(self, given: list[Array], _: dict[str, Any]) -> Array:
        return given[0]

    def _relu(self, given: list[Array], _: dict[str, Any]) -> Array:
        return np.maximum(given[0], 0)

    def _leakyrelu(self, given: list[Array], options: dict[str, Any]) -> Array:
        return np.where(given[0] > 0, given[0], options.get("alpha", 0.01) * given[0])

    def _sigmoid(self, given: list[Array], _: dict[str, Any]) -> Array:
        return 1 / (1 + np.exp(-given[0]))

    def _tanh(self, given: list[Array], _: dict[str, Any]) -> Array:
        return np.tanh(given[0])

    def _flatten(self, given: list[Array], _: dict[str, Any]) -> Array:
        return given[0].reshape(-1)

    def _transpose(self, given: list[Array], options: dict[str, Any]) -> Array:
        return given[0].transpose([axis - 1 for axis in options["perm"][1:]])

    def _gemm(self, given: list[Array], options: dict[str, Any]) -> Array:
        matrix = given[1].T if options.get("transB") else given[1]
        product: Array = options.get("alpha", 1.0) * (given[0] @ matrix)
        if len(given) > 2:
            product = product + options.get("beta", 1.0) * given[2]
        return product

    def _conv(self, given: list[Array], options: dict[str, Any]) -> Array:
        image, kernel, *bias = given
        windows, rows, columns = self._window(image.shape, kernel.shape[2:], options)
        padded = np.append(image.reshape(-1), np.float32(0))
        product: Array = kernel.reshape(len(kernel), -1) @ padded[windows]
        if bias:
            product += bias[0][:, None]
        return product.reshape(len(kernel), rows, columns)

    def _maxpool(self, given: list[Array], options: dict[str, Any]) -> Array:
        (image,) = given
        windows, rows, columns = self._window(image.shape, options["kernel_shape"], options)
        padded = np.append(image.reshape(-1), np.float32(-inf))
        parts: Array = padded[windows].reshape(len(image), -1, rows * columns)
        most: Array = parts.max(axis=1)
        return most.reshape(len(image), rows, columns)

    def _window(
        self, shape: Sequence[int], kernel: Sequence[int], options: dict[str, Any]
    ) -> tuple[Array, int, int]:
        """Places of the numbers under a kernel wherever it stands; beyond the edge, the last."""
        top, left, bottom, right = options.get("pads", (0, 0, 0, 0))
        down, across = options.get("strides", (1, 1))
        key = (*shape, *kernel, top, left, bottom, right, down, across)
        if key not in self._windows:
            planes, rows, columns = shape
            height = (rows + top + bottom - kernel[0]) // down + 1
            width = (columns + left + right - kernel[1]) // across + 1
            plane, i, j, y, x = np.indices((planes, kernel[0], kernel[1], height, width))
            row, column = y * down + i - top, x * across + j - left
            inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
            places = np.where(
                inside, (plane * rows + row) * columns + column, planes * rows * columns
            )
            self._windows[key] = places.reshape(-1, height * width), height, width
        return self._windows[key]


def _of_one_position(given: list[Array]) -> list[Array]:
    """Weights may have a place for the batch, which positions do not have here."""
    dimensions = min(each.ndim for each in given)
    return [each[0] if each.ndim > max(dimensions, 3) else each for each in given]


class Tuples:
    """An n-tuple network: the value of a position as a sum of entries of tables."""

    def __init__(self, board: Board, model: dict[str, Any], weights: dict[str, Array]) -> None:
        self._board = board
        self._model = model
        rows, columns = board.rows, len(board.bottoms)
        # What is left of a shorter tuple looks at a cell that does not exist and counts nothing.
        longest = max(map(len, model["tuples"]))
        features = [
            [image[c] for c in each] for each in model["tuples"] for image in model["images"]
        ]
        self._cells = np.array(
            [each + [rows * columns] * (longest - len(each)) for each in features]
        )
        self._powers = model["contents"] ** np.arange(longest)
        sizes = [model["contents"] ** len(each) for each in model["tuples"]]
        starts = np.cumsum([0, *sizes])
        self._starts = np.repeat(starts[:-1], len(model["images"]))
        table = np.zeros(model["entries"] * model["movers"], np.float32)
        table[np.cumsum(weights["steps"], dtype=np.int64) - 1] = weights["weights"]
        self._table = table.reshape(-1, model["movers"])
        self._bias = int(starts[-1])
        # Of a cell of theirs, row by row from the bottom, its bit here.
        self._bits = [1 << (i % columns) * rows + i // columns for i in range(rows * columns)]

    def __call__(self, own: int, other: int, cells: Sequence[int]) -> Evaluation:
        """Evaluate a position by its own value, and moves by the positions that they lead to."""
        after = self.values([(own, other), *((other, own | cell) for cell in cells)])
        return float(after[0]), softmax(-TUPLE_SHARPNESS * after[1:])

    def values(self, positions: Sequence[tuple[int, int]]) -> Array:
        """Values of positions, each for its player to move."""
        contents = np.zeros((len(positions), len(self._bits) + 1), np.int64)
        movers = []
        for line, (own, other) in zip(contents, positions, strict=True):
            mover = (own | other).bit_count() % 2
            first, second = (other, own) if mover else (own, other)
            reach = sum(self._board.open_cells(own | other)) if self._model["contents"] == 4 else 0
            line[:-1] = [
                1 if first & bit else 2 if second & bit else 3 if reach & bit else 0
                for bit in self._bits
            ]
            movers.append(mover)
        entries = contents[:, self._cells] @ self._powers + self._starts
        columns = np.array(movers) if self._model["movers"] > 1 else np.zeros(len(movers), int)
        sums = self._table[entries, columns[:, None]].sum(axis=1)
        if self._model["bias"]:
            sums += self._table[self._bias, columns]
        scaled = self._model["k"] * np.where(movers, -sums, sums)
        values: Array = np.tanh(scaled) if self._model["squash"] else np.clip(scaled, -1, 1)
        return values


class Nothing:
    """What is known of a board of another size than the model's: nothing."""

    def __call__(self, own: int, other: int, cells: Sequence[int]) -> Evaluation:
        """The same for all moves."""
        return 0.0, [1 / len(cells)] * len(cells)


@lru_cache(maxsize=1)
def evaluator(*size: int) -> Callable[[int, int, Sequence[int]], Evaluation]:
    """What evaluates positions on a board of some rows, columns and stones in a row; made once."""
    if not MODEL or list(size) != MODEL["size"]:
        return Nothing()
    kind = Tuples if "tuples" in MODEL else Network
    return kind(Board(*size), MODEL, unpacked(WEIGHTS))


class GuidedNode(Node):
    """A position in the tree, with the prior of the move that led to it."""

    __slots__ = ("prior",)

    def __init__(self, own: int, other: int, cell: int = 0, prior: float = 1.0) -> None:
        super().__init__(own, other, cell)
        self.prior = prior

    def mean(self) -> float:
        """The reward on average, or the proven one; below all rewards if it was not tried."""
        return self.prior - 3 if self.proof is None and not self.visits else super().mean()


class GuidedSearch(Search):
    """PUCT: a tree that grows where a network expects good moves, and asks it what they are worth.

    >>> search = GuidedSearch(Board(6, 7, 4), Settings(select="uct", iterations=20))
    >>> search.start_from(0b111, 0b111 << 6)
    >>> search.run(inf)
    0
    """

    new_node = GuidedNode

    def __init__(self, board: Board, settings: Settings) -> None:
        super().__init__(board, settings)
        self._evaluate = evaluator(board.rows, len(board.bottoms), board.inarow)

    def _iterate(self, root: Node) -> None:
        node, path = root, [root]
        while node.children and (node.proof is None or node is root):
            node = self._select(node)
            path.append(node)
        if node.proof is not None:
            self._back_up(path, node.proof, 0, 0)
            return
        value = self._expand(node)
        won = next((child for child in node.children if child.proof == 1.0), None)
        if won is not None:
            self._back_up([*path, won], 1.0, 0, 0)
        else:
            self._back_up(path, -value, 0, 0)
            full = [child for child in node.children if child.proof is not None]
            if full and len(full) == len(node.children):  # the last cell draws
                node.proof = 0.0

    def _expand(self, node: Node) -> float:
        """Make the children of a node; its value for the player to move."""
        cells = self.board.open_cells(node.own | node.other)
        value, priors = self._evaluate(node.own, node.other, cells)
        node.untried = []
        for cell, prior in zip(cells, priors, strict=True):
            child = GuidedNode(node.other, node.own | cell, cell, prior)
            if self.board.wins(node.own, cell):
                child.proof = 1.0
            elif child.own | child.other == self.board.full:
                child.proof = 0.0
            node.children.append(child)
        return value

    def _select(self, node: Node) -> Node:
        """The move with the highest score of those whose result is not certain."""
        weight = self.settings.c * sqrt(node.visits)
        visited = [child for child in node.children if child.visits]
        total = sum(child.visits for child in visited)
        mean = sum(child.total for child in visited) / total if total else 0.0
        best, best_score = node.children[0], -inf
        for child in node.children:
            if child.proof is not None:
                continue
            worth = child.total / child.visits if child.visits else mean - FIRST_PLAY
            score = worth + weight * child.prior / (1 + child.visits)  # type: ignore[attr-defined]
            if score > best_score:
                best, best_score = child, score
        return best
