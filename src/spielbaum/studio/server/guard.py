"""Which agents a visitor may use: none that reads or runs files elsewhere than it may.

Files lie in the data folder, or are shipped models (see `spielbaum.studio.services.files`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from spielbaum.agents.registry import AgentInfo, agent, agent_info, agents, stored_agent
from spielbaum.base.errors import SpecError
from spielbaum.base.options import (
    Option,
    OptionValue,
    check_name,
    format_spec,
    parse_spec,
    resolve,
)
from spielbaum.games import Game, game
from spielbaum.games.files import is_shipped
from spielbaum.games.game import file_option
from spielbaum.models.model_info import KINDS
from spielbaum.studio.server.settings import Settings
from spielbaum.studio.services.files import find_file

WORD = re.compile(r"[a-z][a-z0-9_-]*")
NAMES = ("eval", "fallback")
"""Texts that name something of the library; every other free text may be a file or a program."""
PROGRAMS = ("gtp", "nboard", "uci", "ugi")
"""Agents that run programs: only those of the server's owner, by the names that he gave them."""
HIDDEN = ("book", "human", *PROGRAMS)
"""Agents that the page does not offer: it has people of its own, and engines have other names."""


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
    spielbaum.base.errors.SpecError: agent uci runs a program, which the owner of this server has \
to offer by a name (--engine)
    >>> permitted_agent("weak", Settings(engines=(("weak", "uci:path=stockfish,skill=0"),)))
    'uci:path=stockfish,skill=0'
    """
    engines = dict(settings.engines)
    if spec in engines or spec in engines.values():
        return engines.get(spec, spec)
    name, written = parse_spec(spec)
    if name in engines:
        raise SpecError(f"agent {name} is an engine of this server and has no options")
    if name in PROGRAMS:
        raise SpecError(
            f"agent {name} runs a program, which the owner of this server has to offer by a name "
            "(--engine)"
        )
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


def offered(infos: Sequence[AgentInfo], settings: Settings) -> list[AgentInfo]:
    """The agents that the page offers, and the engines of the server's owner.

    >>> import spielbaum as sb
    >>> "human" in [info.name for info in offered(sb.agents(), Settings())]
    False
    """
    engines = [
        AgentInfo(name, "an engine of this server", (), partial(stored_agent, spec))
        for name, spec in settings.engines
    ]
    return [info for info in infos if info.name not in HIDDEN] + engines


def checked_engine(text: str) -> tuple[str, str]:
    """An engine as its owner writes it, NAME=SPEC; `SpecError` if it cannot be one.

    >>> checked_engine("uct=uci:path=true")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: --engine uct=...: expected the name of no other agent
    """
    name, equals, spec = text.partition("=")
    if not equals:
        raise SpecError(f"--engine {text!r:.60}: expected NAME=SPEC")
    check_name("agent", name)
    if name in {info.name for info in agents()}:
        raise SpecError(f"--engine {name}=...: expected the name of no other agent")
    made = agent(spec)
    if parse_spec(made.spec)[0] not in PROGRAMS:
        raise SpecError(
            f"--engine {name}={spec:.60}: expected an agent of the kinds {', '.join(PROGRAMS)}"
        )
    return name, made.spec


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
