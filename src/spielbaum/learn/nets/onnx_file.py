"""Networks from files, read without trusting them: ONNX with a header of Spielbaum's inside.

Before ONNX Runtime sees a file, it is taken apart here. It must be whole (a checksum), have a
header, weights that lie in the file itself, and no other operations than networks of Spielbaum
have; so it cannot make anybody read other files, run code, or ask for memory without end.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielbaum.errors import ModelError, SpecError
from spielbaum.games import Game, game
from spielbaum.learn.arrays import check_file

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

FORMAT = "spielbaum net 1"
HEADER_KEY = "spielbaum"
"""Under which key of the model's metadata the header lies."""
Q_VALUES = "q"
"""The only output of a network of Q-values; others have ``values``, and perhaps ``logits``."""
LARGEST_FILE = 1 << 30
LARGEST_HEADER = 1 << 20
LARGEST_NUMBER = 64
"""Of attributes that are whole numbers, such as the padding of a convolution."""
OPERATIONS = frozenset(
    [
        "Add",
        "Conv",
        "Flatten",
        "Gemm",
        "Identity",
        "LeakyRelu",
        "MaxPool",
        "Mul",
        "Relu",
        "Sigmoid",
        "Tanh",
        "Transpose",
    ]
)


@dataclass(frozen=True)
class NetFile:
    """A network's file that was found to be in order.

    >>> read_net(Path("/nowhere/a.onnx"))
    Traceback (most recent call last):
        ...
    spielbaum.errors.ModelError: model /nowhere/a.onnx: No such file or directory
    """

    path: Path
    game: Game
    encoding: str
    history: int
    values: int
    """Values of a position: one for two players, else one for each."""
    has_policy: bool
    is_q: bool
    """Whether it answers what each move is worth (DQN), instead of a value and logits."""
    header: dict[str, Any] = field(repr=False)
    content: bytes = field(repr=False)

    @property
    def training(self) -> dict[str, Any]:
        """How it was trained, in words and numbers."""
        told = self.header.get("training")
        return told if isinstance(told, dict) else {}


def read_net(path: Path) -> NetFile:
    """Read and check a file; `ModelError` says in one sentence what is wrong with it."""
    check_file(path, LARGEST_FILE)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"model {path}: {error.strerror or error}") from None
    try:
        parts = _parts(content)
    except _Refused as error:
        raise ModelError(f"model {path}: {error}") from None
    except (ValueError, IndexError, RecursionError):
        raise ModelError(f"model {path}: it is damaged, or no network of Spielbaum") from None
    header = parts.header
    if header.get("format") != FORMAT:
        raise ModelError(f"model {path}: it is no network of Spielbaum, or of another version")
    if header.get("sha256") != hashlib.sha256(graph_bytes(content)).hexdigest():
        raise ModelError(f"model {path}: it is damaged, for its checksum is wrong")
    return _checked(path, content, parts)


def header_entry(header: Mapping[str, Any]) -> bytes:
    """A header as the last part of a model: an entry of its metadata."""
    entry = _field(1, HEADER_KEY.encode()) + _field(2, json.dumps(header).encode())
    return _field(_MODEL_METADATA, entry)


def with_training(net: NetFile, training: Mapping[str, Any]) -> bytes:
    """The content of a network's file, with another account of how it was trained."""
    before = header_entry(net.header)
    if not net.content.endswith(before):
        raise ModelError(f"model {net.path}: its header does not come last")
    model = net.content[: len(net.content) - len(before)]
    return model + header_entry({**net.header, "training": dict(training)})


