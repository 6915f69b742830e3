"""Configurations of n-tuple trainings: those of the package, and those that visitors made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from spielbaum.base.arrays import write_atomically
from spielbaum.base.errors import SpecError
from spielbaum.studio.server.guard import permitted_game
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.files import file_inside, shown
from spielbaum.studio.services.protocol import GameSpec, Message, RunName
from spielbaum.studio.services.runs import NotNow
from spielbaum.train.config import config_title, write_toml
from spielbaum.train.methods.ntuple.config import (
    CONFIGS,
    TrainingConfig,
    configs,
    load_config,
    read_config,
)

FOLDER = "configs"
Cells = Annotated[list[Annotated[int, Field(ge=0, le=65535)]], Field(min_length=1, max_length=64)]


class ConfigSummary(Message):
    """A configuration in the list."""

    name: str
    game: str
    title: str
    source: Literal["shipped", "own"]


class ConfigTuples(Message):
    """The tuples of a configuration, drawn as for its first run."""

    name: str
    game: str
    tuples: list[list[int]]


class ConfigRequest(Message):
    """Tuples that were drawn by hand, and how they are to be trained."""

    name: RunName
    game: GameSpec
    tuples: list[Cells] = Field(min_length=1, max_length=1000)
    base: str = Field(
        default="", max_length=80, description="A configuration that says all the rest."
    )
    overwrite: bool = False


class SavedConfig(ConfigSummary):
    """A configuration that was saved, as TOML."""

    text: str


class NoSuchConfiguration(LookupError):
    """A configuration that is not there, or that belongs to the package."""


@dataclass
class Configurations:
    """Configurations by name; a visitor's own come first.

    >>> found = Configurations(Settings(data=Path("/nowhere")))
    >>> found.load("tictactoe-9").games
    5000
    """

    settings: Settings

    def all(self) -> list[ConfigSummary]:
        """Every configuration that can be read; own ones first."""
        found = []
        for name in self._own():
            try:
                found.append(self._summary(name, self.load(name)))
            except SpecError:  # somebody has put something else there
                continue
        known = {each.name for each in found}
        return found + [
            self._summary(name, load_config(name)) for name in configs() if name not in known
        ]

    def load(self, name: str) -> TrainingConfig:
        """A configuration; `SpecError` if there is none of that name, or it is wrong."""
        own = file_inside(self.settings.data / FOLDER, f"{name}.toml")
        if own is None and name not in configs():
            raise SpecError(f"there is no configuration {name!r:.80}")
        try:
            return load_config(own or name)
        except SpecError as error:
            raise SpecError(shown(str(error), self.settings)) from None

    def tuples(self, name: str) -> ConfigTuples:
        """The tuples of a configuration."""
        config = self.load(name)
        tuples = [list(cells) for cells in config.draw_tuples(1)]
        return ConfigTuples(name=name, game=str(config.game), tuples=tuples)

    def save(self, asked: ConfigRequest) -> SavedConfig:
        """Write a configuration with tuples that were drawn by hand."""
        rules = permitted_game(asked.game)
        size = len(rules.initial().cells)
        for cells in asked.tuples:
            if max(cells) >= size or len(set(cells)) < len(cells):
                raise SpecError(f"tuple {cells}: expected different cells from 0 to {size - 1}")
        names = [
            " ".join(rules.face.cell_name(rules, cell) for cell in cells) for cells in asked.tuples
        ]
        written = dict(self.load(asked.base).written) if asked.base else {}
        written["game"] = str(rules)
        written["network"] = {**written.get("network", {}), "tuples": [{"cells": names}]}
        config = read_config(written)
        config.make_network(1)  # says what is wrong with its tuples
        return self._write(asked.name, config, write_toml(written), asked.overwrite)

    def _write(self, name: str, config: TrainingConfig, text: str, overwrite: bool) -> SavedConfig:
        folder = self.settings.data / FOLDER
        path = folder / f"{name}.toml"
        if path.exists() and not overwrite:
            raise NotNow(f"there is a configuration {name!r} already")
        if not path.exists() and len(self._own()) >= self.settings.kept_trainings:
            raise NotNow(f"there are {self.settings.kept_trainings} configurations already")
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
        return SavedConfig(**self._summary(name, config).model_dump(), text=text)

    def remove(self, name: str) -> None:
        """Delete a visitor's own configuration; trainings that were made from it have a copy."""
        own = file_inside(self.settings.data / FOLDER, f"{name}.toml")
        if own is None:
            raise NoSuchConfiguration(f"there is no configuration {name!r:.80} of your own")
        own.unlink()

    def _own(self) -> list[str]:
        return sorted(path.stem for path in (self.settings.data / FOLDER).glob("*.toml"))

    def _summary(self, name: str, config: TrainingConfig) -> ConfigSummary:
        own = self.settings.data / FOLDER / f"{name}.toml"
        is_own = own.exists()
        path: Path = own if is_own else CONFIGS / f"{name}.toml"
        return ConfigSummary(
            name=name,
            game=str(config.game),
            title=config_title(path),
            source="own" if is_own else "shipped",
        )
