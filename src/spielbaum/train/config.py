"""Configurations of trainings: TOML files of the package by name, or of a user by path."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from spielbaum.base.bounded import DAMAGE, read_text
from spielbaum.base.errors import SpecError
from spielbaum.base.options import did_you_mean
from spielbaum.games import Game
from spielbaum.games import game as make_game

LARGEST_CONFIG = 1 << 20
Checked = TypeVar("Checked", bound=BaseModel)


class Section(BaseModel):
    """A part of a configuration: nothing in it is unknown, and nothing changes.

    The text below a value is its description, which forms show.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Configuration:
    """What every whole configuration can do, however its values are declared."""

    configs: ClassVar[Path]
    """The folder of the package's own files, in that of the method."""
    free: ClassVar[tuple[str, ...]] = ()
    """What may change when a training goes on, by section and name."""
    tiny: ClassVar[Mapping[str, Any]] = {}
    """Values of a dry run: the most of whole numbers, and others as they are."""
    before: ClassVar[Mapping[str, Any]] = {}
    """What runs did before there were these options, which their folders do not name."""

    @classmethod
    def made_of(cls, values: dict[str, Any]) -> Self:
        """Make a configuration of plain values; `SpecError` names what is wrong."""
        raise NotImplementedError

    def dump(self) -> dict[str, Any]:
        """Return everything as plain values, as a file would say it that leaves nothing out."""
        raise NotImplementedError

    @classmethod
    def load(cls, name: str | Path) -> Self:
        """Read a configuration of the package by its name, or a file."""
        path = find_config(name, cls.configs)
        values = read_toml(path)
        try:
            return cls.read(values)
        except SpecError as error:
            raise SpecError(f"configuration {path}: {error}") from None

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Self:
        """Make a configuration of the values of a TOML file; `SpecError` names what is wrong."""
        values, method = dict(written), cls.configs.parent.name
        if (named := values.pop("method", method)) != method:
            raise SpecError(f"method = {named!r:.60}: expected {method!r}")
        return cls.made_of(values)

    @classmethod
    def kept(cls, written: Mapping[str, Any]) -> Self:
        """Read the configuration in a run's folder; options newer than it are as they were."""
        return cls.read(written).as_begun(written)

    def newer(self, written: Mapping[str, Any]) -> list[str]:
        """Name the options that are newer than a run, by what the file in its folder says."""
        found = []
        for name in self.before:
            section, _, key = name.rpartition(".")
            named = written.get(section, {})
            if not isinstance(named, Mapping):
                raise SpecError(f"{section} = {named!r:.60}: expected a section")
            if key not in named:
                found.append(name)
        return found

    def as_begun(self, written: Mapping[str, Any]) -> Self:
        """Return the same with options that are newer than a run as they were when it began."""
        newer = self.newer(written)
        return self.with_values({name: self.before[name] for name in newer}) if newer else self

    def same_training(self, other: Self) -> bool:
        """Return whether they differ in nothing but how long they train, and on how many cores."""
        return not self.differences(other)

    def differences(self, other: Self) -> list[str]:
        """Name what makes another training of it."""
        own, others = flat(self.dump()), flat(other.dump())
        return [key for key in own if own[key] != others.get(key) and key not in self.free]

    def with_values(self, changes: Mapping[str, Any]) -> Self:
        """Return the same with other values, named by section and key, as in ``network.width``."""
        return self.read(changed(self.dump(), changes))

    def dry(self) -> Self:
        """Return the same with tiny numbers, so that everything happens once within a minute."""
        values, changes = flat(self.dump()), {}
        for key, most in self.tiny.items():
            changes[key] = min(values[key], most) if type(most) is int else most
        network: Any = getattr(self, "network", None)
        if hasattr(network, "smaller"):
            smaller = network.smaller().model_dump(mode="json")
            changes |= {f"network.{key}": value for key, value in smaller.items()}
        return self.with_values(changes)


class TrainConfig(Configuration, Section):
    """A configuration by pydantic; a subclass has the fields ``game`` and ``seed``, and others."""

    configs: ClassVar[Path]
    free: ClassVar[tuple[str, ...]] = ()
    tiny: ClassVar[Mapping[str, Any]] = {}
    before: ClassVar[Mapping[str, Any]] = {}
    if TYPE_CHECKING:
        game: str
        seed: int

    @classmethod
    def made_of(cls, values: dict[str, Any]) -> Self:
        """Make a configuration of plain values; `SpecError` names what is wrong."""
        config = validated(cls, cls.completed(values))
        config.check()
        return config

    def dump(self) -> dict[str, Any]:
        """Return everything as plain values, as a file would say it that leaves nothing out."""
        return self.model_dump(mode="json")

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Return values with those that others imply."""
        return values

    def check(self) -> None:
        """Raise `SpecError` for values that do not go together."""

    def rules(self) -> Game:
        """Return the game itself."""
        return make_game(self.game)


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return values of sections by their whole names.

    >>> flat({"seed": 1, "play": {"games": 8}})
    {'seed': 1, 'play.games': 8}
    """
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{before}{key}.")
        else:
            found[before + key] = value
    return found


