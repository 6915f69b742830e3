"""What a training method is: one folder in ``methods/``, found by being there.

A folder ``methods/NAME/`` has a module ``method`` with a class ``METHOD``, and its ``configs/``.
The run around it (`spielbaum.train.run`) has everything else: the folder, the lock, commits,
resuming, progress, tables, curves, drawings and stopping. Command, form and list follow from what
the class declares.
"""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from spielbaum.base.discover import load, names
from spielbaum.base.errors import SpecError, WorkerError
from spielbaum.base.options import did_you_mean
from spielbaum.games import Game
from spielbaum.train.config import Configuration, read_toml
from spielbaum.train.defaults import default_values
from spielbaum.train.rows import Row
from spielbaum.train.run_folder import CONFIG

if TYPE_CHECKING:
    from spielbaum.train.run import Desk

METHODS = "spielbaum.train.methods"


@dataclass(frozen=True)
class Phase:
    """What a training does now, and how far that is.

    >>> Phase("training", "games", 300, 1000).of
    1000
    """

    name: str
    unit: str
    """What is counted, in the plural."""
    done: int
    of: int


@dataclass(frozen=True)
class Shortcut:
    """An option of the command: a value of the configuration, or a file to begin with."""

    key: str
    """Section and name, as in ``self_play.processes``; empty: an input, which `Desk.inputs` has."""
    metavar: str
    help: str
    several: bool = False
    """Whether it may be given more than once."""


C = TypeVar("C", bound=Configuration)
R = TypeVar("R", bound=Row)


class Method(ABC, Generic[C, R]):
    """A way to train. One object trains in one run; ``start`` or ``load`` come first."""

    name: ClassVar[str]
    help: ClassVar[str]
    """One line for lists."""
    titles: ClassVar[Mapping[str, str]]
    """Its name for people, by language: ``en`` and ``de``."""
    config_type: ClassVar[type[Any]]
    row_type: ClassVar[type[Any]]
    aliases: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ("torch", "onnx", "safetensors")
    """Packages beyond our own dependencies."""
    made: ClassVar[str] = "best.onnx for net:FILE"
    """What a finished training leaves."""
    table: ClassVar[str] = "metrics.csv"
    numbered: ClassVar[bool] = False
    """Whether even a single run has a folder ``run1`` of its own."""
    shortcuts: ClassVar[Mapping[str, Shortcut]] = {}
    # What the forms of the studio make of the configuration, by section and name.
    agents: ClassVar[tuple[str, ...]] = ()
    """Values that are lists of agents."""
    hidden: ClassVar[tuple[str, ...]] = ()
    """Values that a page does not offer: files, and what has no effect on a whole file."""
    heavy: ClassVar[Mapping[str, str]] = {}
    """Numbers that a server limits, and how: processes, threads, positions or games."""

    def __init__(self, config: C, desk: Desk[R]) -> None:
        self.config = config
        self.desk = desk

    # ---- before there is a run ----
    @classmethod
    def default(cls, game: Game) -> C:
        """Return a configuration for a game by its size, as ``default.toml`` says."""
        config: C = cls.config_type.read(default_values(cls.config_type.configs.parent, game))
        return config

    @classmethod
    def adopt(cls, folder: Path) -> C | None:
        """Return the configuration of a run that is older than ``run.json``, if this is one.

        By default it is one whose ``config.toml`` names the method.
        """
        written = read_toml(folder / CONFIG) if (folder / CONFIG).exists() else {}
        if written.get("method") != cls.name:
            return None
        config: C = cls.config_type.kept(written)
        return config

    @classmethod
    def check(
        cls, config: C, inputs: Mapping[str, Path], folder: Path | None
    ) -> Mapping[str, Path]:
        """Raise `SpecError` for what would fail later; return the inputs that are to be used.

        ``folder`` may not exist yet, and is None for a dry run.
        """
        return inputs

    @classmethod
    def is_complete(cls, config: C) -> bool:
        """Return whether a training needs nothing but the rules of its game."""
        return True

    # ---- a run ----
    @abstractmethod
    def start(self) -> None:
        """Make what is trained. Nothing is written yet."""

    @abstractmethod
    def load(self) -> None:
        """Go on from what `save` wrote, if anything; set ``desk.rows``."""

    def prepare(self) -> None:
        """Get ready for the next step. It is not called if the training is finished."""

    @abstractmethod
    def phase(self) -> Phase | None:
        """Return how far it is; None: it is finished."""

    @abstractmethod
    def step(self) -> Sequence[R]:
        """Do the next part: a slice, a round or an epoch; return what was measured.

        It may return early when ``desk.stopped``.
        """

    @property
    def heeds_stop(self) -> bool:
        """Whether the step at hand returns soon after ``desk.stopped``; else it is broken off."""
        return False

    @abstractmethod
    def save(self) -> None:
        """Write all that is needed to go on, with ``desk.rows``, at once or not at all."""

    def rows(self) -> Sequence[R]:
        """Return all rows as the table has them; later ones may change what earlier ones say."""
        return self.desk.rows

    def draw(self) -> None:
        """Write drawings that do not come from columns."""

    def close(self) -> None:
        """End processes; write what can be kept even if the step was broken off."""

    @classmethod
    def combine(cls, folders: Sequence[Path], out: Path) -> Path | None:
        """Make one agent of several runs in a folder; None if there is no way."""
        return None

    @classmethod
    def for_run(cls, config: C, number: int) -> C:
        """Return the configuration of one of several runs: another seed for each."""
        seed = int(config.dump()["seed"])
        return config.with_values({"seed": seed + number - 1}) if number > 1 else config


def methods() -> tuple[str, ...]:
    """Return the names of all training methods.

    >>> {"ntuple", "value", "imitation", "dqn", "alphazero"} <= set(methods())
    True
    """
    return names(METHODS)


def method(name: str) -> type[Method[Any, Any]]:
    """Return a training method by its name; `SpecError` if there is none.

    >>> method("dqn").made
    'best.onnx for net:FILE'
    """
    known = methods()
    if name not in known:
        for each in known:
            if name in (found := _load(each)).aliases:
                return found
        raise SpecError(
            f"there is no training method {name!r:.40}{did_you_mean(name, known)}; "
            f"expected {', '.join(known)}"
        )
    return _load(name)


def _load(name: str) -> type[Method[Any, Any]]:
    found: type[Method[Any, Any]] = load(f"{METHODS}.{name}", "method").METHOD
    return found


def check_needs(wanted: type[Method[Any, Any]]) -> None:
    """Raise `WorkerError` with the command that installs it if a method lacks a package.

    >>> check_needs(method("ntuple"))
    """
    for name in wanted.needs:
        if importlib.util.find_spec(name) is None:
            raise WorkerError(f"training needs {name}: pip install spielbaum[train]")
