"""Trainings that lie in folders: what they are, how far they are, and how strong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielbaum.base.errors import MISTAKES, StoreError
from spielbaum.base.lock import is_running
from spielbaum.train.config import read_toml
from spielbaum.train.methods.alphazero.config import read_config
from spielbaum.train.methods.alphazero.run_memory import read_memory
from spielbaum.train.methods.ntuple.training import read_log
from spielbaum.train.methods.value.config import METHOD
from spielbaum.train.methods.value.config import read_config as read_value_config
from spielbaum.train.methods.value.report import METRICS, read_rows
from spielbaum.train.rounds import read_progress
from spielbaum.train.run_folder import CONFIG
from spielbaum.train.runs import run_folders, summarise

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
    """The trainings in a folder and below it; what cannot be read is shown as that."""
    if not folder.is_dir():
        return
    try:
        found = _value(folder) or _rounds(folder) or _alphazero(folder) or _ntuple(folder)
        below = sorted(folder.iterdir()) if found is None and depth > 0 else []
    except (*MISTAKES, OSError) as error:
        found, below = RunInfo(folder, "?", "?", str(error), "", 0.0, False), []
    if found is not None:
        yield found
    for path in below:
        if path.is_dir() and not path.name.startswith("."):
            yield from find_runs(path, depth - 1)


def _damaged(folder: Path, method: str, error: Exception, game: str = "?") -> RunInfo:
    """The row of a training that cannot be read, with the sentence that says why."""
    return RunInfo(folder, method, game, str(error), "", 0.0, is_running(folder))


def _written(folder: Path) -> dict[str, Any] | None:
    """The configuration of a training, if the folder has one."""
    path = folder / CONFIG
    return read_toml(path) if path.exists() else None


def _rounds(folder: Path) -> RunInfo | None:
    """A training that goes on in rounds, such as deep Q-learning; its configuration names it."""
    config = _written(folder)
    if config is None or "method" not in config:
        return None
    method, game = str(config["method"])[:40], str(config.get("game", "?"))[:80]
    try:
        told = read_progress(folder)
    except StoreError as error:
        return _damaged(folder, method, error, game)
    running = is_running(folder)
    if told is None:
        return RunInfo(folder, method, game, "no round yet", "", 0.0, running)
    progress = f"round {told.round} of {told.of}"
    return RunInfo(folder, method, game, progress, told.strength, told.changed, running)


def _alphazero(folder: Path) -> RunInfo | None:
    written = _written(folder)
    if written is None or not (folder / "games").is_dir():
        return None
    try:
        config, state = read_config(written), read_memory(folder)
    except MISTAKES as error:
        return _damaged(folder, "alphazero", error)
    known = [row.accuracy for row in state.rows if row.accuracy is not None]
    strength = f"{known[-1]:.1%} of values kept" if known else ""
    games = state.rows[-1].games if state.rows else 0
    progress = f"update {state.generation} of {config.model_updates}, {games:,} games"
    changed = _changed(folder / CONFIG, folder / "state.json")
    return RunInfo(
        folder, "alphazero", config.game, progress, strength, changed, is_running(folder)
    )


def _value(folder: Path) -> RunInfo | None:
    written = _written(folder)
    if written is None or written.get("method") != METHOD:
        return None
    try:
        config, rows = read_value_config(written), read_rows(folder)
    except MISTAKES as error:
        return _damaged(folder, METHOD, error)
    best = min((row.mse for row in rows), default=None)
    strength = "" if best is None else f"mean squared error {best:.3f}"
    progress = f"epoch {len(rows)} of {config.training.epochs}"
    changed = _changed(folder / CONFIG, folder / METRICS)
    return RunInfo(folder, METHOD, config.game, progress, strength, changed, is_running(folder))


def _ntuple(folder: Path) -> RunInfo | None:
    runs = run_folders(folder)
    if not runs:
        return None
    try:
        points = summarise([read_log(path) for path in runs])
    except MISTAKES as error:
        return _damaged(folder, "ntuple", error)
    changed = _changed(*(path / "log.csv" for path in runs))
    if not points:
        return RunInfo(folder, "ntuple", "?", "nothing measured yet", "", changed, False)
    last = max(points, key=lambda point: point.games)
    return RunInfo(
        folder,
        "ntuple",
        "?",
        f"{last.games:,} games, {last.runs} run{'s' * (last.runs > 1)}",
        f"{last.mean:.1%} against {last.opponent}",
        changed,
        False,
    )


def _changed(*paths: Path) -> float:
    return max((path.stat().st_mtime for path in paths if path.exists()), default=0.0)
