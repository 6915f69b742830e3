"""Trainings of neural networks as forms, made from what their configurations declare."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option, OptionValue
from spielbaum.studio.server.guard import permitted_agent
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.configurations import ConfigSummary
from spielbaum.studio.services.files import shown
from spielbaum.studio.services.options import option_view
from spielbaum.studio.services.protocol import OptionView
from spielbaum.studio.services.training_forms import FieldView, SectionView
from spielbaum.train.config import Section, config_names, config_title, load_named, write_toml
from spielbaum.train.methods.alphazero import config as alphazero
from spielbaum.train.methods.dqn import config as dqn
from spielbaum.train.methods.value import config as value_net

OPENINGS = re.compile(r"(empty|random|balanced)(:[0-9]{1,3})?")
"""Ways to begin games that read no file."""
MOST_POSITIONS = 1_000_000
"""That a training of a visitor may remember on disk."""
MOST_GAMES_AT_ONCE = 512
RUN = "run1"
"""The folder of the run in that of its training, beside the configuration of the page."""


class NetTrainingConfig(Protocol):
    """What is used of a configuration."""

    @property
    def game(self) -> str:
        """The game by its spec."""
        ...

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """All of it as plain values."""
        ...


@dataclass
class NetKind:
    """A kind of training of networks.

    >>> kind = net_kinds(Settings(data=Path("/nowhere")))[0]
    >>> [section.name for section in kind.form("tictactoe")]
    ['', 'network', 'self_play', 'retraining', 'evaluation']
    >>> game, text = kind.write("tictactoe", {"model_updates": 3, "evaluation.opponents": "uct"})
    >>> game, "model_updates = 3" in text
    ('tictactoe', True)
    """

    name: str
    help: str
    settings: Settings
    model: type[Section]
    folder: Path
    """Of the configurations of the package."""
    read: Callable[[Mapping[str, Any]], NetTrainingConfig]
    agents: Sequence[str] = ()
    """Values that are lists of agents."""
    hidden: Sequence[str] = ()
    """Values that the page does not offer: files, and what has no effect on a whole file."""
    most: Mapping[str, int] = field(default_factory=dict)
    """The largest numbers on this server."""

    def configs(self) -> list[ConfigSummary]:
        """Those of the package that need no games from elsewhere."""
        return [
            ConfigSummary(
                name=name,
                game=written["game"],
                title=config_title(self.folder / f"{name}.toml"),
                source="shipped",
            )
            for name in config_names(self.folder)
            if _is_complete(written := self._load(name))
        ]

    def form(self, config: str) -> list[SectionView]:
        """All values with their limits; lists are texts."""
        written = self._written(config)
        schema = self.model.model_json_schema()
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
        read = self.read(written)
        return read.game, write_toml(read.model_dump(mode="json"))

    def command(self, game: str, config: Path, out: Path) -> list[str]:
        """``train`` and the name of the kind."""
        return [self.name, game, "--config", str(config), "--out", str(out / RUN)]

    def _load(self, config: str) -> dict[str, Any]:
        return load_named(config, self.folder, self.read).model_dump(mode="json")

    def _written(self, config: str) -> dict[str, Any]:
        known = config in config_names(self.folder)
        if not known or not _is_complete(written := self._load(config)):
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


def _is_complete(written: Mapping[str, Any]) -> bool:
    """Whether a training learns from its own games alone, and not from files that are missing."""
    return not written.get("database", {}).get("rounds", 0)


def net_kinds(settings: Settings) -> tuple[NetKind, ...]:
    """The kinds of trainings of networks that need nothing but the rules of a game.

    >>> [kind.name for kind in net_kinds(Settings(data=Path("/nowhere")))]
    ['alphazero', 'value', 'dqn']
    """
    processes, threads = settings.jobs, settings.threads
    return (
        NetKind(
            "alphazero",
            "a network for moves and values, from games of a search against itself",
            settings,
            alphazero.AlphaZeroConfig,
            alphazero.CONFIGS,
            alphazero.read_config,
            agents=("evaluation.opponents",),
            hidden=("recipe",),
            most={
                "self_play.processes": processes,
                "self_play.concurrent": MOST_GAMES_AT_ONCE,
                "self_play.memory_size": MOST_POSITIONS,
                "retraining.threads": threads,
            },
        ),
        NetKind(
            "value",
            "a network for values alone, from games of agents",
            settings,
            value_net.ValueConfig,
            value_net.CONFIGS,
            value_net.read_config,
            agents=("games.agents",),
            hidden=("method",),
            most={
                "games.number": MOST_POSITIONS,
                "games.processes": processes,
                "training.threads": threads,
            },
        ),
        NetKind(
            "dqn",
            "deep Q-learning: a network for what each move is worth",
            settings,
            dqn.DqnConfig,
            dqn.CONFIGS,
            dqn.read_config,
            agents=("play.opponents", "evaluation.opponents"),
            hidden=(
                "database.games",
                "database.teacher",
                "database.teacher_limits",
                "database.teacher_positions",
            ),
            most={
                "play.games": MOST_GAMES_AT_ONCE,
                "learning.memory_size": MOST_POSITIONS,
                "learning.threads": threads,
            },
        ),
    )
