"""Work that goes on for long in the background: tournaments, experiments and trainings."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from spielbaum.arena.executor import Workers
from spielbaum.base.errors import MISTAKES
from spielbaum.studio.server.problems import sentence_of
from spielbaum.studio.server.settings import Settings

KINDS = {"matches": "tournaments and experiments", "training": "trainings"}
TELL_SECONDS = 0.4
"""Pages are told how a run goes at most so often."""


class NotNow(Exception):
    """Something cannot be started or stopped at the moment."""


@dataclass(eq=False)
class Run:
    """A thread that plays games or trains by processes, until it is done or stopped."""

    name: str
    executor: Workers
    kind: str = "matches"
    problem: str = ""
    progress: tuple[str, int, int] = ("", 0, 0)
    """What is played now, and how many games of it are done."""
    thread: threading.Thread | None = None
    stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """End it within a moment; what was played is stored."""
        self.stopped.set()
        self.executor.stop()


@dataclass
class Runs:
    """The runs of this server by name; pages can listen to them."""

    settings: Settings
    _running: dict[str, Run] = field(default_factory=dict)
    _problems: dict[str, str] = field(default_factory=dict)
    _listeners: dict[str, set[Callable[[], None]]] = field(default_factory=dict)
    _loop: asyncio.AbstractEventLoop | None = None
    _told: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start_loop(self) -> None:
        """Remember the event loop, in which listeners are called."""
        self._loop = asyncio.get_running_loop()

    def running(self, name: str) -> Run | None:
        """The run of that name, if it is under way."""
        return self._running.get(name)

    def problem(self, name: str) -> str:
        """What ended the last run of that name, if something was wrong with it."""
        return self._problems.get(name, "")

    def check_room(self, kind: str, most: int) -> None:
        """Refuse one more run of a kind if there are enough."""
        if sum(run.kind == kind for run in self._running.values()) >= most:
            raise NotNow(
                f"this server has {most} of its {KINDS[kind]} at a time; stop one of them, or wait"
            )

    def start(
        self,
        name: str,
        play: Callable[[Run], None],
        *,
        kind: str = "matches",
        most: int | None = None,
    ) -> None:
        """Let a thread ``play``; it is to end soon after its run is stopped."""
        with self._lock:
            if name in self._running:
                raise NotNow(f"{name} is running already")
            self.check_room(kind, self.settings.runs if most is None else most)
            settings = self.settings
            executor = Workers(
                settings.jobs, imports=settings.imports, megabytes=settings.process_megabytes
            )
            run = Run(name, executor, kind)
            self._running[name] = run
        self._problems.pop(name, None)
        run.thread = threading.Thread(target=self._play, args=(run, play), daemon=True)
        run.thread.start()

    @contextlib.contextmanager
    def removing(self, name: str) -> Iterator[None]:
        """Keep a run from starting while it is deleted; `NotNow` if it is under way."""
        with self._lock:
            if name in self._running:
                raise NotNow(f"{name} is running; stop it before it is deleted")
            yield
            self._problems.pop(name, None)
        self.changed(name, at_once=True)

    def stop(self, name: str) -> None:
        """Stop a run and wait until it has ended, but not for long."""
        run = self._running.get(name)
        if run is None:
            raise NotNow(f"{name} is not running")
        run.stop()
        if run.thread is not None:
            run.thread.join(10)

    def stop_all(self) -> None:
        """Stop everything."""
        for run in list(self._running.values()):
            run.stop()
        for name in list(self._running):
            with contextlib.suppress(NotNow):
                self.stop(name)

    def listen(self, name: str, listener: Callable[[], None]) -> None:
        """Call ``listener`` in the event loop whenever a run goes on, begins or ends."""
        self._listeners.setdefault(name, set()).add(listener)

    def leave(self, name: str, listener: Callable[[], None]) -> None:
        """Call it no more."""
        heard = self._listeners.get(name, set())
        heard.discard(listener)
        if not heard:
            self._listeners.pop(name, None)

    def changed(self, name: str, *, at_once: bool = False) -> None:
        """Tell the listeners, but not too often; from any thread."""
        now = time.monotonic()
        if not at_once and now - self._told.get(name, 0.0) < TELL_SECONDS:
            return
        self._told[name] = now
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._tell, name)

    def _tell(self, name: str) -> None:
        for listener in list(self._listeners.get(name, ())):
            listener()

    def _play(self, run: Run, play: Callable[[Run], None]) -> None:
        try:
            play(run)
        except (*MISTAKES, ValueError, OSError) as error:
            self._problems[run.name] = sentence_of(error, self.settings)
        finally:
            del self._running[run.name]
            self.changed(run.name, at_once=True)
