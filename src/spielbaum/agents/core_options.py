"""Options that the core declares: names, defaults, limits, choices and helps are written there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spielbaum.base.options import Option

if TYPE_CHECKING:
    from spielbaum import _core


def core_option(info: _core.SettingInfo) -> Option:
    """An option of a search, as specs, helps and forms use it.

    >>> from spielbaum import _core
    >>> context = next(info for info in _core.mcts_options() if info.name == "context")
    >>> core_option(context).expected
    '1 or 2'
    """
    return Option(info.name, info.initial, info.help, info.low, info.high, tuple(info.choices))
