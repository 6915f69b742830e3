"""What a run knows about itself when it starts again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE, LARGEST_TEXT, read_text, typed
from spielbaum.base.errors import StoreError
from spielbaum.train.methods.alphazero.report import Loss, Result, Row

FORMAT = "spielbaum alphazero 1"
LARGEST_MEMORY = 2 * LARGEST_TEXT  # it has four numbers for every training loop


@dataclass
class RunMemory:
    """What is known when a generation has been judged; ``state.json``.

    >>> read_memory(Path("/nowhere"))
    RunMemory(generation=0, best=0, seconds=0.0, rows=[], results=[], losses=[])
    """

    generation: int = 0
    best: int = 0
    seconds: float = 0.0
    """That the run has taken, in all sittings."""
    rows: list[Row] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    """Matches: two generations, and wins, draws and losses of the first."""
    losses: list[Loss] = field(default_factory=list)
    """Of every training loop: generation, policy, value, regularisation."""


def read_memory(folder: Path) -> RunMemory:
    """What ``state.json`` says about a run; a new memory if there is none."""
    path = folder / "state.json"
    if not path.exists():
        return RunMemory()
    try:
        told = json.loads(read_text(path, LARGEST_MEMORY))
        if told.pop("format") != FORMAT:
            raise ValueError
        memory = typed(RunMemory, told)
        played = [name for result in memory.results for name in result[:2]]
        if not 0 <= memory.best <= memory.generation < 2**31 or not all(map(str.isdecimal, played)):
            raise ValueError
        return memory
    except OSError as error:
        raise StoreError(f"training {folder}: {error.strerror or error}") from None
    except DAMAGE:
        raise StoreError(f"training {folder}: its state.json is damaged") from None


def write_memory(folder: Path, memory: RunMemory) -> None:
    """Write ``state.json``."""
    told = {"format": FORMAT, **asdict(memory)}
    write_atomically(folder / "state.json", json.dumps(told).encode())


def net_path(folder: Path, generation: int) -> Path:
    """Where the network of a generation is."""
    return folder / "nets" / f"{generation:05}.onnx"
