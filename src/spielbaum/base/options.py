"""Spec strings: the one grammar that names games and agents together with their options.

A spec is a name, optionally followed by a colon and comma-separated ``key=value`` pairs::

    connect4
    connect4:rows=6,columns=9
    yavalath:players=3,swap=on

A game or an agent declares its options once, as a sequence of `Option`. Parsing, checking,
defaults, help texts and the canonical way of writing a spec all follow from that declaration.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from spielbaum.base.errors import SpecError

OptionValue: TypeAlias = bool | int | float | str
"""What an option can hold."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*", re.ASCII)
_KEY = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)  # options are keywords of Python, too
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_SWITCH = {"on": True, "off": False, "true": True, "false": False, "yes": True, "no": False}
_SEPARATORS = ",="


@dataclass(frozen=True)
class Option:
    """One option of a game or an agent; the type of ``default`` is the type of the option.

    ``low`` and ``high`` are inclusive limits of numbers; ``choices`` lists the only values allowed.

    >>> rows = Option("rows", 6, "rows of the board", low=2, high=16)
    >>> rows.parse("8")
    8
    >>> rows.parse("99")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: option rows=99: expected a whole number from 2 to 16
    >>> Option("swap", False).parse("on")
    True
    """

    name: str
    default: OptionValue
    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[OptionValue, ...] = ()
    bare: bool = False
    """Whether a spec may give it first and without its name, as in ``ntuple:path/to/a.npz``."""
    only_with: tuple[str, tuple[OptionValue, ...]] | None = None
    """An option without which this one has no effect, and what it must be; () is all but its
    default."""

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.name):
            raise SpecError(
                f"option name {self.name!r}: expected lower-case letters, digits and underscores"
            )
        checked = self.check(self.default)
        if type(checked) is not type(self.default):
            raise SpecError(
                f"option {self.name}: its default {self.default!r} is not a plain value"
            )

    @property
    def expected(self) -> str:
        """A phrase that says which values are allowed.

        >>> Option("players", 2, choices=(2, 3)).expected
        '2 or 3'
        """
        if isinstance(self.default, bool):
            return "on or off"
        if self.choices:
            return _either([self.format(choice) for choice in self.choices])
        if isinstance(self.default, str):
            return "a text without ',' and '='"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        if self.low is not None and self.high is not None:
            return f"{kind} from {_number(self.low)} to {_number(self.high)}"
        if self.low is not None:
            return f"{kind} of at least {_number(self.low)}"
        if self.high is not None:
            return f"{kind} of at most {_number(self.high)}"
        return kind

    def parse(self, text: str) -> OptionValue:
        """Turn the text of a spec into a checked value.

        >>> Option("c", 1.4).parse("0.8")
        0.8
        """
        stripped = text.strip()
        if isinstance(self.default, bool):
            switch = _SWITCH.get(stripped.lower())
            if switch is None:
                raise self._wrong(text)
            return switch
        if isinstance(self.default, str):
            return self.check(stripped)
        if isinstance(self.default, int):
            if not _INTEGER.fullmatch(stripped):
                raise self._wrong(text)
            return self.check(int(stripped))
        # Python also reads "1_000" and digits of other scripts; a spec string should not.
        if "_" in stripped or not stripped.isascii():
            raise self._wrong(text)
        try:
            number = float(stripped)
        except ValueError:
            raise self._wrong(text) from None
        return self.check(number)

    def check(self, value: object) -> OptionValue:
        """Return ``value`` in the type of this option, or raise `SpecError`.

        A whole number is accepted where a float is expected; a bool only where a bool is.

        >>> Option("c", 1.4).check(2)
        2.0
        """
        checked = self._converted(value)
        if self.choices and checked not in self.choices:
            raise self._wrong(value)
        if isinstance(checked, int | float) and not isinstance(checked, bool):
            below = self.low is not None and checked < self.low
            above = self.high is not None and checked > self.high
            if below or above:
                raise self._wrong(value)
        return checked

    def format(self, value: OptionValue) -> str:
        """Write a value so that `parse` reads it back.

        >>> Option("swap", False).format(True)
        'on'
        """
        if isinstance(value, bool):
            return "on" if value else "off"
        return _number(value) if isinstance(value, int | float) else value

    def _converted(self, value: object) -> OptionValue:
        """The value in the type of the default, without looking at limits and choices."""
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
        elif isinstance(self.default, str):
            if isinstance(value, str) and (_is_plain_text(value) or value == self.default):
                return value
        elif not isinstance(value, bool):
            number = _as_number(value)
            if isinstance(self.default, int):
                if isinstance(number, int) and abs(number) < 2**63:
                    return int(number)
            elif number is not None:
                try:
                    real = float(number)
                except OverflowError:
                    raise self._wrong(value) from None
                if math.isfinite(real):
                    return real
        raise self._wrong(value)

    def _wrong(self, value: object) -> SpecError:
        return SpecError(f"option {self.name}={_quoted(value)}: expected {self.expected}")


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """Split a spec into its name and its options, both still unchecked texts.

    A value without a name can only come first; it is listed under an empty name.

    >>> parse_spec("connect4:rows=6,columns=9")
    ('connect4', {'rows': '6', 'columns': '9'})
    >>> parse_spec("ntuple:models/a.npz,depth=4")
    ('ntuple', {'': 'models/a.npz', 'depth': '4'})
    """
    if not isinstance(text, str):
        raise SpecError(f"spec {_shorten(repr(text))}: expected a text such as 'name:key=value'")
    name, colon, rest = text.strip().partition(":")
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise SpecError(
            f"spec {_shorten(repr(text))}: expected a name of lower-case letters and digits, "
            "then optionally ':key=value,key=value'"
        )
    options: dict[str, str] = {}
    if not colon:
        return name, options
    for index, pair in enumerate(rest.split(",")):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if index == 0 and key and not equals:
            options[""] = key
            continue
        if not equals or not _KEY.fullmatch(key) or not value or "=" in value:
            raise SpecError(
                f"spec {_shorten(repr(text))}: expected key=value, not {_shorten(repr(pair))}"
            )
        if key in options:
            raise SpecError(f"spec {_shorten(repr(text))}: option {key} is given twice")
        options[key] = value
    return name, options


