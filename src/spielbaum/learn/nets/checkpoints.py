"""Training states on disk: weights and an optimizer's memory, as safetensors with a header.

Nothing in such a file is ever executed. A file is there as a whole or not at all.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from spielbaum.errors import ModelError
from spielbaum.learn.arrays import check_file, write_atomically

FORMAT = "spielbaum checkpoint 1"
LARGEST_FILE = 16 << 30
_HEADER = "spielbaum"


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
    tensors = {f"net.{name}": value.contiguous() for name, value in net.state_dict().items()}
    state = optimizer.state_dict()["state"]
    for index, entries in state.items():
        for name, value in entries.items():
            tensors[f"optimizer.{index}.{name}"] = torch.as_tensor(value).contiguous()
    metadata = {_HEADER: json.dumps({"format": FORMAT, **header})}
    write_atomically(path, safetensors.torch.save(tensors, metadata))


def read_header(path: Path) -> dict[str, Any]:
    """What a checkpoint says about itself; `ModelError` if it is none."""
    check_file(path, LARGEST_FILE)
    try:
        with safetensors.safe_open(str(path), framework="pt") as file:
            header = json.loads((file.metadata() or {})[_HEADER])
        if header.pop("format") != FORMAT:
            raise ValueError
    except (safetensors.SafetensorError, ValueError, KeyError, AttributeError, OSError):
        raise ModelError(f"model {path}: it is damaged, or no checkpoint of a training") from None
    return dict(header)


def load_weights(path: Path, net: nn.Module) -> None:
    """Give a network the weights of a training, whatever kind of training it was."""
    read_header(path)
    with _fits(path):
        _set_weights(net, safetensors.torch.load_file(str(path)))


def load_checkpoint(path: Path, net: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Restore a network and its optimizer; answers the header."""
    header = read_header(path)
    with _fits(path):
        tensors = safetensors.torch.load_file(str(path))
        _set_weights(net, tensors)
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in tensors.items():
            if name.startswith("optimizer."):
                _, index, key = name.split(".", 2)
                state.setdefault(int(index), {})[key] = value
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": state, "param_groups": groups})
    return header


def _set_weights(net: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    found = {
        name.removeprefix("net."): value
        for name, value in tensors.items()
        if name.startswith("net.")
    }
    wanted = net.state_dict()
    for name in sorted(wanted.keys() | found.keys()):
        shapes = [tuple(each[name].shape) if name in each else None for each in (found, wanted)]
        if shapes[0] != shapes[1]:
            told = ["nothing" if shape is None else str(shape) for shape in shapes]
            raise ValueError(f"{name} is {told[0]} there, and {told[1]} here")
    net.load_state_dict(found)


@contextlib.contextmanager
def _fits(path: Path) -> Iterator[None]:
    try:
        yield
    except (safetensors.SafetensorError, RuntimeError, ValueError, KeyError, OSError) as error:
        reason = f" ({error})" if isinstance(error, ValueError) else ""
        raise ModelError(
            f"model {path}: it does not fit the network of this training{reason}"
        ) from None
