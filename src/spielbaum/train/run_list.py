"""Trainings that lie in folders: what they are, how far they are, and how strong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielbaum.base.errors import MISTAKES
from spielbaum.base.lock import is_running
from spielbaum.train.method import Method
from spielbaum.train.rows import read_rows
from spielbaum.train.run import RUN, kept_config, method_of
from spielbaum.train.run_folder import STATUS, read_status
from spielbaum.train.runs import summarise

DEEPEST = 3
"""Folders below folders that are looked at."""


@dataclass(frozen=True)
class RunInfo:
    """A training.

    >>> list(find_runs(Path("/nowhere")))
    []
    """

    folder: Path
    method: str
    game: str
    progress: str
    strength: str
    changed: float
    """When something was written last, in seconds since 1970."""
    running: bool


def find_runs(folder: Path, depth: int = DEEPEST) -> Iterator[RunInfo]:
    """Find the trainings in a folder and below it; what cannot be read is shown as that."""
    if not folder.is_dir():
        return
    try:
        found = _info(folder)
        below = sorted(folder.iterdir()) if found is None and depth > 0 else []
    except (*MISTAKES, OSError) as error:
        running = is_running(folder)
        found, below = RunInfo(folder, "?", "?", str(error), "", _changed([folder]), running), []
    if found is not None:
        yield found
    for path in below:
        if path.is_dir() and not path.name.startswith("."):
            yield from find_runs(path, depth - 1)


def _info(folder: Path) -> RunInfo | None:
    """A training: a folder that is a run, or that has several of them."""
    runs = [folder] if _is_run(folder) else _runs(folder)
    wanted = method_of(runs[0]) if runs else None
    if wanted is None:
        return None
    config = kept_config(wanted, runs[0])
    game = "?" if config is None else str(config.rules())
    running = any(is_running(run) for run in runs)
    changed, progress = _changed(runs), _progress(runs)
    return RunInfo(folder, wanted.name, game, progress, _strength(wanted, runs), changed, running)


def _is_run(folder: Path) -> bool:
    return (folder / RUN).exists() or (folder / STATUS).exists()


def _runs(folder: Path) -> list[Path]:
    found = [path for path in folder.glob("run[0-9]*") if path.is_dir() and _is_run(path)]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def _progress(runs: Sequence[Path]) -> str:
    status = read_status(runs[-1])
    if status is None:
        return "nothing done yet"
    several = f" of run {len(runs)}" if len(runs) > 1 else ""
    return f"{status.step:,} of {status.of:,} {status.unit}{several}"


def _strength(wanted: type[Method[Any, Any]], runs: Sequence[Path]) -> str:
    """What was measured last; of several runs, the mean."""
    tables = [read_rows(run / wanted.table, wanted.row_type) for run in runs]
    if len(runs) > 1:
        points = summarise(tables)
        last = max(points, key=lambda point: point.step, default=None)
        return "" if last is None else f"{100 * last.mean:.1f} % against {last.opponent}"
    said = [row.strength().strip() for row in tables[0]]
    return next((text for text in reversed(said) if text), "")


def _changed(runs: Sequence[Path]) -> float:
    paths = [path for run in runs for path in (run, run / STATUS)]
    return max((path.stat().st_mtime for path in paths if path.exists()), default=0.0)