def resolve(
    kind: Literal["game", "agent"],
    name: str,
    options: Sequence[Option],
    given: Mapping[str, object],
) -> dict[str, OptionValue]:
    """Fill in defaults and check what was given: texts are parsed, other values checked.

    >>> resolve("game", "connect4", [Option("rows", 6), Option("columns", 7)], {"rows": "8"})
    {'rows': 8, 'columns': 7}
    """
    declared = [option.name for option in options]
    if "" in given:
        bare = next((option.name for option in options if option.bare), None)
        if bare is None:
            raise SpecError(f"{kind} {name}: expected key=value, not {_shorten(repr(given['']))}")
        if bare in given:
            raise SpecError(f"{kind} {name}: option {bare} is given twice")
        given = {bare: given[""], **{key: given[key] for key in given if key}}
    for key in given:
        if key not in declared:
            raise SpecError(_unknown_option(kind, name, key, declared))
    values: dict[str, OptionValue] = {}
    for option in options:
        value = given.get(option.name, option.default)
        try:
            values[option.name] = (
                option.parse(value) if isinstance(value, str) else option.check(value)
            )
        except SpecError as error:
            raise SpecError(f"{kind} {name}: {error}") from None
    return values


def check_effects(
    kind: Literal["game", "agent"],
    name: str,
    options: Sequence[Option],
    written: Collection[str],
    values: Mapping[str, OptionValue],
) -> None:
    """Refuse options that somebody has written and that have no effect beside the others.

    >>> k = Option("rave_k", 50.0, only_with=("select", ("rave",)))
    >>> options = [Option("select", "rave", choices=("rave", "uct")), k]
    >>> check_effects("agent", "mcts", options, ["rave_k"], {"select": "uct", "rave_k": 9.0})
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: agent mcts: option rave_k=9 has no effect with select=uct; \
expected select=rave
    """
    declared = {option.name: option for option in options}
    for option in options:
        if option.only_with is None or option.name not in written:
            continue
        other, needed = option.only_with
        value, initial = values[other], declared[other].default
        if value in needed or (not needed and value != initial):
            continue
        written_as = declared[other].format
        expected = (
            f"{other}={_either([written_as(each) for each in needed])}"
            if needed
            else f"another {other}"
        )
        raise SpecError(
            f"{kind} {name}: option {option.name}={option.format(values[option.name])} has no "
            f"effect with {other}={written_as(value)}; expected {expected}"
        )


def format_spec(name: str, options: Sequence[Option], values: Mapping[str, OptionValue]) -> str:
    """Write the canonical spec: only what differs from its default, in declared order.

    >>> format_spec("connect4", [Option("rows", 6), Option("columns", 7)], {"columns": 9})
    'connect4:columns=9'
    >>> format_spec("ntuple", [Option("path", "none", bare=True)], {"path": "a.npz"})
    'ntuple:a.npz'
    """
    pairs = [
        ("" if option.bare else f"{option.name}=") + option.format(values[option.name])
        for option in sorted(options, key=lambda option: not option.bare)
        if option.name in values and values[option.name] != option.default
    ]
    return f"{name}:{','.join(pairs)}" if pairs else name


def check_name(kind: Literal["game", "agent"], name: str) -> str:
    """Return ``name`` if a game or an agent can be registered under it, or raise `SpecError`.

    >>> check_name("game", "tower_of_hanoi")
    'tower_of_hanoi'
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SpecError(
            f"{kind} name {_shorten(repr(name))}: expected lower-case letters, digits, '-' and "
            "'_', starting with a letter"
        )
    return name


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """A hint for a misspelt word, ready to be appended to a sentence, or an empty string.

    >>> did_you_mean("conect4", ["chess", "connect4"])
    ' (did you mean connect4?)'
    """
    close = difflib.get_close_matches(word.lower()[:80], known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _unknown_option(kind: str, name: str, key: str, declared: Sequence[str]) -> str:
    problem = f"{kind} {name} has no option {_shorten(repr(key))}"
    if not declared:
        return f"{problem}; it has no options"
    return f"{problem}{did_you_mean(key, declared)}; its options are {', '.join(declared)}"


def _as_number(value: object) -> int | float | None:
    """The value as a Python number, also from numpy's scalars; None if it is not a number."""
    if isinstance(value, int | float):
        return value
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) == ():
        plain = item()
        if isinstance(plain, int | float) and not isinstance(plain, bool):
            return plain
    return None


def _is_plain_text(text: str) -> bool:
    """Whether the text survives being written into a spec and read back."""
    if not text or not text.isprintable() or text != text.strip():
        return False
    return not any(separator in text for separator in _SEPARATORS)


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _quoted(value: object) -> str:
    """A rejected value as the user would have written it, on one line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return _shorten(value if value.isprintable() else repr(value))
    # Python refuses to write out integers of thousands of digits.
    if isinstance(value, int) and abs(value) >= 10**60:
        return "(a number of more than 60 digits)"
    return _shorten(repr(value))


def _shorten(text: str, limit: int = 60) -> str:
    """Errors quote what they reject; a quoted novel would hide the sentence."""
    return text if len(text) <= limit else text[: limit - 3] + "..."
