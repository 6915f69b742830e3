"""Curves for TensorBoard, where that is installed (``pip install spielbaum[train]``)."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def has_tensorboard() -> bool:
    """Whether curves can be written."""
    return importlib.util.find_spec("tensorboard") is not None


class EventLog:
    """Writes numbers to a folder as TensorBoard reads them; without TensorBoard, nothing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, EventLog(Path(folder)) as log:
    ...     log.add(100, {"strength": 0.5})
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: Any = None

    def __enter__(self) -> EventLog:
        if has_tensorboard():
            from tensorboard.summary.writer.event_file_writer import EventFileWriter

            self._writer = EventFileWriter(str(self._folder))
        return self

    def __exit__(self, *error: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def add(self, step: int, numbers: Mapping[str, float]) -> None:
        """Write numbers as of a step."""
        if self._writer is None:
            return
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in numbers.items()]
        event = Event(wall_time=time.time(), step=step, summary=Summary(value=values))
        self._writer.add_event(event)
        self._writer.flush()
