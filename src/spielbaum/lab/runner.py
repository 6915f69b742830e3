"""Run experiments, and keep what they measure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from spielbaum.arena.executor import Executor
from spielbaum.arena.store import Store
from spielbaum.lab import catalog
from spielbaum.lab.experiment import CellT, Experiment, Measured, ScaleName
from spielbaum.lab.facts import facts_now
from spielbaum.lab.networks import NAMED, TrainedNetwork


@dataclass
class Lab:
    """The place where experiments are run: a file for games, workers that play them, a scale."""

    store: Path
    executor: Executor
    scale: ScaleName = "small"
    games: int | None = None
    """Games of each cell, if not as many as the scale says."""
    jobs: int = 1
    """Trainings of n-tuple networks at the same time."""
    as_played: bool = False
    """Whether reports without a number of games show the most that the file has."""
    tell: Callable[[str, int, int], None] = field(default=lambda what, done, total: None)
    """Is called with the cell at hand, the games of it that are done, and all of them."""

    def run(self, experiment: Experiment[CellT]) -> list[Measured[CellT]]:
        """Do what has not been done yet, and return everything that is known."""
        for name in experiment.networks:
            self.network(name).train(self)
        experiment.run(self)
        return experiment.results(self)

    @property
    def trainings(self) -> Path:
        """The folder of networks, beside the file of games."""
        return self.store.with_name(self.store.stem + "-trainings")

    def network(self, name: str) -> TrainedNetwork:
        """Return a neural network of the documents, which may not have been trained yet."""
        return TrainedNetwork(name, catalog.network(name).at(self.scale), self.trainings)

    def with_files(self, spec: str) -> str:
        """Return an agent's spec with files in place of the names of networks."""
        return NAMED.sub(lambda found: f"net:{self.network(found[1]).file}", spec)

    @cached_property
    def played(self) -> tuple[str, ...]:
        """Names of the stored runs, if reports show as many games as there are."""
        if not self.as_played:
            return ()
        with Store(self.store, for_reading=True) as store:
            return tuple(store.runs())

    def note(self, name: str) -> str | None:
        """Read a text that is kept under a name; None if there is none."""
        with Store(self.store, for_reading=True) as store:
            return store.note(name)

    def keep_note(self, name: str, text: str) -> None:
        """Keep a text under a name."""
        with Store(self.store) as store:
            store.set_note(name, text)

    def keep_facts(self, experiment: Experiment[Any]) -> None:
        """Keep when, with which version and on what machine an experiment has been run."""
        self.keep_note(experiment.facts_name(self), facts_now())

    def values(self, experiment: Experiment[Any]) -> list[float | None]:
        """Read the numbers of an experiment's cells; all None if there are none."""
        text = self.note(f"{experiment.id}/values")
        found: list[float | None]
        found = [None] * len(experiment.cells) if text is None else json.loads(text)
        return found

    def keep_values(self, experiment: Experiment[Any], values: Sequence[float]) -> None:
        """Keep the numbers of an experiment's cells that have just been measured."""
        self.keep_note(f"{experiment.id}/values", json.dumps(list(values)))
        self.keep_facts(experiment)
