"""Which agents a visitor may use: none that reads or runs files elsewhere than it may.

Files lie in the data folder, or are shipped models (see `spielbaum.studio.services.files`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from spielbaum.agents.registry import AgentInfo, agent_info
from spielbaum.base.errors import SpecError
from spielbaum.base.options import Option, OptionValue, format_spec, parse_spec, resolve
from spielbaum.games import Game, game
from spielbaum.games.files import is_shipped
from spielbaum.games.game import file_option
from spielbaum.models.model_info import KINDS
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.files import find_file

WORD = re.compile(r"[a-z][a-z0-9_-]*")
NAMES = ("eval", "fallback")
"""Texts that name something of the library; every other free text may be a file or a program."""
HIDDEN = ("human", "uci", "book")
"""Agents that the page does not offer: it has people of its own, and no engines or books."""


def permitted_agent(spec: str, settings: Settings, memory: int | None = None) -> str:
    """The spec in its shortest form, with files as full paths, or `SpecError`.

    ``memory``: megabytes that the agent's tree or table gets at most, whatever the spec says.

    >>> from pathlib import Path
    >>> permitted_agent("uct:c=0.80", Settings())
    'uct'
    >>> permitted_agent("uct", Settings(), memory=64)
    'uct:memory=64'
    >>> permitted_agent("uci:path=/bin/sh", Settings(data=Path("/tmp/mine")))
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: agent uci: option path=/bin/sh: expected a file in the data \
folder
    """
    name, written = parse_spec(spec)
    info = agent_info(name)
    if name == "human":
        raise SpecError("agent human: expected an agent that thinks by itself")
    values = resolve("agent", name, info.options, written)
    checked = {
        option.name: _permitted(info, option, values[option.name], settings)
        for option in info.options
    }
    if memory is not None and "memory" in checked:
        checked["memory"] = min(int(checked["memory"]), memory)
    return format_spec(name, info.options, checked)


def permitted_game(spec: str) -> Game:
    """The game of a visitor's spec; files of his choice are not read.

    >>> str(permitted_game("reversixt:map=map3"))
    'reversixt:map=map3'
    >>> permitted_game("reversixt:map=/etc/passwd")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: game reversixt: option map=/etc/passwd: expected the name of \
a map of the package
    """
    name, written = parse_spec(spec)
    option = file_option(name)
    value = written.get(option or "")
    if option and value is not None and not is_shipped(value):
        raise SpecError(
            f"game {name}: option {option}={value:.60}: expected the name of a map of the package"
        )
    return game(spec)


def offered(infos: Sequence[AgentInfo]) -> list[AgentInfo]:
    """The agents that the page offers.

    >>> import spielbaum as sb
    >>> "human" in [info.name for info in offered(sb.agents())]
    False
    """
    return [info for info in infos if info.name not in HIDDEN]


def _permitted(
    info: AgentInfo, option: Option, value: OptionValue, settings: Settings
) -> OptionValue:
    if value == option.default:
        return value
    limits: Mapping[str, int] = {"memory": settings.megabytes, "threads": settings.threads}
    if option.name in limits and isinstance(value, int) and value > limits[option.name]:
        raise SpecError(
            f"agent {info.name}: option {option.name}={value}: expected at most "
            f"{limits[option.name]} on this server"
        )
    if not isinstance(value, str) or value in option.choices:
        return value
    kind, colon, name = value.partition(":")
    if colon and kind in KINDS:  # a model as evaluation, such as eval=ntuple:FILE
        return f"{kind}:{_file(info, option, name, settings)}"
    if option.name in NAMES:
        if not WORD.fullmatch(value):
            raise SpecError(f"agent {info.name}: option {option.name}={value:.60}: expected a name")
        if option.name == "fallback":
            permitted_agent(value, settings)
        return value
    return _file(info, option, value, settings)


def _file(info: AgentInfo, option: Option, value: str, settings: Settings) -> str:
    path = find_file(value, settings)
    if path is None:
        raise SpecError(
            f"agent {info.name}: option {option.name}={value:.60}: expected a file in the data "
            "folder"
        )
    return str(path)
