"""Trained agents as files: where those of the package are, and what a file says about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielbaum.base.arrays import read_header
from spielbaum.base.errors import ModelError
from spielbaum.models import ntuple_file
from spielbaum.models.onnx_file import read_net


@dataclass(frozen=True)
class ModelInfo:
    """What the header of a file says; the weights are not read.

    >>> ModelInfo("ntuple", "connect4", {}, 1000).kind
    'ntuple'
    """

    kind: str
    """The agent that plays with it, as in ``ntuple:FILE``."""
    game: str
    header: dict[str, Any]
    size: int
    """Bytes of the file."""


def _ntuple_header(path: Path) -> dict[str, Any]:
    header = read_header(path)
    ntuple_file.check_header(header, path)
    return header


def _net_header(path: Path) -> dict[str, Any]:
    return read_net(path).header


READERS: dict[str, tuple[str, Callable[[Path], dict[str, Any]]]] = {
    ".npz": ("ntuple", _ntuple_header),
    ".onnx": ("net", _net_header),
}
"""By suffix: the agent that plays with such files, and what reads and checks their headers."""
KINDS = tuple(kind for kind, _ in READERS.values())


def model_info(path: Path) -> ModelInfo:
    """Read the header of a model; `ModelError` if it is none that an agent can play with.

    >>> from spielbaum.models.shipped import shipped_models
    >>> info = model_info(shipped_models() / "tictactoe.npz")
    >>> info.kind, info.game
    ('ntuple', 'tictactoe')
    """
    if path.suffix not in READERS:
        raise ModelError(f"model {path}: expected a file *{', *'.join(READERS)}")
    kind, read = READERS[path.suffix]
    header = read(path)
    return ModelInfo(kind, header["game"], header, path.stat().st_size)
