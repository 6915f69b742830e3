"""Messages between server and client: ``u8 type, u32 length, payload``, all of it big-endian.

Types and lengths are checked before a payload is read, so that nobody can make the other side wait
for, or keep, more than a message can have.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Collection
from dataclasses import astuple, dataclass
from typing import ClassVar, TypeAlias

from spielbaum.base.errors import EngineError
from spielbaum.games.files import MOST_BYTES

DEFAULT_PORT = 7777
_HEADER = struct.Struct(">BI")


class ProtocolError(EngineError):
    """Bytes that are no message, or a message that may not be sent here.

    >>> decode(9, b"?")
    Traceback (most recent call last):
        ...
    spielbaum.protocols.reversixt.messages.ProtocolError: a message of type 9 has 1 byte; \
expected 0
    """

    def __init__(self, message: str, reason: str) -> None:
        """``reason``: the same in a word, for logs."""
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Group:
    """The client's group, sent to the server right after connecting."""

    number: int
    type: ClassVar[int] = 1
    layout: ClassVar[str] = ">B"


@dataclass(frozen=True)
class Map:
    """The map, as its file has it."""

    text: str
    type: ClassVar[int] = 2


@dataclass(frozen=True)
class Seat:
    """The number of the player that the client is, from 1."""

    player: int
    type: ClassVar[int] = 3
    layout: ClassVar[str] = ">B"


@dataclass(frozen=True)
class Request:
    """Asks the client for a move."""

    milliseconds: int
    """Time for the move, or all that is left on the client's account; 0 does not limit it."""
    depth: int
    """Plies to look ahead; 0 does not limit them."""
    type: ClassVar[int] = 4
    layout: ClassVar[str] = ">IB"


@dataclass(frozen=True)
class Move:
    """The client's move.

    >>> Move(4, 2, 0).text
    '4,2,0'
    """

    x: int
    y: int
    choice: int
    type: ClassVar[int] = 5
    layout: ClassVar[str] = ">HHB"

    @property
    def text(self) -> str:
        """The move as logs have it, which the game reads as well."""
        return f"{self.x},{self.y},{self.choice}"

    @classmethod
    def parse(cls, text: str) -> Move:
        """Read a move in the notation of the game, whose choice may be missing.

        >>> Move.parse("4,2"), Move.parse("4,2,21")
        (Move(x=4, y=2, choice=0), Move(x=4, y=2, choice=21))
        """
        x, y, *choice = (int(number) for number in text.split(","))
        return cls(x, y, *(choice or [0]))


@dataclass(frozen=True)
class Moved:
    """A move that the server has accepted, and whose it was."""

    x: int
    y: int
    choice: int
    player: int
    type: ClassVar[int] = 6
    layout: ClassVar[str] = ">HHBB"

    @property
    def text(self) -> str:
        """The move as logs have it, which the game reads as well."""
        return Move(self.x, self.y, self.choice).text


@dataclass(frozen=True)
class Disqualified:
    """A player is out of the game."""

    player: int
    type: ClassVar[int] = 7
    layout: ClassVar[str] = ">B"


@dataclass(frozen=True)
class EndOfPhase:
    """The colouring is over; bombing follows."""

    type: ClassVar[int] = 8
    layout: ClassVar[str] = ">"


@dataclass(frozen=True)
class EndOfGame:
    """The game is over."""

    type: ClassVar[int] = 9
    layout: ClassVar[str] = ">"


Message: TypeAlias = (
    Group | Map | Seat | Request | Move | Moved | Disqualified | EndOfPhase | EndOfGame
)
_FIXED = (Group, Seat, Request, Move, Moved, Disqualified, EndOfPhase, EndOfGame)
_BY_TYPE = {each.type: each for each in _FIXED}
FROM_SERVER: frozenset[type[Message]] = frozenset({Map, *_FIXED} - {Group, Move})
"""What a client may be sent."""


def encode(message: Message) -> bytes:
    r"""Write a message as bytes; `struct.error` if a number does not fit.

    >>> encode(Move(1, 2, 21))
    b'\x05\x00\x00\x00\x05\x00\x01\x00\x02\x15'
    """
    if isinstance(message, Map):
        payload = message.text.encode("ascii", "replace")
    else:
        payload = struct.pack(message.layout, *astuple(message))
    return _HEADER.pack(message.type, len(payload)) + payload


def decode(number: int, payload: bytes) -> Message:
    r"""Read the payload of a message whose type has this number.

    >>> decode(4, b"\x00\x00\x07\xd0\x03")
    Request(milliseconds=2000, depth=3)
    """
    _check_length(number, len(payload))
    if number == Map.type:
        return Map(payload.decode("ascii", "replace"))
    kind = _BY_TYPE[number]
    return kind(*struct.unpack(kind.layout, payload))


def _check_length(number: int, length: int) -> None:
    if number == Map.type:
        if length > MOST_BYTES:
            raise ProtocolError(
                f"a map has {length:,} bytes; expected at most {MOST_BYTES:,}", "message_too_long"
            )
        return
    if number not in _BY_TYPE:
        raise ProtocolError(f"a message has type {number}; expected 1 to 9", "unknown_message")
    expected = struct.calcsize(_BY_TYPE[number].layout)
    if length != expected:
        raise ProtocolError(
            f"a message of type {number} has {length:,} byte{'s' * (length != 1)}; "
            f"expected {expected}",
            "message_too_long" if length > expected else "message_too_short",
        )


async def read_message(
    reader: asyncio.StreamReader, allowed: Collection[type[Message]]
) -> Message | None:
    """Read the next message of one of the types that are allowed; None at the end of the stream.

    Raises `ProtocolError` for anything else, before its payload is read, and `OSError` if the
    connection is lost.
    """
    try:
        number, length = _HEADER.unpack(await reader.readexactly(_HEADER.size))
        if number not in {kind.type for kind in allowed}:
            expected = ", ".join(str(kind) for kind in sorted(kind.type for kind in allowed))
            raise ProtocolError(
                f"a message has type {number}; expected {expected} here", "unknown_message"
            )
        _check_length(number, length)
        return decode(number, await reader.readexactly(length))
    except asyncio.IncompleteReadError as error:
        if error.partial or error.expected != _HEADER.size:
            raise ProtocolError("the connection ended within a message", "half_message") from None
        return None
