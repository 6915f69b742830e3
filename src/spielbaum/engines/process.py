"""The GUI side of UCI: an outside engine as a process that never makes us wait for ever."""

from __future__ import annotations

import contextlib
import math
import os
import re
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from spielbaum.base.errors import EngineError, SpecError
from spielbaum.base.options import Option

HANDSHAKE_SECONDS = 10.0
"""Time for an engine to start, and to get ready after its options were set."""
ANSWER_SECONDS = 5.0
"""Time for an engine to answer after its time is up, or after it was told to stop."""
SILENCE_SECONDS = 10.0
"""After so long without a line an engine is asked whether it is still there."""
GOODBYE_SECONDS = 0.5
"""Time for an engine to end by itself before it is killed."""
POLL_SECONDS = 0.01
LONGEST_LINE = 1 << 20

_OPTION = re.compile(r"option name (?P<name>.+?) type (?P<kind>\w+)(?P<rest>.*)")
_LIMIT = re.compile(r"\b(min|max) (-?\d{1,18})\b", re.ASCII)


class EngineProcess:
    """A running engine. After an `EngineError` it has been ended, and a new one can be started.

    >>> EngineProcess(["/bin/true"])
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.EngineError: engine /bin/true ended before it said uciok; is it a UCI \
engine?
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._path = command[0]
        self.name = self._path
        """What the engine calls itself."""
        self._options: dict[str, tuple[str, dict[str, int]]] = {}  # name as written, and its limits
        self._pending = b""
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for us; and what the engine starts ends with it
            )
        except OSError as error:
            raise EngineError(f"engine {self._path} cannot be started: {error.strerror}") from None
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        # A finalizer also runs when the engine is forgotten, and when the interpreter ends.
        self._pid = os.getpid()
        self._end = weakref.finalize(
            self, _end, self._pid, process, self._input, self._output, self._selector
        )
        with self.closed_on_error():
            self.send("uci")
            self._await("uciok", "; is it a UCI engine?")

    @property
    def alive(self) -> bool:
        """Whether the engine can be asked something; a fork has no engine, it is its parent's."""
        return self._end.alive and self._pid == os.getpid()

    def close(self) -> None:
        """End the engine, by force if need be; it is safe to do so twice."""
        self._end()

    @contextlib.contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """End the engine if anything goes wrong: nobody knows what it would answer next."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def send(self, line: str) -> None:
        """Send a line. If the engine has ended, the next reading notices it and says so."""
        with contextlib.suppress(OSError, ValueError):  # ValueError: it is closed
            self._input.write(f"{line}\n".encode())

    def has(self, option: str) -> bool:
        """Whether the engine has an option; capitals do not count."""
        return option.lower() in self._options

    def set_option(self, option: str, value: str) -> None:
        """Set an option that the engine has."""
        self.send(f"setoption name {self._options[option.lower()][0]} value {value}")

    def set_number(self, option: str, value: int, ours: str) -> None:
        """Set a number, within the limits of the engine; ``ours`` is what our users call it."""
        if not self.has(option):
            raise SpecError(f"engine {self._path} has no option {option!r}, which {ours}= sets")
        limits = self._options[option.lower()][1]
        low, high = limits.get("min"), limits.get("max")
        try:
            Option(ours, low or high or 0, low=low, high=high).check(value)
        except SpecError as error:
            raise SpecError(f"engine {self._path}: {error}") from None
        self.set_option(option, str(value))

    def get_ready(self) -> None:
        """Wait until the engine has done what it was told."""
        self.send("isready")
        self._await("readyok")

    def search(
        self,
        go: str,
        seconds: float | None,
        stopped: Callable[[], bool],
        heard: Callable[[Sequence[str]], None],
    ) -> list[str]:
        """Send a ``go`` line and return what follows ``bestmove``; ``heard`` gets every info.

        An engine that says nothing for long is asked ``isready``, which it must answer even while
        it thinks; so a search without limit of time can take as long as it wants.
        """
        self.send(go)
        now = quiet_since = time.monotonic()
        latest = math.inf if seconds is None else now + seconds + ANSWER_SECONDS
        told_to_stop = asked = False
        while True:
            line = self._read(POLL_SECONDS, "while it was thinking")
            now = time.monotonic()
            if line is not None:
                quiet_since, asked = now, False
                words = line.split()
                if words[:1] == ["bestmove"]:
                    return words[1:]
                if words[:1] == ["info"]:
                    heard(words)
            if not told_to_stop and stopped():
                told_to_stop = True
                self.send("stop")
                latest = min(latest, now + ANSWER_SECONDS)
            if now > latest:
                raise EngineError(
                    f"engine {self._path} did not answer within {ANSWER_SECONDS:g} s after "
                    f"{'it was told to stop' if told_to_stop else 'its time was up'}"
                )
            if now - quiet_since > SILENCE_SECONDS:
                if asked:
                    raise EngineError(
                        f"engine {self._path} has not answered for {2 * SILENCE_SECONDS:g} s"
                    )
                self.send("isready")
                quiet_since, asked = now, True

    def _await(self, word: str, hint: str = "") -> None:
        """Read until a line begins with the word; remember name and options on the way."""
        latest = time.monotonic() + HANDSHAKE_SECONDS
        while (left := latest - time.monotonic()) > 0:
            line = self._read(left, f"before it said {word}{hint}")
            words = [] if line is None else line.split()
            if words[:1] == [word]:
                return
            if words[:2] == ["id", "name"]:
                self.name = " ".join(words[2:]) or self._path
            elif option := _OPTION.fullmatch(" ".join(words)):
                limits = {name: int(number) for name, number in _LIMIT.findall(option["rest"])}
                self._options[option["name"].lower()] = (option["name"], limits)
        raise EngineError(
            f"engine {self._path} did not say {word} within {HANDSHAKE_SECONDS:g} s{hint}"
        )

    def _read(self, seconds: float, when: str) -> str | None:
        """The next line, or None if none comes in time."""
        latest = time.monotonic() + seconds
        while b"\n" not in self._pending:
            if len(self._pending) > LONGEST_LINE:
                raise EngineError(f"engine {self._path} sent a line of more than a megabyte")
            try:
                if not self._selector.select(max(latest - time.monotonic(), 0)):
                    return None
                chunk = os.read(self._output.fileno(), 1 << 16)
            except (OSError, ValueError):  # by another thread
                raise EngineError(f"engine {self._path} was closed {when}") from None
            if not chunk:
                raise EngineError(f"engine {self._path} ended {when}")
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line.decode(errors="replace").strip()


def _end(
    owner: int,
    process: subprocess.Popen[bytes],
    given: IO[bytes],
    output: IO[bytes],
    selector: selectors.BaseSelector,
) -> None:
    """Say goodbye, wait for a moment, and kill what is still there; leaves no zombie.

    A fork of the owner only lets go of what it has inherited.
    """
    is_owner = os.getpid() == owner
    if is_owner:
        with contextlib.suppress(OSError):
            given.write(b"quit\n")
    for stream in (given, output):
        with contextlib.suppress(OSError):
            stream.close()
    selector.close()
    if not is_owner:
        return
    try:
        process.wait(GOODBYE_SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
