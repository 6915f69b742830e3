"""Configurations of trainings: TOML files of the package by name, or of a user by path."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from spielbaum.base.bounded import DAMAGE, read_text
from spielbaum.base.errors import SpecError
from spielbaum.base.options import did_you_mean

LARGEST_CONFIG = 1 << 20
Config = TypeVar("Config")
Checked = TypeVar("Checked", bound=BaseModel)


class Section(BaseModel):
    """A part of a configuration: nothing in it is unknown, and nothing changes.

    The text below a value is its description, which forms show.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


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


def load_named(
    name: str | Path,
    folder: Path,
    read: Callable[[Mapping[str, Any]], Config],
    method: str | None = None,
) -> Config:
    """Read a configuration of the package, or a file; `SpecError` names the file in any case.

    ``method``: the kind of training that the file in a run's folder names beside all options.

    >>> load_named("/nowhere/a.toml", Path("/nowhere"), dict)
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: configuration /nowhere/a.toml: No such file or directory
    """
    path = find_config(name, folder)
    values = read_toml(path)
    try:
        if method is not None and (named := values.pop("method", method)) != method:
            raise SpecError(f"method = {named!r:.60}: expected {method!r}")
        return read(values)
    except SpecError as error:
        raise SpecError(f"configuration {path}: {error}") from None


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
