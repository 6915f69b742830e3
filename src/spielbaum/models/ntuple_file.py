"""Networks as files: weights and a header, in the form of ``.npz``.

The header has the format's name, the game, the settings of the network and how it was trained.
Of the weights only those are kept that are not 0, with their places: most entries of most tables
stand for positions that cannot occur.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from spielbaum import _core
from spielbaum.base.arrays import Array, ArrayFile, open_arrays, write_arrays
from spielbaum.base.errors import ModelError, SpecError
from spielbaum.games import Game, game
from spielbaum.models.ntuple import NTupleNetwork, count_weights, network_from
from spielbaum.models.shipped import find_model

FORMAT = "spielbaum ntuple 1"
MOST_WEIGHTS = 1 << 26
"""Weights of a network in a file: 256 MB of tables."""
MOST_TUPLES = 20_000

_SETTINGS: dict[str, type | tuple[type, ...]] = {
    "game": str,
    "contents": int,
    "symmetries": bool,
    "table_per_player": bool,
    "bias": bool,
    "k": (int, float),
    "tuples": list,
}


def save_network(network: NTupleNetwork, path: Path) -> None:
    """Write a network, at once or not at all.

    >>> import tempfile
    >>> import spielbaum as sb
    >>> network = NTupleNetwork(sb.game("tictactoe"), [[0, 1, 2]])
    >>> network.table(0)[5, 0] = 0.25
    >>> folder = tempfile.TemporaryDirectory()
    >>> save_network(network, Path(folder.name) / "a.npz")
    >>> load_network(Path(folder.name) / "a.npz").table(0)[5, 0].item()
    0.25
    >>> folder.cleanup()
    """
    check_size(network.num_weights)
    write_arrays(path, header_of(network), pack("weights", network.weights), compress=True)


def check_size(weights: int) -> None:
    """Refuse a network that no file may have, with a `SpecError`.

    >>> check_size(10**9)
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: a network with 1,000,000,000 weights: expected at most \
67,108,864; use fewer or shorter tuples
    """
    if weights > MOST_WEIGHTS:
        raise SpecError(
            f"a network with {weights:,} weights: expected at most {MOST_WEIGHTS:,}; "
            "use fewer or shorter tuples"
        )


def load_network(path: Path) -> NTupleNetwork:
    """Read a network; `ModelError` if the file is not a whole model."""
    with open_arrays(path) as file:
        network = network_of(file.header, path)
        unpack("weights", file, network.weights)
    return network


def shared_network(path: Path) -> NTupleNetwork:
    """A network that is only to be asked, read once in a process.

    >>> shared_network(Path("/nowhere/a.npz"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.ModelError: model /nowhere/a.npz: No such file or directory
    """
    try:
        path = path.expanduser()
        facts = path.stat()
    except (OSError, RuntimeError, ValueError) as error:
        raise ModelError(f"model {path}: {getattr(error, 'strerror', None) or error}") from None
    return _read(path, facts.st_mtime_ns, facts.st_size)


PREFIX = "ntuple:"


def named_network(option: str) -> NTupleNetwork | None:
    """The network that an option of an agent names as ``ntuple:FILE``; None if it names none.

    >>> named_network("auto") is None
    True
    """
    if not option.startswith(PREFIX):
        return None
    return shared_network(find_model(option.removeprefix(PREFIX), ".npz"))


def core_network(network: NTupleNetwork | None, of: Game) -> _core.NTuple | None:
    """What a search of that game needs of a network; `ModelError` if it is one of another game.

    >>> import spielbaum as sb
    >>> network = NTupleNetwork(sb.game("tictactoe"), [[0, 1]])
    >>> core_network(network, sb.game("connect4"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.ModelError: the network is for tictactoe, not for connect4
    """
    if network is None:
        return None
    if network.game != of:
        raise ModelError(f"the network is for {network.game}, not for {of}")
    return network._core


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> NTupleNetwork:
    """Time and size are only there to notice that a file has changed."""
    return load_network(path)


def header_of(network: NTupleNetwork) -> dict[str, Any]:
    """What a file says about a network beside its weights."""
    return {"format": FORMAT, **network.settings(), "training": network.training}


def check_header(header: dict[str, Any], path: Path) -> None:
    """Refuse a header that tells of no network, with a `ModelError`."""
    if header.get("format") != FORMAT:
        raise ModelError(f"model {path}: it is no n-tuple network, or of another version")
    for name, kind in _SETTINGS.items():
        value = header.get(name)
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise ModelError(f"model {path}: its header has no usable {name}")
    if not isinstance(header.get("squash", True), bool):  # which older files do not have
        raise ModelError(f"model {path}: its header has no usable squash")
    tuples, k = header["tuples"], header["k"]
    if not all(isinstance(each, list) and all(type(c) is int for c in each) for each in tuples):
        raise ModelError(f"model {path}: its header has no usable tuples")
    if len(tuples) > MOST_TUPLES:
        raise ModelError(
            f"model {path}: it has {len(tuples):,} tuples; at most {MOST_TUPLES:,} fit"
        )
    if not 0 < k < 1e6 or not 0 < header["contents"] < 256:
        raise ModelError(f"model {path}: its header has no usable k or contents")


def network_of(header: dict[str, Any], path: Path) -> NTupleNetwork:
    """The network that a header tells of, without weights."""
    check_header(header, path)
    try:
        rules = game(header["game"])
        check_size(count_weights(header, rules))  # before there are tables
        made = network_from(header, rules)
    except SpecError as error:
        raise ModelError(f"model {path}: {error}") from None
    training = header.get("training")
    made.training = training if isinstance(training, dict) else {}
    return made


def pack(name: str, values: npt.NDArray[Any]) -> dict[str, Array]:
    """An array with many zeros as two: what is not 0, and how far each lies behind the last.

    >>> packed = pack("x", np.array([0.0, 0.5, 0.0, 0.0, 0.25], dtype=np.float32))
    >>> packed["x_steps"].tolist(), packed["x"].tolist()
    ([2, 3], [0.5, 0.25])
    """
    flat = values.reshape(-1)
    places = np.flatnonzero(flat.view(np.uint32))  # by their bits, so that not even -0.0 gets lost
    return {
        f"{name}_steps": np.diff(places, prepend=-1).astype(np.uint32),
        name: flat[places],
    }


def unpack(name: str, file: ArrayFile, out: npt.NDArray[Any]) -> None:
    """Write a packed array of a file to where it belongs, whose other values are 0.

    It is unpacked part by part, so that it takes no memory beside that of ``out``.

    >>> import tempfile
    >>> out = np.zeros(5, dtype=np.float32)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.npz"
    ...     packed = pack("x", np.array([0, 1, 0, 0, 2], dtype=np.float32))
    ...     write_arrays(path, {}, packed, compress=True)
    ...     with open_arrays(path) as file:
    ...         unpack("x", file, out)
    >>> out.tolist()
    [0.0, 1.0, 0.0, 0.0, 2.0]
    """
    flat = out.reshape(-1)
    wrong = ModelError(f"model {file.path}: its {name} do not fit its tuples")
    last, size = -1, len(flat)
    all_steps = file.chunks(f"{name}_steps", np.uint32, size)
    all_values = file.chunks(name, out.dtype.type, size)
    for steps, values in itertools.zip_longest(all_steps, all_values):
        if steps is None or values is None or len(steps) != len(values) or (steps == 0).any():
            raise wrong
        places = np.cumsum(steps, dtype=np.int64) + last
        last = int(places[-1])
        if last >= size:
            raise wrong
        if not np.isfinite(values).all():
            raise ModelError(f"model {file.path}: it has {name} that are no numbers")
        flat[places] = values
