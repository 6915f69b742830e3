"""Options of games, agents and trainings, as the page makes forms of them."""

from __future__ import annotations

from spielbaum.agents.registry import AgentInfo
from spielbaum.base.options import Option
from spielbaum.models.model_info import KINDS
from spielbaum.studio.services.protocol import OptionKind, OptionView


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
