"""Networks from files, read without trusting them: ONNX with a header of Spielbaum's inside.

Before ONNX Runtime sees a file, it is taken apart here. It must be whole (a checksum), have a
header, weights that lie in the file itself, and no other operations than networks of Spielbaum
have; and what all of them compute is known and bounded. So it cannot make anybody read other files,
run code, or ask for memory without end.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielbaum.base.bounded import DAMAGE, LARGEST_TEXT, read_bytes
from spielbaum.base.discover import when_needed
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.games import Game, game
from spielbaum.models.onnx_graph import MODEL_METADATA, Graph, check_model, graph_bytes, read_graph
from spielbaum.models.onnx_shapes import Refused
from spielbaum.models.protobuf import field as written_field

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

FORMAT = "spielbaum net 1"
HEADER_KEY = "spielbaum"
"""Under which key of the model's metadata the header lies."""
Q_VALUES = "q"
"""The only output of a network of Q-values; others have ``values``, and perhaps ``logits``."""
LARGEST_FILE = 1 << 30


@dataclass(frozen=True)
class NetFile:
    """A network's file that was found to be in order.

    >>> read_net(Path("/nowhere/a.onnx"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.ModelError: model /nowhere/a.onnx: No such file or directory
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
    row_bytes: int
    """Memory that running it takes for each position of a batch, at most."""
    header: dict[str, Any] = field(repr=False)
    content: bytes = field(repr=False)

    @property
    def training(self) -> dict[str, Any]:
        """How it was trained, in words and numbers."""
        told = self.header.get("training")
        return told if isinstance(told, dict) else {}


def read_net(path: Path) -> NetFile:
    """Read and check a file; `ModelError` says in one sentence what is wrong with it."""
    content = read_bytes(path, LARGEST_FILE)
    try:
        header = _header(content)
        if header.get("format") != FORMAT:
            raise Refused("it is no network of Spielbaum, or of another version")
        written = graph_bytes(content)
        if header.get("sha256") != hashlib.sha256(written).hexdigest():
            raise Refused("it is damaged, for its checksum is wrong")
        graph = read_graph(written)
    except Refused as error:
        raise ModelError(f"model {path}: {error}") from None
    except DAMAGE:
        raise ModelError(f"model {path}: it is damaged, or no network of Spielbaum") from None
    return _checked(path, content, header, graph)


def _header(content: bytes) -> dict[str, Any]:
    for key, text in check_model(content):
        if key == HEADER_KEY:
            if len(text) > LARGEST_TEXT:
                raise Refused("its header is larger than it can be")
            header = json.loads(text)
            if isinstance(header, dict):
                return header
    raise ValueError("there is no header")


def header_entry(header: Mapping[str, Any]) -> bytes:
    """A header as the last part of a model: an entry of its metadata."""
    entry = written_field(1, HEADER_KEY.encode()) + written_field(2, json.dumps(header).encode())
    return written_field(MODEL_METADATA, entry)


def with_training(net: NetFile, training: Mapping[str, Any]) -> bytes:
    """The content of a network's file, with another account of how it was trained."""
    before = header_entry(net.header)
    if not net.content.endswith(before):
        raise ModelError(f"model {net.path}: its header does not come last")
    model = net.content[: len(net.content) - len(before)]
    return model + header_entry({**net.header, "training": dict(training)})


def start_session(net: NetFile, content: bytes | None = None) -> InferenceSession:
    """A session of ONNX Runtime with one thread: several are slower on small networks.

    ``content``: the network, written in another way than in its file.
    """
    onnxruntime = when_needed("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what it would print, it raises
    try:
        return onnxruntime.InferenceSession(
            content or net.content, options, providers=["CPUExecutionProvider"]
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


def _checked(path: Path, content: bytes, header: dict[str, Any], graph: Graph) -> NetFile:
    """The file, if its header is usable and goes with its graph and with the game."""
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
    planes, rows, columns = rules.plane_shape(encoding)
    values = 1 if rules.num_players == 2 else rules.num_players
    expected: dict[str, tuple[int, ...]] = {"planes": (planes * (1 + history), rows, columns)}
    is_q = Q_VALUES in graph.outputs and rules.num_players == 2
    if is_q:
        expected[Q_VALUES] = (rules.num_actions,)
    else:
        expected["values"] = (values,)
    if "logits" in graph.outputs:
        expected["logits"] = (rules.num_actions,)
    shapes = {**graph.outputs, **graph.inputs}
    if shapes != expected or header["values"] != values:
        raise ModelError(
            f"model {path}: its shapes {_written(shapes)} are not those of a network for "
            f"{rules}, {_written(expected)}"
        )
    has_policy, room = is_q or "logits" in graph.outputs, graph.shapes.bytes
    return NetFile(path, rules, encoding, history, values, has_policy, is_q, room, header, content)


def _written(shapes: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(
        f"{name:.40} {'x'.join(map(str, shape))}" for name, shape in sorted(shapes.items())[:4]
    )
