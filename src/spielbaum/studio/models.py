"""Trained agents for the page: which there are, and networks to look into."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from spielbaum.errors import ModelError
from spielbaum.games import game
from spielbaum.learn.models import READERS, ModelInfo, model_info
from spielbaum.learn.ntuple import NTupleNetwork, weights_of_an_entry
from spielbaum.learn.ntuple_file import shared_network
from spielbaum.memory import MEGABYTE
from spielbaum.studio.files import MODELS, find_file
from spielbaum.studio.protocol import Message
from spielbaum.studio.settings import Settings

TRAININGS = "trainings/"
"""Models of trainings are called so, and their place in that folder."""
GAMES = "games"
"""A folder below a training with games, not with models."""
MOST_MODELS = 500
NTUPLE = "ntuple"
BYTES_OF_A_WEIGHT = 4


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

    >>> names = [model.name for model in Models(Settings(data=Path("/nowhere"))).all()]
    >>> {"models/connect4.npz", "models/tictactoe.npz"} <= set(names)
    True
    """

    settings: Settings
    _lock: threading.Lock = field(default_factory=threading.Lock)
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

    def network(self, name: str) -> NTupleNetwork:
        """An n-tuple network, to be asked and not to be changed."""
        path = self.path(name)
        info = self._info(path)
        if info.kind != NTUPLE:
            raise ModelError(f"model {name}: it is no n-tuple network")
        size = table_bytes(info)
        if size > self.settings.megabytes * MEGABYTE:
            raise ModelError(
                f"model {name}: its tables take {size // MEGABYTE:,} MB; expected at most "
                f"{self.settings.megabytes:,} on this server"
            )
        with self._lock:  # so that two visitors do not read the same file at once
            return shared_network(path)

    def summary(self, name: str) -> ModelSummary:
        """What a model says about itself."""
        return self._summarise(name, self.path(name))

    def _info(self, path: Path) -> ModelInfo:
        try:
            return model_info(path)
        except ModelError as error:  # without the path, which is nobody's business
            raise ModelError(f"model {path.name}: {str(error).partition(': ')[2]}") from None

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
        info = self._info(path)
        training = info.header.get("training")
        facts: dict[str, Any] = training if isinstance(training, dict) else {}
        games = facts.get("games")
        own: Literal["own", "training"] = "training" if name.startswith(TRAININGS) else "own"
        return ModelSummary(
            name=name,
            kind=info.kind,
            game=info.game,
            source="shipped" if path.is_relative_to(self.settings.models.resolve()) else own,
            bytes=info.size,
            games=games if isinstance(games, int) else None,
            strength=_strength(facts.get("strength")),
        )


def _strength(written: object) -> list[StrengthView]:
    """What a header says about it; what makes no sense is left out."""
    return [
        StrengthView(opponent=str(each["opponent"]), share=float(each["share"]))
        for each in (written if isinstance(written, list) else ())
        if isinstance(each, dict)
        and "opponent" in each
        and isinstance(each.get("share"), int | float)
    ]


def table_bytes(info: ModelInfo) -> int:
    """What the tables of a network take in memory, before they are made."""
    header = info.header
    entries: int = sum(header["contents"] ** min(len(cells), 64) for cells in header["tuples"])
    per_player: bool = header["table_per_player"]
    return entries * BYTES_OF_A_WEIGHT * weights_of_an_entry(game(info.game), per_player)
