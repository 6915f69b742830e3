"""Protobuf as far as ONNX files need it: numbered fields, each a number or some bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

Value: TypeAlias = int | memoryview
NUMBER, BYTES, FOUR_BYTES = 0, 2, 5
"""Kinds of fields, as they are written; those of 8 bytes are not used."""


class Message:
    """A message whose fields are all known: any other, or one too many, is a `ValueError`.

    Readers differ in what they make of fields that they do not know or that come twice. A message
    without any means the same to all of them.

    >>> fields = field(1, b"abc") + field(2, b"x") + field(2, b"y")
    >>> message = Message(fields, {1: BYTES}, {2: BYTES})
    >>> message.text(1), [bytes(each) for each in message.all(2)], message.text(3)
    ('abc', [b'x', b'y'], '')
    >>> Message(field(1, b"abc") * 2, {1: BYTES})
    Traceback (most recent call last):
        ...
    ValueError: field 1 comes twice
    """

    def __init__(
        self,
        content: bytes | memoryview,
        single: dict[int, int],
        repeated: dict[int, int] | None = None,
    ) -> None:
        many = repeated or {}
        self._found: dict[int, list[Value]] = {}
        for number, kind, value in _fields(content):
            packed = kind == BYTES and many.get(number) == NUMBER
            if kind != single.get(number, many.get(number)) and not packed:
                raise ValueError(f"field {number} is unknown")
            if number in single and number in self._found:
                raise ValueError(f"field {number} comes twice")
            values = _packed(_bytes(value)) if packed else (value,)
            self._found.setdefault(number, []).extend(values)

    def all(self, number: int) -> list[Value]:
        """All values of a field."""
        return self._found.get(number, [])

    def messages(self, number: int) -> list[memoryview]:
        """All values of a field that has bytes."""
        return [_bytes(value) for value in self.all(number)]

    def bytes(self, number: int) -> memoryview:
        """The bytes of a field that comes at most once; none if it does not come."""
        found = self.messages(number)
        return found[0] if found else memoryview(b"")

    def text(self, number: int) -> str:
        """The text of a field that comes at most once."""
        return str(self.bytes(number), "utf-8")

    def texts(self, number: int) -> list[str]:
        """All values of a field that has texts."""
        return [str(value, "utf-8") for value in self.messages(number)]

    def integers(self, number: int) -> list[int]:
        """All values of a field that has whole numbers, which may be negative."""
        found = [value for value in self.all(number) if isinstance(value, int)]
        return [value - (1 << 64) if value >= 1 << 63 else value for value in found]

    def integer(self, number: int, default: int = 0) -> int:
        """The number of a field that comes at most once."""
        found = self.integers(number)
        return found[0] if found else default

    def has(self, number: int) -> bool:
        """Whether a field comes at all."""
        return number in self._found


def field(number: int, content: bytes) -> bytes:
    r"""Write a field of bytes.

    >>> field(1, b"ab")
    b'\n\x02ab'
    """
    return _written(number << 3 | BYTES) + _written(len(content)) + content


def number(place: int, value: int) -> bytes:
    r"""Write a field that is a whole number, which is not negative.

    >>> number(1, 300)
    b'\x08\xac\x02'
    """
    return _written(place << 3 | NUMBER) + _written(value)


def parts(content: bytes, numbers: Collection[int]) -> Iterator[tuple[int, memoryview]]:
    """Find the fields of bytes with some numbers in a message; ValueError if it is none."""
    for number, _, value in _fields(content):
        if number in numbers:
            yield number, _bytes(value)


def _fields(message: bytes | memoryview) -> Iterator[tuple[int, int, Value]]:
    """Numbers, kinds and values."""
    view, place = memoryview(message), 0
    while place < len(view):
        tag, place = _varint(view, place)
        number, kind = tag >> 3, tag & 7
        if kind == NUMBER:
            value, place = _varint(view, place)
            yield number, kind, value
            continue
        if kind == BYTES:
            size, place = _varint(view, place)
        elif kind == FOUR_BYTES:
            size = 4
        else:
            raise ValueError("no such kind of field")
        if size > len(view) - place:
            raise ValueError("a field reaches beyond the end")
        yield number, kind, view[place : place + size]
        place += size


def _packed(numbers: memoryview) -> Iterator[int]:
    place = 0
    while place < len(numbers):
        number, place = _varint(numbers, place)
        yield number


def _varint(view: memoryview, place: int) -> tuple[int, int]:
    result = 0
    for shift in range(0, 70, 7):
        if place >= len(view):
            break
        byte = view[place]
        place += 1
        result |= (byte & 127) << shift
        if byte < 128:
            if result >= 1 << 64:
                break
            return result, place
    raise ValueError("a number does not end")


def _written(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)


def _bytes(value: Value) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number where bytes were expected")
    return value
