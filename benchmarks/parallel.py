"""Work of several benchmarks on all cores, with progress, and with an end by Ctrl-C in one line."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from rich.progress import Progress

from spielbaum.cli.shared.output import progress_bar

Task = TypeVar("Task")
Result = TypeVar("Result")


def on_all_cores(
    work: Callable[[Task], Result], tasks: Iterable[Task]
) -> Generator[Result, None, None]:
    """The results in the order of the tasks.

    Who has seen enough closes the generator: what has not begun is then left undone.
    """
    # New interpreters instead of forks: a fork would copy the locks of whatever threads exist.
    pool = ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn"))
    # Ctrl-C reaches every process of a terminal, but one of them is enough to end the work: those
    # that are started here do not get it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        futures = [pool.submit(work, task) for task in tasks]
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        for future in futures:
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def progress_of(what: str) -> Iterator[Progress]:
    """A bar that counts ``what``; Ctrl-C ends the benchmark with one line, as does its killing."""
    # Who is killed without notice would leave the other processes behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with progress_bar(what) as progress:
            yield progress
    except KeyboardInterrupt:
        sys.exit("interrupted")
