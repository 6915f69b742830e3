"""What a run knows about itself when it starts again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from spielbaum.errors import ModelError
from spielbaum.learn.alphazero.report import Loss, Result, Row
from spielbaum.learn.arrays import write_atomically

FORMAT = "spielbaum alphazero 1"


@dataclass
class State:
    """What is known when a generation has been judged; ``state.json``.

    >>> read_state(Path("/nowhere"))
    State(generation=0, best=0, seconds=0.0, rows=[], results=[], losses=[])
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


def read_state(folder: Path) -> State:
    """What ``state.json`` says about a run; a new state if there is none."""
    path = folder / "state.json"
    if not path.exists():
        return State()
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told.pop("format") != FORMAT:
            raise ValueError
        state = State(**told)
        return replace(
            state,
            rows=[Row(**row) for row in told["rows"]],
            results=[(str(a), str(b), w, d, x) for a, b, w, d, x in told["results"]],
            losses=[(int(g), p, v, r) for g, p, v, r in told["losses"]],
        )
    except OSError as error:
        raise ModelError(f"training {folder}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError):
        raise ModelError(f"training {folder}: its state.json is damaged") from None


def write_state(folder: Path, state: State) -> None:
    """Write ``state.json``."""
    told = {"format": FORMAT, **asdict(state)}
    write_atomically(folder / "state.json", json.dumps(told).encode())


def net_path(folder: Path, generation: int) -> Path:
    """Where the network of a generation is."""
    return folder / "nets" / f"{generation:05}.onnx"
