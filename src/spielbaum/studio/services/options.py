"""Options of games, agents and trainings, as the page makes forms of them."""

from __future__ import annotations

from spielbaum.agents.registry import AgentInfo
from spielbaum.base.options import Option
from spielbaum.games.files import map_facts, shipped_maps
from spielbaum.games.game import file_option
from spielbaum.models.model_info import KINDS
from spielbaum.studio.services.protocol import MapView, OptionKind, OptionView


def option_view(option: Option) -> OptionView:
    """A declared option as a form needs it.

    >>> option_view(Option("rows", 6, low=2, high=16)).expected
    'a whole number from 2 to 16'
    """
    return OptionView(
        name=option.name,
        type=_kind(option),
        default=option.default,
        help=option.help,
        low=option.low,
        high=option.high,
        choices=list(option.choices),
        expected=option.expected,
        bare=option.bare,
    )


def game_option_view(name: str, option: Option) -> OptionView:
    """The same for a game, whose option may be one of the maps of the package.

    >>> from spielbaum.games.game import declared_options
    >>> game_option_view("reversixt", declared_options("reversixt")[0]).maps[3]
    MapView(name='map3', players=4, rows=31, columns=13)
    """
    view = option_view(option)
    if option.name != file_option(name):
        return view
    maps = [
        MapView(name=each.name, players=each.players, rows=each.rows, columns=each.columns)
        for each in map(map_facts, shipped_maps())
    ]
    choices = [each.name for each in maps]
    return view.model_copy(update={"type": "choice", "choices": choices, "maps": maps})


def agent_option_view(info: AgentInfo, option: Option) -> OptionView:
    """The same for an agent, whose option may be one of the models that there are."""
    view = option_view(option)
    if info.name in KINDS and option.name == "path":
        return view.model_copy(update={"type": "model"})
    return view


def _kind(option: Option) -> OptionKind:
    if isinstance(option.default, bool):
        return "switch"
    if option.choices:
        return "choice"
    if isinstance(option.default, str):
        return "text"
    return "whole" if isinstance(option.default, int) else "number"
