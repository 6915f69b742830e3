"""Trainings that lie in folders: what they are, how far they are, and how strong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spielbaum.errors import MISTAKES, ModelError, SpecError
from spielbaum.learn.alphazero.config import read_config
from spielbaum.learn.alphazero.run_state import read_state
from spielbaum.learn.config_files import read_toml
from spielbaum.learn.ntuple_training import read_log
from spielbaum.learn.rounds import read_progress
from spielbaum.learn.run_lock import is_running
from spielbaum.learn.runs import run_folders, summarise
from spielbaum.learn.values.config import METHOD
from spielbaum.learn.values.config import read_config as read_value_config
from spielbaum.learn.values.report import METRICS, read_rows

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
    found = _value(folder) or _rounds(folder) or _alphazero(folder) or _ntuple(folder)
    if found is not None:
        yield found
    elif depth > 0:
        for below in sorted(folder.iterdir()):
            if below.is_dir() and not below.name.startswith("."):
                yield from find_runs(below, depth - 1)


def _rounds(folder: Path) -> RunInfo | None:
    """A training that goes on in rounds, such as deep Q-learning; its configuration names it."""
    try:
        config = read_toml(folder / "config.toml")
        method = str(config["method"])
    except (SpecError, KeyError):
        return None
    running, game = is_running(folder), str(config.get("game", "?"))
    try:
        told = read_progress(folder)
    except ModelError as error:
        return RunInfo(folder, method, game, str(error), "", 0.0, running)
    if told is None:
        return RunInfo(folder, method, game, "no round yet", "", 0.0, running)
    progress = f"round {told.round} of {told.of}"
    return RunInfo(folder, method, game, progress, told.strength, told.changed, running)


def _alphazero(folder: Path) -> RunInfo | None:
    config_path = folder / "config.toml"
    if not config_path.exists() or not (folder / "games").is_dir():
        return None
    try:
        config, state = read_config(read_toml(config_path)), read_state(folder)
    except MISTAKES as error:
        return RunInfo(folder, "alphazero", "?", str(error), "", 0.0, is_running(folder))
    known = [row.accuracy for row in state.rows if row.accuracy is not None]
    strength = f"{known[-1]:.1%} of values kept" if known else ""
    games = state.rows[-1].games if state.rows else 0
    progress = f"update {state.generation} of {config.model_updates}, {games:,} games"
    changed = max(
        path.stat().st_mtime for path in (config_path, folder / "state.json") if path.exists()
    )
    return RunInfo(
        folder, "alphazero", config.game, progress, strength, changed, is_running(folder)
    )


def _value(folder: Path) -> RunInfo | None:
    path = folder / "config.toml"
    if not path.exists():
        return None
    try:
        written = read_toml(path)
        if written.get("method") != METHOD:
            return None
        config, rows = read_value_config(written), read_rows(folder)
    except MISTAKES as error:
        return RunInfo(folder, METHOD, "?", str(error), "", 0.0, is_running(folder))
    best = min((row.mse for row in rows), default=None)
    strength = "" if best is None else f"mean squared error {best:.3f}"
    progress = f"epoch {len(rows)} of {config.training.epochs}"
    files = [path, folder / METRICS]
    changed = max(each.stat().st_mtime for each in files if each.exists())
    return RunInfo(folder, METHOD, config.game, progress, strength, changed, is_running(folder))


def _ntuple(folder: Path) -> RunInfo | None:
    runs = run_folders(folder)
    if not runs:
        return None
    try:
        points = summarise([read_log(path) for path in runs])
    except MISTAKES as error:
        return RunInfo(folder, "ntuple", "?", str(error), "", 0.0, False)
    changed = max((path / "log.csv").stat().st_mtime for path in runs)
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
