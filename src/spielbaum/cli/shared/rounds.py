"""What the commands for trainings in rounds share: how many, and a line that says what goes on."""

from __future__ import annotations

from typing import Any

from spielbaum.base.options import Option
from spielbaum.cli.shared.output import rate
from spielbaum.cli.shared.training import LiveLine, tell_without_tensorboard, time_left
from spielbaum.train.rounds import Progress, RoundRun

ROUNDS = Option("rounds", 1, low=1, high=10_000_000)


def train_in_rounds(run: RoundRun[Any, Any]) -> None:
    """Train to the end, and show what goes on."""
    tell_without_tensorboard()
    line = LiveLine()

    def report(now: Progress) -> None:
        line.show(now.lines[line.shown :], status(now))

    with line.running():
        run.run(report)


def status(now: Progress) -> str:
    """What goes on, in one line.

    >>> counts, rates = {"games": 128, "steps": 9000}, {"games": 1.2, "steps": 40.0}
    >>> status(Progress(3, 20, "playing", counts, rates, 3700.0, ()))
    'round 3 of 20, playing: 128 games (1.2 /s), 9,000 steps (40 /s); 1:01:40 left'
    """
    counts = [f"{number:,} {name} ({rate(now.rates[name])})" for name, number in now.counts.items()]
    text = f"round {now.round} of {now.of}, {now.phase}: {', '.join(counts)}"
    return text + time_left(now.seconds_left)
