"""Reading files that nobody vouches for: sizes and kinds are checked before memory is asked for.

Every file that Spielbaum reads goes through here, or through `spielbaum.base.arrays`, which builds
on it. What a file may take is decided by whoever reads it, never by the file.
"""

from __future__ import annotations

import stat
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from spielbaum.base.discover import when_needed
from spielbaum.base.errors import ModelError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

DAMAGE = (
    *(ValueError, KeyError, IndexError, TypeError, AttributeError),
    *(OverflowError, RecursionError, MemoryError),
)
"""What making sense of a damaged file raises, once its bytes have been read."""
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}
LARGEST_TEXT = 8 << 20
"""Bytes of JSON, TOML or CSV, at most: as Python's objects they can take 25 times as much."""


def check_file(
    path: Path, most: int, what: str = "model", error: type[Exception] = ModelError
) -> None:
    """Look at a file before it is read; raise ``error`` if it is no file of at most ``most`` bytes.

    >>> check_file(Path("/dev/zero"), 10)
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.ModelError: model /dev/zero: it is not a file
    """
    try:
        facts = path.stat()
    except (OSError, ValueError) as problem:
        raise error(f"{what} {path}: {getattr(problem, 'strerror', None) or problem}") from None
    # Reading from a pipe may take for ever, and from a device never ends.
    if not stat.S_ISREG(facts.st_mode):
        raise error(f"{what} {path}: it is not a file")
    if facts.st_size > most:
        raise error(f"{what} {path}: it is too large for a {what}")


def read_bytes(
    path: Path, most: int, what: str = "model", error: type[Exception] = ModelError
) -> bytes:
    """Read a whole file of at most ``most`` bytes; raise ``error`` if that cannot be done.

    >>> read_bytes(Path("/nowhere/a"), 10, "book")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.ModelError: book /nowhere/a: No such file or directory
    """
    check_file(path, most, what, error)
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as problem:
        raise error(f"{what} {path}: {problem.strerror or problem}") from None
    if len(content) > most:  # it has grown meanwhile
        raise error(f"{what} {path}: it is too large for a {what}")
    return content


def read_text(path: Path, most: int = LARGEST_TEXT) -> str:
    """Read a text of at most ``most`` bytes; `ValueError` says what is wrong, `OSError` likewise.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"x" * 100)
    ...     file.flush()
    ...     read_text(Path(file.name), 10)
    Traceback (most recent call last):
        ...
    ValueError: it has more than 10 bytes
    """
    if not path.is_file() and path.exists():
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it has more than {most:,} bytes")
    return content.decode()


def decompress(payload: bytes | memoryview, size: int) -> bytes:
    """Decompress what zlib compressed, which must be ``size`` bytes; `ValueError` if it is not.

    >>> decompress(zlib.compress(b"abc"), 3)
    b'abc'
    >>> decompress(zlib.compress(bytes(10**6)), 3)
    Traceback (most recent call last):
        ...
    ValueError: it does not decompress to 3 bytes
    """
    try:
        # One byte more than there should be is enough to notice that the size is wrong.
        data = zlib.decompressobj().decompress(payload, size + 1) if size >= 0 else None
    except (zlib.error, OverflowError):
        data = None
    if data is None or len(data) != size:
        raise ValueError(f"it does not decompress to {size:,} bytes")
    return data


def typed(kind: type[T], values: Mapping[str, Any]) -> T:
    """Make a dataclass of values from a file, each of which must be of its field's type.

    `ValueError` if one is not, is missing or is unknown. Whole numbers are also decimal ones.

    >>> from spielbaum.base.statistics import Score
    >>> typed(Score, {"wins": 1, "draws": 0, "losses": 2})
    Score(wins=1, draws=0, losses=2)
    >>> typed(Score, {"wins": "many", "draws": 0, "losses": 2})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: wins: Input should be a valid integer...
    """
    unknown = [key for key in values if key not in kind.__dataclass_fields__]  # type: ignore[attr-defined]
    if unknown:
        raise ValueError(f"there is no {unknown[0]!r:.40}")
    adapter = _ADAPTERS.get(kind) or _ADAPTERS.setdefault(
        kind, when_needed("pydantic").TypeAdapter(kind)
    )
    try:
        made: T = adapter.validate_python(dict(values))
    except ValueError as error:
        first = error.errors()[0] if hasattr(error, "errors") else {"loc": (), "msg": str(error)}
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place}: {first['msg']}") from None
    return made
