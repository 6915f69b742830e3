"""Arguments that several commands have: declared once, as the fields of a dataclass."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

from spielbaum.base.errors import SpecError


def taking(shared: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a dataclass as options, and the dataclass as last argument.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Shared:
    ...     seed: int = 0
    >>> @taking(Shared)
    ... def show(name: str, shared: Shared) -> None:
    ...     print(name, shared)
    >>> show(name="a", seed=3)
    a Shared(seed=3)
    >>> list(signature(show).parameters)
    ['name', 'seed']
    """
    options = {each.name: each for each in parameters_of(shared)}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        *own, last = signature(command, eval_str=True).parameters.values()

        @wraps(command)
        def run(**given: Any) -> None:
            values = {name: given.pop(name) for name in options if name in given}
            command(**given, **{last.name: shared(**values)})

        del run.__wrapped__  # whose signature would count
        return with_parameters(run, [*own, *options.values()])

    return decorate


def parameters_of(shared: type[Any]) -> list[Parameter]:
    """Return the fields of a dataclass as parameters of a command."""
    hints = get_type_hints(shared, include_extras=True)
    return [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in fields(shared)
    ]


def with_parameters(
    run: Callable[..., None], parameters: Sequence[Parameter]
) -> Callable[..., None]:
    """Give a function that takes anything by name the parameters that a command shows."""
    shown = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters]
    run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in shown}
    return run


def parse_count(text: str, what: str) -> int:
    """Return a number of games, or of something else, as people write it.

    >>> parse_count("3e6", "games"), parse_count("250_000", "games")
    (3000000, 250000)
    """
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        number = math.nan
    if not 1 <= number <= 1e12 or number != int(number):
        raise SpecError(f"{what} {text!r:.40}: expected a whole number such as 500000 or 3e6")
    return int(number)
