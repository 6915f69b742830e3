"""The configuration of a training as a form: sections of declared options, and texts for lists.

A kind of training is one `Kind`: what its form has, what configurations there are, and the command.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from pydantic import Field

from spielbaum.arena.strength import RESISTING
from spielbaum.base.errors import SpecError
from spielbaum.base.memory import MEGABYTE
from spielbaum.base.options import Option, OptionValue
from spielbaum.models.ntuple import weights_of_an_entry
from spielbaum.studio.server.guard import permitted_agent
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.configurations import ConfigSummary, Configurations
from spielbaum.studio.services.files import shown
from spielbaum.studio.services.models import BYTES_OF_A_WEIGHT
from spielbaum.studio.services.options import option_view
from spielbaum.studio.services.protocol import Message, OptionView
from spielbaum.train.config import write_toml
from spielbaum.train.methods.ntuple.config import SECTIONS, TrainingConfig, read_config
from spielbaum.train.methods.ntuple.method import METHOD

SET_OF_TUPLES = re.compile(r"(walk|points) +([0-9]{1,5}) *x *([0-9]{1,2})")
GAME = Option("game", "connect4", "the game, also of another size")
TUPLES = OptionView(
    name="tuples",
    type="lines",
    default="walk 70 x 8",
    help="a line for each set: walk 70 x 8 (random walks), points 20 x 6 (random cells), or the "
    "cells of one tuple: a1 b1 c1",
    expected="lines such as: walk 70 x 8",
)
OPPONENTS = OptionView(
    name="opponents",
    type="lines",
    default="perfect",
    help="agents, one in each line, against which strength is measured; perfect: the solver",
    expected="an agent in each line",
)
ARRAYS_OF_A_TRAINING = 4
"""Weights, and what learning rules keep for each of them."""


class FieldView(OptionView):
    """An option with its value."""

    value: bool | int | float | str


class SectionView(Message):
    """Options that belong together."""

    name: str
    fields: list[FieldView]


class FormView(Message):
    """A configuration, ready to be changed."""

    kind: str
    config: str
    sections: list[SectionView]


class KindView(Message):
    """A kind of training with its configurations."""

    name: str
    help: str
    titles: dict[str, str] = Field(description="Its name for people, by language.")
    configs: list[ConfigSummary]


FieldValues = dict[str, bool | int | float | str]
"""By section and name, as in ``learning.alpha.initial``; general ones by their name alone."""


class Kind(Protocol):
    """A kind of training that the page can start."""

    name: str
    help: str
    titles: dict[str, str]

    def configs(self) -> list[ConfigSummary]:
        """The configurations to choose from."""

    def form(self, config: str) -> list[SectionView]:
        """A configuration as a form."""

    def write(self, config: str, values: Mapping[str, OptionValue]) -> tuple[str, str]:
        """The game and the text of a changed configuration; `SpecError` if it makes no sense."""

    def command(self, game: str, config: Path, out: Path) -> list[str]:
        """What ``spielbaum train`` is to be told."""


class TrainingValues(Message):
    """A configuration, and what is different from it."""

    config: str = Field(min_length=1, max_length=80)
    values: dict[str, bool | int | float | str] = Field(
        default_factory=dict,
        max_length=100,
        description="By section and name, such as learning.alpha.initial.",
    )


class NTupleKind:
    """Trainings of n-tuple networks.

    >>> settings = Settings(data=Path("/nowhere"))
    >>> kind = NTupleKind(Configurations(settings), settings)
    >>> [section.name for section in kind.form("tictactoe-9")][:3]
    ['', 'network', 'learning']
    >>> game, text = kind.write("tictactoe-9", {"games": 100, "learning.alpha.initial": 0.25})
    >>> game, "games = 100" in text
    ('tictactoe', True)
    """

    name, help, titles = METHOD.name, METHOD.help, dict(METHOD.titles)

    def __init__(self, configurations: Configurations, settings: Settings) -> None:
        self._configurations = configurations
        self._settings = settings

    def configs(self) -> list[ConfigSummary]:
        """Own ones first."""
        return self._configurations.all()

    def form(self, config: str) -> list[SectionView]:
        """All declared options; tuples and opponents are texts with a line for each."""
        written = self._configurations.load(config).dump()
        sections = []
        for section, options in SECTIONS.items():
            place = _place(written, section)
            fields = [
                FieldView(**option_view(option).model_dump(), value=place[option.name])
                for option in options
            ]
            if section == "":
                game = FieldView(**option_view(GAME).model_dump(), value=written["game"])
                fields.insert(0, game)
            elif section == "network":
                text = tuples_text(place["tuples"])
                fields.insert(0, FieldView(**TUPLES.model_dump(), value=text))
            elif section == "measure":
                text = "\n".join(shown(each, self._settings) for each in place["opponents"])
                fields.insert(0, FieldView(**OPPONENTS.model_dump(), value=text))
            sections.append(SectionView(name=section, fields=fields))
        return sections

    def write(self, config: str, values: Mapping[str, OptionValue]) -> tuple[str, str]:
        """The changed configuration as TOML; nothing is left out."""
        written = self._configurations.load(config).dump()
        for key, value in values.items():
            section, _, name = key.rpartition(".")
            place = _place(written, section) if section in SECTIONS else {}
            if name not in place or isinstance(place[name], dict):
                raise SpecError(f"there is no option {key!r:.60} in a training")
            if key == "network.tuples":
                place[name] = parse_tuples(str(value))
            elif key == "measure.opponents":
                place[name] = str(value).split("\n")
            elif isinstance(place[name], float) and not isinstance(value, str | bool):
                place[name] = float(value)
            else:
                place[name] = value
        opponents = [each.strip() for each in written["measure"]["opponents"] if each.strip()]
        written["measure"]["opponents"] = [
            each if each == RESISTING else permitted_agent(each, self._settings)
            for each in opponents
        ]
        read = read_config(written)
        self._check_size(read)
        read.make_network(1)  # says what is wrong with its tuples
        return str(read.game), write_toml(written)

    def command(self, game: str, config: Path, out: Path) -> list[str]:
        """``train ntuple``."""
        return ["ntuple", game, "--config", str(config), "--out", str(out)]

    def _check_size(self, config: TrainingConfig) -> None:
        contents = int(config.network["contents"]) or 4  # as many as a game usually has, at most
        entries = sum(
            sum(contents ** len(cells) for cells in each.cells)
            if each.cells
            else each.number * contents**each.length
            for each in config.tuples
        )
        weights = weights_of_an_entry(config.game, bool(config.network["table_per_player"]))
        size = ARRAYS_OF_A_TRAINING * BYTES_OF_A_WEIGHT * entries * weights
        if size > self._settings.megabytes * MEGABYTE:
            raise SpecError(
                f"network.tuples: a training with these tables takes {size // MEGABYTE:,} MB; "
                f"expected at most {self._settings.megabytes:,} on this server"
            )
        most = self._settings.threads
        if int(config.learning["threads"]) > most:
            raise SpecError(f"learning.threads: expected at most {most} on this server")


def _place(written: dict[str, Any], section: str) -> dict[str, Any]:
    """The part of a configuration that a section stands for."""
    for name in filter(None, section.split(".")):
        written = written[name]
    return written


def tuples_text(sets: list[dict[str, Any]]) -> str:
    r"""Sets of tuples as lines.

    >>> tuples_text([{"kind": "walk", "number": 3, "length": 8}, {"cells": ["a1 b1"]}])
    'walk 3 x 8\na1 b1'
    """
    lines: list[str] = []
    for each in sets:
        if "cells" in each:
            lines += each["cells"]
        else:
            lines.append(f"{each['kind']} {each['number']} x {each['length']}")
    return "\n".join(lines)


def parse_tuples(text: str) -> list[dict[str, Any]]:
    r"""Sets of tuples from lines; cells by name are checked with the game.

    >>> parse_tuples("walk 3 x 8\na1 b1\nb1 c1")
    [{'kind': 'walk', 'number': 3, 'length': 8}, {'cells': ['a1 b1', 'b1 c1']}]
    """
    sets: list[dict[str, Any]] = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        found = SET_OF_TUPLES.fullmatch(line)
        if found:
            number, length = int(found[2]), int(found[3])
            sets.append({"kind": found[1], "number": number, "length": length})
        elif sets and "cells" in sets[-1]:
            sets[-1]["cells"].append(line)
        else:
            sets.append({"cells": [line]})
    return sets
