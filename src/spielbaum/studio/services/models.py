"""Trained agents for the page: which there are, and networks to look into."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field

from spielbaum.base.errors import ModelError
from spielbaum.base.memory import MEGABYTE
from spielbaum.games import game
from spielbaum.models.model_info import READERS, model_info
from spielbaum.models.ntuple import count_weights
from spielbaum.models.ntuple_file import shared_network
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.files import MODELS, find_file
from spielbaum.studio.services.model_process import ModelProcess
from spielbaum.studio.services.protocol import Message

T = TypeVar("T")

TRAININGS = "trainings/"
"""Models of trainings are called so, and their place in that folder."""
GAMES = "games"
"""A folder below a training with games, not with models."""
MOST_MODELS = 500
NTUPLE = "ntuple"
BYTES_OF_A_WEIGHT = 4
MOST_OPPONENTS = 20


class StrengthView(Message):
    """How a model played when it was measured last."""

    opponent: str
    share: float


class ModelSummary(Message):
    """A trained agent in the list."""

    name: str = Field(description="As an agent names it: ntuple:NAME.")
    kind: str
    game: str
    source: Literal["shipped", "own", "training"]
    bytes: int
    games: int | None = Field(description="Of its training.")
    strength: list[StrengthView]


class NoSuchModel(LookupError):
    """A model that is not there."""


@dataclass
class Models:
    """The models that visitors may use.

    >>> settings = Settings(data=Path("/nowhere"))
    >>> reader = ModelProcess(settings)
    >>> names = [model.name for model in Models(settings, reader).all()]
    >>> {"models/connect4.npz", "models/tictactoe.npz"} <= set(names)
    True
    >>> reader.close()
    """

    settings: Settings
    reader: ModelProcess
    _known: dict[Path, tuple[int, ModelSummary | None]] = field(default_factory=dict)
    """With the time of the file, by which a new one is noticed."""

    def all(self) -> list[ModelSummary]:
        """Every model: those that are shipped, those of the data folder, those of trainings."""
        found: dict[str, ModelSummary] = {}
        for name, path in self._files():
            summary = self._remembered(name, path)
            if summary is not None and len(found) < MOST_MODELS:
                found.setdefault(name, summary)
        return list(found.values())

    def below(self, folder: str) -> list[ModelSummary]:
        """The models whose names begin so, such as those of a training."""
        return [model for model in self.all() if model.name.startswith(folder)]

    def path(self, name: str) -> Path:
        """Where a model is."""
        path = find_file(name, self.settings)
        if path is None or path.suffix not in READERS:
            raise NoSuchModel(f"there is no model {name!r:.80}")
        return path

    def ask(self, question: Callable[..., T], name: str, *arguments: object) -> T:
        """Call a function with an n-tuple network that is only to be asked, where models are read.

        It must be one of a module; ``arguments`` come behind the network.
        """
        limit = self.settings.megabytes
        with self._without_path(name):
            asked: T = self.reader.ask(ask_network, question, self.path(name), limit, arguments)
            return asked

    def summary(self, name: str) -> ModelSummary:
        """What a model says about itself."""
        return self._summarise(name, self.path(name))

    @contextlib.contextmanager
    def _without_path(self, name: str) -> Iterator[None]:
        try:
            yield
        except ModelError as error:  # the path is nobody's business
            said = str(error)
            reason = said.partition(": ")[2] if said.startswith("model ") else said
            raise ModelError(f"model {name}: {reason}") from None

    def _files(self) -> Iterator[tuple[str, Path]]:
        data, shipped = self.settings.data.resolve(), self.settings.models.resolve()
        for folder, prefix, pattern in (
            (data / MODELS, MODELS, "**/*"),
            (shipped, MODELS, "*"),
            (data / TRAININGS, TRAININGS, "*/**/*"),
        ):
            for path in sorted(folder.glob(pattern)) if folder.is_dir() else ():
                below = path.relative_to(folder)
                # Games that a training keeps are arrays, too, and there are many of them.
                if path.suffix in READERS and GAMES not in below.parts[:-1]:
                    yield prefix + below.as_posix(), path

    def _remembered(self, name: str, path: Path) -> ModelSummary | None:
        try:
            changed = path.stat().st_mtime_ns
            if path not in self._known or self._known[path][0] != changed:
                self._known[path] = (changed, None)
                self._known[path] = (changed, self._summarise(name, path))
        except (OSError, ModelError):  # it has just gone, or is something else
            return None
        return self._known[path][1]

    def _summarise(self, name: str, path: Path) -> ModelSummary:
        with self._without_path(name):
            facts = self.reader.ask(read_facts, path)
        own: Literal["own", "training"] = "training" if name.startswith(TRAININGS) else "own"
        return ModelSummary(
            name=name,
            source="shipped" if path.is_relative_to(self.settings.models.resolve()) else own,
            **facts,
        )


# ---- what happens in the process that reads models ----
def read_facts(path: Path) -> dict[str, Any]:
    """What the header of a model says, as far as the page shows it."""
    info = model_info(path)
    training = info.header.get("training")
    facts: dict[str, Any] = training if isinstance(training, dict) else {}
    games = facts.get("games")
    return {
        "kind": info.kind,
        "game": info.game,
        "bytes": info.size,
        "games": games if isinstance(games, int) and abs(games) < 2**53 else None,
        "strength": _strength(facts.get("strength")),
    }


def ask_network(
    question: Callable[..., T], path: Path, megabytes: int, arguments: Sequence[object]
) -> T:
    """Ask an n-tuple network something, if it is one and not too large."""
    info = model_info(path)
    if info.kind != NTUPLE:
        raise ModelError(f"model {path}: it is no n-tuple network")
    size = BYTES_OF_A_WEIGHT * count_weights(info.header, game(info.game))
    if size > megabytes * MEGABYTE:
        raise ModelError(
            f"model {path}: its tables take {size // MEGABYTE:,} MB; expected at most "
            f"{megabytes:,} on this server"
        )
    return question(shared_network(path), *arguments)


def _strength(written: object) -> list[StrengthView]:
    """What a header says about it; what makes no sense is left out."""
    return [
        StrengthView(opponent=str(each["opponent"])[:200], share=float(each["share"]))
        for each in (written[:MOST_OPPONENTS] if isinstance(written, list) else ())
        if isinstance(each, dict)
        and "opponent" in each
        and isinstance(each.get("share"), int | float)
        and 0 <= each["share"] <= 1
    ]
