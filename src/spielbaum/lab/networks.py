"""The neural networks of the lab: trained once for each scale, whichever experiments they serve."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from spielbaum.base.errors import SpecError
from spielbaum.base.options import OptionValue
from spielbaum.lab.documents import s0_nets
from spielbaum.lab.experiment import Deviation, Deviations, Experiment, Matches, ScaleName, Speeds
from spielbaum.models.onnx_file import read_net
from spielbaum.train.methods.value.config import ValueConfig, load_config
from spielbaum.train.methods.value.report import Row, read_rows
from spielbaum.train.methods.value.run import NET, Progress, ValueRun

if TYPE_CHECKING:
    from spielbaum.arena.workers import Executor

GAMES = "value-games.db"
"""The games of all trainings, which many of them share."""
_NAMED = re.compile(r"net:@([\w-]+)")

Tell = Callable[[str, int, int], None]


def named_by(spec: str) -> tuple[str, ...]:
    """The networks that an agent's spec names.

    >>> named_by("uct:c=0.8,eval=net:@ConvNet,blend=0.5"), named_by("uct")
    (('ConvNet',), ())
    """
    return tuple(_NAMED.findall(spec))


def named_in(experiment: Experiment) -> tuple[str, ...]:
    """The networks that an experiment needs.

    >>> from spielbaum.lab import experiment
    >>> named_in(experiment("S0.figure20"))
    ('DenseNet', 'ConvNet')
    """
    if isinstance(experiment, Deviations):
        names = [cell.network for cell in experiment.cells]
    elif isinstance(experiment, Matches):
        cells = (*experiment.cells, *experiment.variants)
        names = [name for cell in cells for name in named_by(cell.agent)]
    elif isinstance(experiment, Speeds):
        names = [name for cell in experiment.cells for name in named_by(cell.agent)]
    else:
        names = []
    return tuple(dict.fromkeys(names))


def with_files(spec: str, base: Path, scale: ScaleName) -> str:
    """The spec with files in place of the names of networks."""
    return _NAMED.sub(lambda found: f"net:{folder_of(found[1], base, scale) / NET}", spec)


def config_of(name: str, scale: ScaleName) -> ValueConfig:
    """How a network is trained at a scale.

    >>> config_of("ConvNet", "paper").games.number, config_of("ConvNet", "small").games.number
    (16000, 3000)
    """
    if name not in s0_nets.NETS:
        raise SpecError(f"network {name!r:.60}: expected one of {', '.join(s0_nets.NETS)}")
    config, changes = s0_nets.NETS[name]
    small: Mapping[str, OptionValue] = s0_nets.SMALL if scale == "small" else {}
    return load_config(config).with_values({**small, **changes})


def folder_of(name: str, base: Path, scale: ScaleName) -> Path:
    """Where a network's training is kept."""
    written = config_of(name, scale).model_dump_json()
    return base / f"{name}-{hashlib.sha256(written.encode()).hexdigest()[:12]}"


def train(name: str, base: Path, scale: ScaleName, executor: Executor, tell: Tell) -> None:
    """Train a network, or what is missing of its training."""
    config, folder = config_of(name, scale), folder_of(name, base, scale)
    if _is_trained(config, read_rows(folder)):
        return

    def pass_on(now: Progress) -> None:
        tell(f"{name}, {now.phase}", now.done, now.of)

    ValueRun(config, folder, base / GAMES, executor).run(pass_on)


def errors(cell: Deviation, base: Path, scale: ScaleName) -> tuple[float, ...]:
    """The error of a cell after every epoch so far."""
    if cell.measure not in ("mse", "mae"):
        return ()
    rows = read_rows(folder_of(cell.network, base, scale))
    return tuple(_scaled(cell, getattr(row, cell.measure), scale) for row in rows)


def final_error(cell: Deviation, base: Path, scale: ScaleName) -> float | None:
    """The error of a cell's network when it is trained; None before."""
    folder = folder_of(cell.network, base, scale)
    if not _is_trained(config_of(cell.network, scale), read_rows(folder)):
        return None
    return _scaled(cell, float(read_net(folder / NET).training[cell.measure]), scale)


def _is_trained(config: ValueConfig, rows: list[Row]) -> bool:
    return len(rows) >= config.training.epochs


def _scaled(cell: Deviation, error: float, scale: ScaleName) -> float:
    """An error of values in [-1, 1] as the document would print it."""
    normalised = config_of(cell.network, scale).network.target == "normalised"
    if cell.one_scale or not normalised:
        return error
    return error / (4 if cell.measure.endswith("mse") else 2)
