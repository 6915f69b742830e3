"""Trainings of neural networks as forms, made from what their configurations declare."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option, OptionValue
from spielbaum.studio.server.guard import permitted_agent
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.configurations import ConfigSummary
from spielbaum.studio.services.files import shown
from spielbaum.studio.services.options import option_view
from spielbaum.studio.services.protocol import OptionView
from spielbaum.studio.services.training_forms import FieldView, SectionView
from spielbaum.train.config import TrainConfig, config_names, config_title, write_toml
from spielbaum.train.method import Method, method, methods

OPENINGS = re.compile(r"(empty|random|balanced)(:[0-9]{1,3})?")
"""Ways to begin games that read no file."""
MOST_POSITIONS = 1_000_000
"""That a training of a visitor may remember on disk."""
MOST_GAMES_AT_ONCE = 512
RUN = "run1"
"""The folder of the run in that of its training, beside the configuration of the page."""


@dataclass
class NetKind:
    """A kind of training of networks.

    >>> kind = NetKind(method("alphazero"), Settings(data=Path("/nowhere")))
    >>> [section.name for section in kind.form("tictactoe")]
    ['', 'network', 'self_play', 'retraining', 'evaluation']
    >>> game, text = kind.write("tictactoe", {"model_updates": 3, "evaluation.opponents": "uct"})
    >>> game, "model_updates = 3" in text
    ('tictactoe', True)
    """

    method: type[Method[Any, Any]]
    settings: Settings

    def __post_init__(self) -> None:
        self.name, self.help = self.method.name, self.method.help
        self.titles = dict(self.method.titles)
        self.agents, self.hidden = self.method.agents, (*self.method.hidden, "method")
        most = {
            "processes": self.settings.jobs,
            "threads": self.settings.threads,
            "positions": MOST_POSITIONS,
            "games": MOST_GAMES_AT_ONCE,
        }
        self.most = {key: most[what] for key, what in self.method.heavy.items()}
        """The largest numbers on this server."""

    @property
    def _folder(self) -> Path:
        folder: Path = self.method.config_type.configs
        return folder

    def configs(self) -> list[ConfigSummary]:
        """Those of the package that need no games from elsewhere."""
        return [
            ConfigSummary(
                name=name,
                game=written["game"],
                title=config_title(self._folder / f"{name}.toml"),
                source="shipped",
            )
            for name in config_names(self._folder)
            if (written := self._load(name)) is not None
        ]

    def form(self, config: str) -> list[SectionView]:
        """All values with their limits; lists are texts."""
        written = self._written(config)
        schema = self.method.config_type.model_json_schema()
        parts = {"": schema["properties"]}
        for name, about in schema["properties"].items():
            if "$ref" in about:
                parts[name] = schema["$defs"][about["$ref"].rpartition("/")[2]]["properties"]
        return [
            SectionView(
                name=section,
                fields=[
                    self._field(key, about, (written[section] if section else written)[name])
                    for name, about in properties.items()
                    if (key := f"{section}.{name}".lstrip(".")) not in self.hidden
                    and "$ref" not in about
                ],
            )
            for section, properties in parts.items()
        ]

    def write(self, config: str, values: Mapping[str, OptionValue]) -> tuple[str, str]:
        """The changed configuration as TOML; nothing is left out."""
        written = self._written(config)
        for key, value in values.items():
            section, _, name = key.rpartition(".")
            place = written.get(section, {}) if section else written
            known = isinstance(place, dict) and name in place and not isinstance(place[name], dict)
            if not known or key in self.hidden:
                raise SpecError(f"there is no option {key!r:.60} in a training")
            is_list = isinstance(place[name], list)
            place[name] = self._listed(key, str(value)) if is_list else value
        for key in self.agents:
            section, _, name = key.rpartition(".")
            agents = written[section][name]
            written[section][name] = [permitted_agent(each, self.settings) for each in agents]
        self._check(written)
        read = self.method.config_type.read(written)
        return read.game, write_toml(read.dump())

    def command(self, game: str, config: Path, out: Path) -> list[str]:
        """``train`` and the name of the kind."""
        return [self.name, game, "--config", str(config), "--out", str(out / RUN)]

    def _load(self, config: str) -> dict[str, Any] | None:
        read = self.method.config_type.load(config)
        return read.dump() if self.method.is_complete(read) else None

    def _written(self, config: str) -> dict[str, Any]:
        known = config in config_names(self._folder)
        if not known or (written := self._load(config)) is None:
            raise SpecError(f"there is no configuration {config!r:.80}")
        for key in self.most:
            section, _, name = key.rpartition(".")
            if name == "processes":
                written[section][name] = self.most[key]
        return written

    def _check(self, written: dict[str, Any]) -> None:
        for key, most in self.most.items():
            section, _, name = key.rpartition(".")
            value = written[section][name]
            if isinstance(value, int) and not 1 <= value <= most:  # 0 processes: all that there are
                raise SpecError(f"{key} = {value}: expected 1 to {most:,} on this server")
        openings = written.get("games", {}).get("openings", "empty")
        if not OPENINGS.fullmatch(str(openings)):
            raise SpecError(
                f"games.openings = {openings!r:.60}: expected empty, random:PLIES or balanced:PLIES"
            )

    def _listed(self, key: str, text: str) -> list[str]:
        """The parts of a list: agents by lines, anything else by commas."""
        parts = text.split("\n" if key in self.agents else ",")
        return [part.strip() for part in parts if part.strip()]

    def _field(self, key: str, about: Mapping[str, Any], value: Any) -> FieldView:
        name = key.rpartition(".")[2]
        words = " ".join(about.get("description", "").replace("``", "").split())
        if about["type"] == "array":
            lines = key in self.agents
            text = ("\n" if lines else ", ").join(
                each if isinstance(each, str) else json.dumps(each) for each in value
            )
            view = OptionView(
                name=name,
                type="lines" if lines else "text",
                default=text,
                help=words,
                expected="an agent in each line" if lines else "values with commas between them",
            )
            return FieldView(**view.model_dump(), value=shown(text, self.settings))
        low = about.get("minimum", about.get("exclusiveMinimum"))
        high = self.most.get(key, about.get("maximum", about.get("exclusiveMaximum")))
        option = Option(name, value, words, low, high, tuple(about.get("enum", ())))
        return FieldView(**option_view(option).model_dump(), value=value)


def net_kinds(settings: Settings) -> tuple[NetKind, ...]:
    """Return the kinds of trainings whose configurations are forms by themselves.

    >>> {"alphazero", "dqn", "value"} <= {kind.name for kind in net_kinds(Settings())}
    True
    """
    found = (method(name) for name in methods())
    return tuple(
        NetKind(each, settings) for each in found if issubclass(each.config_type, TrainConfig)
    )
