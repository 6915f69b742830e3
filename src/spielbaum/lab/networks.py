"""Train the neural networks of the lab once for each scale, whichever experiments they serve."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from spielbaum.base.options import OptionValue
from spielbaum.models.onnx_file import read_net
from spielbaum.train.methods.value.config import ValueConfig, load_config
from spielbaum.train.methods.value.method import METHOD, NET, ValueRow
from spielbaum.train.rows import read_rows
from spielbaum.train.run import Run
from spielbaum.train.run_folder import RunStatus

if TYPE_CHECKING:
    from spielbaum.lab.experiment import ScaleName
    from spielbaum.lab.runner import Lab

GAMES = "value-games.db"
"""The games of all trainings, which many of them share."""
NAMED = re.compile(r"net:@([\w-]+)")


def named_by(*specs: str) -> tuple[str, ...]:
    """Return the networks that specs of agents name, each once.

    >>> named_by("uct:c=0.8,eval=net:@ConvNet,blend=0.5"), named_by("uct")
    (('ConvNet',), ())
    """
    return tuple(dict.fromkeys(name for spec in specs for name in NAMED.findall(spec)))


@dataclass(frozen=True)
class Network:
    """A network that a document declares, by the name that specs of agents have for it."""

    name: str
    config: str
    """The name of a configuration of the package."""
    changes: Mapping[str, OptionValue] = field(default_factory=dict)
    """What is different from it: section and key, and the value."""
    small: Mapping[str, OptionValue] = field(default_factory=dict)
    """What the small scale has in place of the document's sizes."""

    def at(self, scale: ScaleName) -> ValueConfig:
        """Return how it is trained at a scale.

        >>> network = Network("ConvNet", "s0-convnet", small={"games.number": 3000})
        >>> network.at("paper").games.number, network.at("small").games.number
        (16000, 3000)
        """
        small = self.small if scale == "small" else {}
        return load_config(self.config).with_values({**small, **self.changes})


@dataclass(frozen=True)
class TrainedNetwork:
    """A network at a scale, with the folder of its training, which may not have begun."""

    name: str
    config: ValueConfig
    base: Path
    """The folder of all trainings."""

    @property
    def folder(self) -> Path:
        """Where the training is kept; another configuration has another folder."""
        written = self.config.model_dump_json()
        return self.base / f"{self.name}-{hashlib.sha256(written.encode()).hexdigest()[:12]}"

    @property
    def file(self) -> Path:
        """The file of the network when it is trained."""
        return self.folder / NET

    @cached_property
    def rows(self) -> list[ValueRow]:
        """What was measured after every epoch so far."""
        return read_rows(self.folder / METHOD.table, ValueRow)

    @property
    def is_trained(self) -> bool:
        """Whether no epoch is missing."""
        return len(self.rows) >= self.config.training.epochs

    def final(self, measure: str) -> float | None:
        """Return an error of the trained network, by the name of a measure; None before."""
        return float(read_net(self.file).training[measure]) if self.is_trained else None

    def train(self, lab: Lab) -> None:
        """Train it, or what is missing of its training."""
        if self.is_trained:
            return

        def pass_on(now: RunStatus, lines: Sequence[str]) -> None:
            lab.tell(f"{self.name}, {now.activity}", now.step, now.of)

        inputs = {"games": self.base / GAMES, "executor": lab.executor}
        Run(METHOD, self.config, self.folder, inputs=inputs).run(pass_on)
