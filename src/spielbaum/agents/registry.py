"""The kinds of agents by name: one declaration gives spec strings, checks, help and listings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import SupportsIndex, overload

from spielbaum.agents.agent import Agent
from spielbaum.base.errors import SpecError
from spielbaum.base.options import (
    Option,
    OptionValue,
    check_effects,
    check_name,
    did_you_mean,
    format_spec,
    parse_spec,
    resolve,
)
from spielbaum.base.text_table import html_table, plain_table


@dataclass(frozen=True)
class AgentInfo:
    """The declaration of one kind of agent.

    >>> import spielbaum as sb
    >>> [info.name for info in sb.agents() if info.name in ("human", "random")]
    ['human', 'random']
    """

    name: str
    help: str
    options: tuple[Option, ...]
    factory: Callable[..., Agent]
    """Makes an agent; called with every option as a keyword."""


_registered: dict[str, AgentInfo] = {}


def register_agent(
    name: str,
    factory: Callable[..., Agent],
    *,
    options: Sequence[Option] = (),
    help: str = "",  # noqa: A002  the word that Option and AgentInfo use
    replace: bool = False,
) -> AgentInfo:
    """Make a kind of agent known by name. ``factory`` is called with every option as a keyword.

    >>> import spielbaum as sb
    >>> class Last(sb.Agent):
    ...     def choose(self, state, budget=None):
    ...         return sb.Decision(move=state.legal_moves[-1])
    >>> info = register_agent("last", Last, help="the last legal move", replace=True)
    >>> str(sb.agent("last"))
    'last'
    """
    check_name("agent", name)
    if name in _registered and not replace:
        raise SpecError(f"agent {name} is registered already; give replace=True to replace it")
    info = AgentInfo(name, help, tuple(options), factory)
    _registered[name] = info
    return info


class AgentList(tuple[AgentInfo, ...]):
    """All kinds of agents: printed on one screen, and found by number or name."""

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> AgentInfo: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[AgentInfo, ...]: ...
    def __getitem__(self, key: SupportsIndex | slice | str) -> AgentInfo | tuple[AgentInfo, ...]:
        return agent_info(key) if isinstance(key, str) else super().__getitem__(key)

    def _rows(self) -> list[tuple[str, str]]:
        return [("agent", "what it does"), *((info.name, info.help) for info in self)]

    def __str__(self) -> str:
        return plain_table(self._rows())

    def _repr_html_(self) -> str:
        return html_table(self._rows())


def agents() -> AgentList:
    """Every kind of agent, by name.

    >>> import spielbaum as sb
    >>> sb.agents()["random"].options[0].name
    'seed'
    >>> print(str(sb.agents()).splitlines()[0].split()[0])
    agent
    """
    return AgentList(_registered[name] for name in sorted(_registered))


def agent_info(name: str) -> AgentInfo:
    """The declaration of one kind of agent.

    >>> agent_info("uct").help
    'plain Monte-Carlo tree search (S0)'
    """
    info = _registered.get(name)
    if info is None:
        raise SpecError(
            f"there is no agent {name!r:.60}{did_you_mean(name, list(_registered))}; "
            f"the agents are {', '.join(sorted(_registered))}"
        )
    return info


def agent(spec: str, /, **options: OptionValue) -> Agent:
    """Make an agent from its spec; options can also be given as keywords.

    >>> import spielbaum as sb
    >>> str(sb.agent("random:seed=7")), str(sb.agent("random", seed=7))
    ('random:seed=7', 'random:seed=7')
    """
    return _make(*_read(spec, options, written=True))


def stored_agent(spec: str) -> Agent:
    """The same for a spec that nobody has just written, whose options need not have an effect.

    >>> str(stored_agent("uct:rave_k=9"))
    'uct:rave_k=9'
    """
    return _make(*_read(spec, {}, written=False))


def check_agent(spec: str, *, written: bool = False) -> None:
    """Say what is wrong with a spec; no agent is made, so that files and engines may be missing.

    In one that was ``written`` just now, every option must have an effect.

    >>> check_agent("uct:c=0.5")
    >>> try:
    ...     check_agent("utc")
    ... except SpecError as error:
    ...     print(str(error).partition(";")[0])
    there is no agent 'utc' (did you mean uct?)
    """
    _read(spec, {}, written)


def _make(info: AgentInfo, values: Mapping[str, OptionValue]) -> Agent:
    made = info.factory(**values)
    made._spec = format_spec(info.name, info.options, values)
    return made


def _read(
    spec: str, options: Mapping[str, OptionValue], written: bool
) -> tuple[AgentInfo, Mapping[str, OptionValue]]:
    name, given = parse_spec(spec)
    info = agent_info(name)
    for key in options:
        if key in given:
            raise SpecError(f"agent {name}: option {key} is given twice")
    everything = {**given, **options}
    values = resolve("agent", name, info.options, everything)
    if written:
        check_effects("agent", name, info.options, everything, values)
    return info, values
