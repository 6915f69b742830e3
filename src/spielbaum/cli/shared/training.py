"""What the commands that train share: lists of configurations, and a live line."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import typer
from rich.live import Live
from rich.text import Text

from spielbaum.cli.shared.output import SlowLog, console, is_live, rate
from spielbaum.train.config import config_names, config_title
from spielbaum.train.rows import clock
from spielbaum.train.run_folder import RunStatus


def list_configs(folder: Path) -> None:
    """Name the configurations of the package, and what they say about themselves."""
    names = config_names(folder)
    width = max(map(len, names))
    for name in names:
        typer.echo(f"{name:<{width}}  {config_title(folder / f'{name}.toml')}")


def status_line(now: RunStatus) -> str:
    """Return in one line what goes on.

    >>> counts, rates = {"games": 128, "steps": 9000}, {"games": 1.2, "steps": 40.0}
    >>> status_line(RunStatus("playing", 3, 20, "rounds", 0.005, counts, rates))
    '3 of 20 rounds, playing: 128 games (1.2 /s), 9,000 steps (40 /s); 0:56:40 left'
    """
    text = f"{now.step:,} of {now.of:,} {now.unit}, {now.activity}"
    counts = [f"{number:,} {name} ({rate(now.rates[name])})" for name, number in now.counts.items()]
    if not counts and now.rate:
        counts = [rate(now.rate)]
    text = ": ".join(filter(None, [text, ", ".join(counts)]))
    left = now.seconds_left
    return text if left is None else f"{text}; {clock(left)} left"


class LiveLine:
    """Lines that stay, and on a terminal one below them that says what goes on."""

    def __init__(self, shown: int = 0) -> None:
        self.shown = shown
        """Lines so far."""
        self._console = console()
        self._live = Live(console=self._console, transient=True) if is_live(self._console) else None
        self._log = SlowLog(self._console)

    def running(self) -> AbstractContextManager[object]:
        """As long as the last line is there."""
        return self._live or nullcontext()

    def show(self, lines: Iterable[str], status: str) -> None:
        """Add lines, and change the last one."""
        for line in lines:
            self._console.print(line, highlight=False, soft_wrap=True)
            self.shown += 1
        self._log.say(lambda: status)
        if self._live is not None:
            self._live.update(Text(status))
