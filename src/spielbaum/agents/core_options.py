"""Options that the core declares: names, defaults, limits, choices and helps are written there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from spielbaum.base.memory import memory_option
from spielbaum.base.options import Option

if TYPE_CHECKING:
    from spielbaum import _core


def core_options(declared: Iterable[_core.SettingInfo], **behind: Option) -> Iterator[Option]:
    """The options of a search, and some that the core never sees, each behind the one it names.

    >>> from spielbaum import _core
    >>> found = {option.name: option for option in core_options(_core.mcts_options())}
    >>> found["context"].expected
    '1 or 2'
    """
    for info in declared:
        option = Option(
            info.name,
            info.initial,
            info.help,
            info.low,
            info.high,
            tuple(info.choices),
            only_with=(info.other, tuple(info.values)) if info.other else None,
        )
        yield memory_option(int(option.default), option.help) if info.name == "memory" else option
        if info.name in behind:
            yield behind[info.name]
