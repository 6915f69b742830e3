"""What a run knows about itself when it starts again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from spielbaum.base.arrays import write_atomically
from spielbaum.base.bounded import DAMAGE, LARGEST_TEXT, read_text, typed
from spielbaum.base.errors import StoreError
from spielbaum.train.rows import Chart, Column, Row

FORMAT = "spielbaum alphazero 1"
LARGEST_MEMORY = 2 * LARGEST_TEXT  # it has four numbers for every training loop


Loss = tuple[int, float, float, float]
Result = tuple[str, str, int, int, int]
ACCURACY = Chart("accuracy", "Solved positions", "values kept in percent")


@dataclass(frozen=True)
class AlphaZeroRow(Row):
    """A generation; a line of ``metrics.csv``.

    >>> numbers = 5, 5, 60, 100, 900, 9000, 100, 50, 40, 8, 1.5, 1.2, 0.2, 0.1, 3, 2, 1
    >>> print(AlphaZeroRow(*numbers).line())
        5: 0:01:00  100 games  loss 1.500  policy 1.200  value 0.200  3 won, 2 drawn, 1 lost
    """

    axis = "generation"
    columns = (
        Column("games", "{:,} games", "games"),
        Column("positions", tag="positions"),
        Column("loss", "loss {:.3f}", "loss/total"),
        Column("policy_loss", "policy {:.3f}", "loss/policy"),
        Column("value_loss", "value {:.3f}", "loss/value"),
        Column("regularisation_loss", tag="loss/regularisation"),
        Column(
            "accuracy",
            "{:.1f} % of values kept",
            "accuracy",
            ACCURACY,
            "values kept",
            percent=True,
            strength=True,
        ),
    )

    generation: int
    best: int
    """The generation that plays on."""
    seconds: float
    """Of the whole run."""
    games: int
    positions: int
    evaluations: int
    hits: int
    play_seconds: float
    """Of all processes that play."""
    steps: int
    training_seconds: float
    """Of this generation."""
    loss: float
    policy_loss: float
    value_loss: float
    regularisation_loss: float
    wins: int
    draws: int
    losses: int
    """Of its match."""
    accuracy: float | None = None
    """Share of solved positions whose value it keeps."""
    shares: dict[str, float] = field(default_factory=dict)
    """Points by games against agents."""
    elo: float | None = None
    """Its rating by all matches so far; the first opponent has 0."""

    def strength(self) -> str:
        """Return what was measured, and how its match ended."""
        match = f"{self.wins} won, {self.draws} drawn, {self.losses} lost"
        played = self.wins or self.draws or self.losses
        return "  ".join(filter(None, [match if played else "", super().strength()]))


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
    rows: list[AlphaZeroRow] = field(default_factory=list)
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
