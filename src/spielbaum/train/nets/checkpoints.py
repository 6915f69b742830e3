"""Training states on disk: weights and an optimizer's memory, as safetensors with a header.

Nothing in such a file is ever executed. A file is there as a whole or not at all. The sizes of its
tensors are compared with those of the network before any of them is read.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE, LARGEST_TEXT, check_file
from spielbaum.base.errors import ModelError

FORMAT = "spielbaum checkpoint 1"
LARGEST_FILE = 16 << 30
_HEADER, _NET, _OPTIMIZER = "spielbaum", "net.", "optimizer."
_KINDS = {torch.float32: "F32", torch.int64: "I64"}
_MEMORY: dict[type[torch.optim.Optimizer], tuple[str, ...]] = {
    torch.optim.Adam: ("step", "exp_avg", "exp_avg_sq"),
    torch.optim.SGD: ("momentum_buffer",),
}
"""What optimizers remember of each parameter."""
_Declared: TypeAlias = tuple[str, tuple[int, ...]]
"""The kind of a tensor's numbers, and its shape."""


def save_checkpoint(
    path: Path, net: nn.Module, optimizer: torch.optim.Optimizer, header: Mapping[str, Any]
) -> None:
    """Write all that is needed to go on with a training.

    >>> import tempfile
    >>> net = nn.Linear(2, 1)
    >>> optimizer = torch.optim.Adam(net.parameters())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_checkpoint(Path(folder) / "a.safetensors", net, optimizer, {"generation": 3})
    ...     load_checkpoint(Path(folder) / "a.safetensors", net, optimizer)
    {'generation': 3}
    """
    tensors = {f"{_NET}{name}": value.contiguous() for name, value in net.state_dict().items()}
    state = optimizer.state_dict()["state"]
    for index, entries in state.items():
        for name, value in entries.items():
            tensors[f"{_OPTIMIZER}{index}.{name}"] = torch.as_tensor(value).contiguous()
    metadata = {_HEADER: json.dumps({"format": FORMAT, **header})}
    write_atomically(path, safetensors.torch.save(tensors, metadata))


def read_header(path: Path) -> dict[str, Any]:
    """What a checkpoint says about itself; `ModelError` if it is none."""
    return _read_start(path)[0]


def load_weights(path: Path, net: nn.Module) -> None:
    """Give a network the weights of a training, whatever kind of training it was."""
    _, declared = _read_start(path)
    with _fits(path):
        _compare(declared, net)
        _set_weights(net, _load(path, [name for name in declared if name.startswith(_NET)]))


def load_checkpoint(path: Path, net: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Restore a network and its optimizer; answers the header."""
    header, declared = _read_start(path)
    with _fits(path):
        _compare(declared, net)
        _compare_memory(declared, optimizer)
        tensors = _load(path, declared)
        _set_weights(net, tensors)
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in tensors.items():
            if name.startswith(_OPTIMIZER):
                _, index, key = name.split(".", 2)
                state.setdefault(int(index), {})[key] = value
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": state, "param_groups": groups})
    return header


def _read_start(path: Path) -> tuple[dict[str, Any], dict[str, _Declared]]:
    """The header and what is said about tensors, read without any of them."""
    check_file(path, LARGEST_FILE)
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if not 0 < size <= LARGEST_TEXT:
                raise ValueError
            said = json.loads(file.read(size))
        header = json.loads(said.pop("__metadata__")[_HEADER])
        if header.pop("format") != FORMAT:
            raise ValueError
        declared = {str(name): _declared(each) for name, each in said.items()}
        with safetensors.safe_open(str(path), framework="pt"):
            pass  # it checks that the tensors are all there, and that they do not overlap
    except (safetensors.SafetensorError, OSError, *DAMAGE):
        raise ModelError(f"model {path}: it is damaged, or no checkpoint of a training") from None
    return dict(header), declared


def _declared(said: Mapping[str, Any]) -> _Declared:
    return str(said["dtype"]), tuple(int(size) for size in said["shape"])


def _load(path: Path, names: Iterable[str]) -> dict[str, Tensor]:
    with safetensors.safe_open(str(path), framework="pt") as file:
        return {name: file.get_tensor(name) for name in names}


def _compare(declared: Mapping[str, _Declared], net: nn.Module) -> None:
    """Compare the sizes of a network's tensors with those that a file declares."""
    wanted = {f"{_NET}{name}": value for name, value in net.state_dict().items()}
    found = {name for name in declared if name.startswith(_NET)}
    for name in sorted(wanted.keys() | found):
        here, there = wanted.get(name), declared.get(name)
        shapes = (there and there[1], None if here is None else tuple(here.shape))
        if shapes[0] != shapes[1]:
            told = ["nothing" if shape is None else str(shape) for shape in shapes]
            raise ValueError(
                f"{name.removeprefix(_NET):.60} is {told[0]} there, and {told[1]} here"
            )
        if here is not None and there is not None and there[0] != _KINDS.get(here.dtype):
            raise ValueError(f"{name.removeprefix(_NET):.60} has numbers of another kind")


def _compare_memory(declared: Mapping[str, _Declared], optimizer: torch.optim.Optimizer) -> None:
    """The same for what an optimizer remembers of every parameter: all of it, or nothing."""
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    keys = _MEMORY[type(optimizer)]
    wanted = {
        f"{_OPTIMIZER}{index}.{key}": ("F32", () if key == "step" else tuple(each.shape))
        for index, each in enumerate(parameters)
        for key in keys
    }
    others = {name: each for name, each in declared.items() if not name.startswith(_NET)}
    if others and others != wanted:
        raise ValueError("its optimizer is another one")


def _set_weights(net: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    net.load_state_dict(
        {name.removeprefix(_NET): value for name, value in tensors.items() if name.startswith(_NET)}
    )


@contextlib.contextmanager
def _fits(path: Path) -> Iterator[None]:
    try:
        yield
    except (safetensors.SafetensorError, RuntimeError, ValueError, KeyError, OSError) as error:
        reason = f" ({error})" if isinstance(error, ValueError) else ""
        raise ModelError(
            f"model {path}: it does not fit the network of this training{reason}"
        ) from None