def start_session(net: NetFile) -> InferenceSession:
    """A session of ONNX Runtime with one thread: several are slower on small networks."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what it would print, it raises
    try:
        return onnxruntime.InferenceSession(
            net.content, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # its exceptions have no common base of their own
        reason = str(error).strip().partition("\n")[0]
        raise ModelError(f"model {net.path}: ONNX Runtime refuses it: {reason:.200}") from None


def shared_net(path: Path) -> NetFile:
    """A file that is read once in a process, as long as it does not change."""
    try:
        path = path.expanduser()
        facts = path.stat()
    except (OSError, RuntimeError, ValueError) as error:
        raise ModelError(f"model {path}: {getattr(error, 'strerror', None) or error}") from None
    return _read(path, facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> NetFile:
    """Time and size are only there to notice that a file has changed."""
    return read_net(path)


def _checked(path: Path, content: bytes, parts: _Parts) -> NetFile:
    """The file, if its header is usable and goes with its graph and with the game."""
    header = parts.header
    kinds: dict[str, type] = {"game": str, "encoding": str, "history": int, "values": int}
    for name, kind in kinds.items():
        if type(header.get(name)) is not kind:
            raise ModelError(f"model {path}: its header has no usable {name}")
    try:
        rules = game(header["game"])
    except SpecError as error:
        raise ModelError(f"model {path}: {error}") from None
    encoding, history = header["encoding"], header["history"]
    if encoding not in rules.encodings or not 0 <= history <= 16:
        raise ModelError(f"model {path}: its header has no usable encoding or history")
    planes, rows, columns = rules._core.encodings[rules.encodings.index(encoding)].shape
    values = 1 if rules.num_players == 2 else rules.num_players
    expected: dict[str, tuple[int, ...]] = {"planes": (planes * (1 + history), rows, columns)}
    is_q = Q_VALUES in parts.shapes and rules.num_players == 2
    if is_q:
        expected[Q_VALUES] = (rules.num_actions,)
    else:
        expected["values"] = (values,)
    if "logits" in parts.shapes:
        expected["logits"] = (rules.num_actions,)
    if parts.shapes != expected or header["values"] != values:
        raise ModelError(
            f"model {path}: its shapes {_written(parts.shapes)} are not those of a network for "
            f"{rules}, {_written(expected)}"
        )
    has_policy = is_q or "logits" in parts.shapes
    return NetFile(path, rules, encoding, history, values, has_policy, is_q, header, content)


def _written(shapes: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(
        f"{name} {'x'.join(map(str, shape))}" for name, shape in sorted(shapes.items())
    )


# ---- ONNX is protobuf: numbered fields, each a number or some bytes ----
class _Refused(ValueError):
    """Something that a network of Spielbaum does not have."""


@dataclass
class _Parts:
    header: dict[str, Any] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Of inputs and outputs by name, without the batch."""


def graph_bytes(content: bytes) -> bytes:
    """The part of a model that is its graph."""
    return b"".join(_bytes(part) for number, part in _fields(content) if number == _MODEL_GRAPH)


# Numbers of fields in onnx.proto.
_MODEL_GRAPH, _MODEL_METADATA, _MODEL_TRAINING, _MODEL_FUNCTIONS = 7, 14, 20, 25
_GRAPH_NODE, _GRAPH_WEIGHT, _GRAPH_INPUT, _GRAPH_OUTPUT, _GRAPH_SPARSE = 1, 5, 11, 12, 15
_NODE_OPERATION, _NODE_ATTRIBUTE, _NODE_DOMAIN = 4, 5, 7
_ATTRIBUTE_INTEGER, _ATTRIBUTE_INTEGERS = 3, 8
_ATTRIBUTE_OTHERS = (5, 6, 10, 11, 14, 15, 22, 23)  # tensors, graphs, types, and lists of them
_TENSOR_KIND, _TENSOR_EXTERNAL, _TENSOR_PLACE = 2, 13, 14
_FLOAT = 1


def _parts(content: bytes) -> _Parts:
    parts = _Parts()
    for number, value in _fields(content):
        if number == _MODEL_GRAPH:
            _read_graph(_bytes(value), parts)
        elif number == _MODEL_METADATA:
            entry = {key: bytes(_bytes(text)) for key, text in _fields(_bytes(value))}
            if entry.get(1) == HEADER_KEY.encode():
                if len(entry.get(2, b"")) > LARGEST_HEADER:
                    raise _Refused("its header is larger than it can be")
                header = json.loads(entry.get(2, b""))
                if not isinstance(header, dict):
                    raise ValueError("the header is no object")
                parts.header = header
        elif number in (_MODEL_TRAINING, _MODEL_FUNCTIONS):
            raise _Refused("it has functions of its own, which networks of Spielbaum do not have")
    return parts