def changed(values: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change plain values by their whole names; `SpecError` for a name that there is not.

    >>> changed({"play": {"games": 8}}, {"play.games": 9})
    {'play': {'games': 9}}
    """
    for name, value in changes.items():
        section, _, key = name.rpartition(".")
        place: Any = values
        for part in filter(None, section.split(".")):
            place = place.get(part, {}) if isinstance(place, dict) else {}
        if not isinstance(place, dict) or key not in place:
            raise SpecError(f"there is no {name!r:.60}{did_you_mean(name, [*flat(values)])}")
        place[key] = value
    return values


def parse_values(texts: Sequence[str]) -> dict[str, Any]:
    """Return the values of arguments such as ``play.games=8``, each as TOML reads it.

    >>> parse_values(["rounds=3", "network.kind=dense", "network.width=[8, 4]"])
    {'rounds': 3, 'network.kind': 'dense', 'network.width': [8, 4]}
    >>> parse_values(["games=2e6"])
    {'games': 2000000}
    """
    values: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise SpecError(f"{text!r:.60}: expected KEY=VALUE, such as seed=2")
        try:
            found = tomllib.loads(f"it = {value}")["it"]
        except ValueError:  # a text without its quotes
            found = value
        is_whole = isinstance(found, float) and found.is_integer() and "." not in value
        values[key] = int(found) if is_whole else found  # 2e6 is a number of games
    return values


def config_names(folder: Path) -> tuple[str, ...]:
    """The configurations of a folder of the package, by name."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def config_title(path: Path) -> str:
    """The first sentence of the comment at the head of a configuration.

    >>> from spielbaum.train.methods.ntuple.config import CONFIGS
    >>> config_title(CONFIGS / "yavalath-3.toml")
    'Ours: Yavalath for three players, with an output for each of them.'
    """
    lines = read_text(path, LARGEST_CONFIG).split("\n")
    head = itertools.takewhile(lambda line: line.startswith("#"), lines)
    words = " ".join(line.removeprefix("#").strip() for line in head)
    return re.split(r"(?<=\.) +(?=[A-Z])", words)[0]


def find_config(name: str | Path, folder: Path) -> Path:
    """The file of a configuration that is named, or given as a file.

    >>> find_config("nosuch", Path("/nowhere"))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: there is no configuration 'nosuch'; expected a file
    """
    path, known = Path(name), config_names(folder)
    if str(name) in known:
        return folder / f"{name}.toml"
    if not path.suffix and not path.exists():
        others = f" or one of {', '.join(known)}" if known else ""
        raise SpecError(
            f"there is no configuration {str(name)!r:.60}{did_you_mean(str(name), known)}; "
            f"expected a file{others}"
        )
    return path


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a TOML file; `SpecError` if it cannot be read."""
    try:
        return tomllib.loads(read_text(path, LARGEST_CONFIG))
    except OSError as error:
        raise SpecError(f"configuration {path}: {error.strerror or error}") from None
    except ValueError as error:  # also what cannot be decoded
        raise SpecError(f"configuration {path}: {error}") from None
    except DAMAGE:  # brackets in brackets, without end
        raise SpecError(f"configuration {path}: it is no TOML") from None


def write_toml(values: Mapping[str, Any]) -> str:
    """Sections of plain values as TOML.

    >>> text = write_toml({"game": "tictactoe", "network": {"tuples": [{"cells": ["a1 b1"]}]}})
    >>> print(text, end="")
    game = "tictactoe"
    <BLANKLINE>
    [network]
    tuples = [{ cells = ["a1 b1"] }]
    """
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    lines = [f"{key} = {_written(value)}" for key, value in plain.items()]
    for name, section in values.items():
        if isinstance(section, Mapping):
            lines += ["", f"[{name}]"]
            lines += [f"{key} = {_written(value)}" for key, value in section.items()]
    return "\n".join(lines) + "\n"


def validated(kind: type[Checked], values: Mapping[str, Any]) -> Checked:
    """Values as a section; `SpecError` says in one sentence what is wrong with the first of them.

    >>> from spielbaum.train.nets.net_config import NetConfig
    >>> validated(NetConfig, {"blocks": -1})
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: blocks = -1: input should be greater than or equal to 0
    """
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise SpecError(_explanation(error, kind)) from None


def refuse_unknown(section: str, given: Iterable[str], known: Sequence[str]) -> None:
    """`SpecError` for the first key that a section does not have.

    >>> refuse_unknown("learning", ["alfa"], ["alpha", "epsilon"])
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: there is no 'learning.alfa' (did you mean alpha?); known are alpha, epsilon
    """  # noqa: E501
    for key in given:
        if key not in known:
            raise SpecError(_unknown(section, key, known))


def _unknown(section: str, key: str, known: Sequence[str]) -> str:
    place = f"{section}.{key}" if section else key
    hint = did_you_mean(key, known)
    return f"there is no {place!r:.60}{hint}; known are {', '.join(sorted(known))}"


def _explanation(error: ValidationError, kind: type[BaseModel]) -> str:
    first = error.errors(include_url=False)[0]
    *sections, key = (str(part) for part in first["loc"]) if first["loc"] else ("",)
    place = ".".join([*sections, key])
    if first["type"] == "extra_forbidden":
        for section in sections:
            inner = kind.model_fields[section].annotation
            assert isinstance(inner, type)
            assert issubclass(inner, BaseModel)
            kind = inner
        return _unknown(".".join(sections), key, [*kind.model_fields])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing" or not place:
        return f"{place}: {message[:1].lower()}{message[1:]}".removeprefix(": ")
    return f"{place} = {first['input']!r:.60}: {message[:1].lower()}{message[1:]}"


def _written(value: object) -> str:
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key} = {_written(each)}" for key, each in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)  # texts, whole numbers, true and false
