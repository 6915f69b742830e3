"""An outside engine as a process that never makes us wait for ever, whatever its protocol is."""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from spielbaum.base.errors import EngineError, SpecError

HANDSHAKE_SECONDS = 10.0
"""Time for an engine to start, and to get ready after its options were set."""
ANSWER_SECONDS = 5.0
"""Time for an engine to answer after its time is up, or after it was told to stop."""
SILENCE_SECONDS = 10.0
"""After so long without a line an engine is asked whether it is still there."""
GOODBYE_SECONDS = 0.5
"""Time for an engine to end by itself before it is killed."""
POLL_SECONDS = 0.01
LONGEST_STEP = 1.0
"""Whoever looks at an engine again and again and finds more time gone was paused himself."""
LONGEST_LINE = 1 << 20


def command_of(kind: str, path: str, args: str) -> list[str]:
    """The words that start an engine; `SpecError` if there is no such program.

    >>> command_of("uci", "", "")
    Traceback (most recent call last):
        ...
    spielbaum.base.errors.SpecError: agent uci needs path=..., the program of an engine
    """
    if not path:
        raise SpecError(f"agent {kind} needs path=..., the program of an engine")
    program = shutil.which(path)
    if program is None:
        raise SpecError(f"agent {kind}: option path={path}: expected a program that can be run")
    try:
        return [program, *shlex.split(args)]
    except ValueError as error:
        raise SpecError(f"agent {kind}: option args={args}: {error}") from None


class WakingClock:
    """Seconds that pass while this process runs, for one who reads the clock again and again.

    A process that was stopped, or a machine that slept, must not blame the engine for that.
    """

    def __init__(self) -> None:
        self._latest = time.monotonic()
        self._paused = 0.0

    def now(self) -> float:
        """Return the time without pauses: a step of more than a second counts as one."""
        moment = time.monotonic()
        self._paused += max(0.0, moment - self._latest - LONGEST_STEP)
        self._latest = moment
        return moment - self._paused


class EngineProcess:
    """A running engine. After an `EngineError` it has been ended, and a new one can be started."""

    def __init__(self, command: Sequence[str]) -> None:
        self.path = command[0]
        self.name = self.path
        """What the engine calls itself."""
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
            raise EngineError(f"engine {self.path} cannot be started: {error.strerror}") from None
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

    def await_line(
        self, heard: Callable[[str], bool], expected: str, seconds: float | None = None
    ) -> None:
        """Read lines until ``heard`` knows one for the ``expected`` answer of a short command."""
        limit = HANDSHAKE_SECONDS if seconds is None else seconds
        clock = WakingClock()
        latest = clock.now() + limit
        while (left := latest - clock.now()) > 0:
            line = self.read(min(left, POLL_SECONDS), f"before it said {expected}")
            if line is not None and heard(line):
                return
        word, _, hint = expected.partition(";")
        hint = f";{hint}" if hint else ""
        raise EngineError(f"engine {self.path} did not say {word} within {limit:g} s{hint}")

    def watch(
        self,
        heard: Callable[[str], bool],
        seconds: float | None,
        stopped: Callable[[], bool],
        *,
        stop: str = "",
        probe: str = "",
        patience: float | None = None,
    ) -> None:
        """Read lines of a search until ``heard`` says that it has ended.

        The engine must answer ``patience`` seconds after its ``seconds`` are up, or after it was
        told to ``stop``. One that says nothing for long is asked by ``probe``, which it must answer
        even while it thinks; so a search without limit of time can take as long as it wants.
        """
        margin = ANSWER_SECONDS if patience is None else patience
        clock = WakingClock()
        now = quiet_since = clock.now()
        latest = math.inf if seconds is None else now + seconds + margin
        told_to_stop = asked = False
        while True:
            line = self.read(POLL_SECONDS, "while it was thinking")
            now = clock.now()
            if line is not None:
                quiet_since, asked = now, False
                if heard(line):
                    return
            if not told_to_stop and stopped():
                told_to_stop = True
                if stop:
                    self.send(stop)
                latest = min(latest, now + margin)
            if now > latest:
                raise EngineError(
                    f"engine {self.path} did not answer within {margin:g} s after "
                    f"{'it was told to stop' if told_to_stop else 'its time was up'}"
                )
            if probe and now - quiet_since > SILENCE_SECONDS:
                if asked:
                    raise EngineError(
                        f"engine {self.path} has not answered for {2 * SILENCE_SECONDS:g} s"
                    )
                self.send(probe)
                quiet_since, asked = now, True

    def read(self, seconds: float, when: str) -> str | None:
        """The next line, or None if none comes in time."""
        latest = time.monotonic() + seconds
        while b"\n" not in self._pending:
            if len(self._pending) > LONGEST_LINE:
                raise EngineError(f"engine {self.path} sent a line of more than a megabyte")
            try:
                if not self._selector.select(max(latest - time.monotonic(), 0)):
                    return None
                chunk = os.read(self._output.fileno(), 1 << 16)
            except (OSError, ValueError):  # by another thread
                raise EngineError(f"engine {self.path} was closed {when}") from None
            if not chunk:
                raise EngineError(f"engine {self.path} ended {when}")
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