def _read_graph(graph: memoryview, parts: _Parts) -> None:
    for number, value in _fields(graph):
        if number == _GRAPH_NODE:
            _check_node(_bytes(value))
        elif number == _GRAPH_WEIGHT:
            _check_weight(_bytes(value))
        elif number == _GRAPH_SPARSE:
            raise _Refused("it has sparse weights, which networks of Spielbaum do not have")
        elif number in (_GRAPH_INPUT, _GRAPH_OUTPUT):
            name, shape = _name_and_shape(_bytes(value))
            parts.shapes[name] = shape


def _check_node(node: memoryview) -> None:
    for number, value in _fields(node):
        if number == _NODE_OPERATION and (name := bytes(_bytes(value)).decode()) not in OPERATIONS:
            raise _Refused(
                f"it has the operation {name!r:.40}, which networks of Spielbaum do not have"
            )
        if number == _NODE_DOMAIN and bytes(_bytes(value)) not in (b"", b"ai.onnx"):
            raise _Refused("it has operations that are not ONNX's own")
        if number == _NODE_ATTRIBUTE:
            _check_attribute(_bytes(value))


def _check_attribute(attribute: memoryview) -> None:
    for number, value in _fields(attribute):
        if number in _ATTRIBUTE_OTHERS:
            raise _Refused("it has tensors or graphs in operations, not among its weights")
        integers = [value] if number == _ATTRIBUTE_INTEGER else []
        if number == _ATTRIBUTE_INTEGERS:
            integers = [value] if isinstance(value, int) else list(_packed(_bytes(value)))
        if any(isinstance(each, int) and each > LARGEST_NUMBER for each in integers):
            raise _Refused("an operation has a number that is larger than it can be")


def _check_weight(tensor: memoryview) -> None:
    for number, value in _fields(tensor):
        if number == _TENSOR_EXTERNAL or (number == _TENSOR_PLACE and value != 0):
            raise _Refused("its weights are said to lie in another file, which is never read")
        if number == _TENSOR_KIND and value != _FLOAT:
            raise _Refused("its weights are not of 32 bits")


def _name_and_shape(info: memoryview) -> tuple[str, tuple[int, ...]]:
    """Name and sizes behind the first, from ValueInfo: type, tensor type, shape, dimensions."""
    parts = dict(_fields(info))
    name = bytes(_bytes(parts[1])).decode() if 1 in parts else ""
    kind = dict(_fields(_bytes(parts[2]))) if 2 in parts else {}
    tensor = dict(_fields(_bytes(kind[1]))) if 1 in kind else {}
    sizes = []
    for number, dimension in _fields(_bytes(tensor[2])) if 2 in tensor else ():
        if number == 1:
            size = dict(_fields(_bytes(dimension))).get(1, 0)
            sizes.append(size if isinstance(size, int) else 0)
    return name, tuple(sizes[1:])


def _fields(message: bytes | memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message; ValueError if it is none."""
    view, place = memoryview(message), 0
    while place < len(view):
        tag, place = _varint(view, place)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, place = _varint(view, place)
            yield number, value
            continue
        if kind == 2:
            size, place = _varint(view, place)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError("no such kind of field")
        if size > len(view) - place or number == 0:
            raise ValueError("a field reaches beyond the end")
        yield number, view[place : place + size]
        place += size


def _field(number: int, content: bytes) -> bytes:
    return _number(number << 3 | 2) + _number(len(content)) + content


def _number(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)


def _packed(numbers: memoryview) -> Iterator[int]:
    place = 0
    while place < len(numbers):
        number, place = _varint(numbers, place)
        yield number


def _varint(view: memoryview, place: int) -> tuple[int, int]:
    result = 0
    for shift in range(0, 70, 7):
        byte = view[place]
        place += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result, place
    raise ValueError("a number does not end")


def _bytes(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number where a message was expected")
    return value
