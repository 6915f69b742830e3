"""Files that visitors may name: those of the data folder, and the models that are shipped."""

from __future__ import annotations

import re
from pathlib import Path

from spielbaum.studio.server.settings import Settings

MODELS = "models/"
"""Shipped models are called so, and the name of the file."""
FOLDERS = re.compile(r"(?<![^\s'\"(])/(?:[^\s/'\":,;]+/)+")
"""The folders of a full path that stands by itself, not behind a letter or a colon as in a spec."""


def find_file(name: str, settings: Settings) -> Path | None:
    """The file that a name stands for; None if there is none, or if it lies elsewhere.

    >>> find_file("models/tictactoe.npz", Settings(data=Path("/nowhere"))).name
    'tictactoe.npz'
    >>> find_file("models/../pyproject.toml", Settings(data=Path("/nowhere"))) is None
    True
    """
    found = file_inside(settings.data, name)
    if found is None and name.startswith(MODELS):
        return file_inside(settings.models, name.removeprefix(MODELS))
    return found


def file_inside(folder: Path, name: str) -> Path | None:
    """A file of a folder or of one below it, wherever links may lead; None if it is elsewhere."""
    try:
        outer = folder.resolve()
        path = (outer / name).resolve()
        return path if path.is_relative_to(outer) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


def shown(text: str, settings: Settings) -> str:
    """A text in which full paths are what visitors call these files.

    >>> settings = Settings(data=Path("/tmp/mine"))
    >>> shown("ntuple:/tmp/mine/trainings/a/run1/best.npz,depth=2", settings)
    'ntuple:trainings/a/run1/best.npz,depth=2'
    >>> shown("uci:path=/bin/sf", Settings(engines=(("strong", "uci:path=/bin/sf"),)))
    'strong'
    """
    # The longest spec first: one may be the beginning of another.
    for name, spec in sorted(settings.engines, key=lambda each: len(each[1]), reverse=True):
        text = text.replace(spec, name)
    for folder in (settings.data.resolve(), settings.data.absolute(), settings.data):
        text = text.replace(f"{folder}/", "")
    return text.replace(f"{settings.models.resolve()}/", MODELS)


def without_paths(text: str, settings: Settings) -> str:
    """A text for visitors, in which files have names and the folders of the server are not told.

    >>> without_paths("model /opt/games/models/a.npz: it is damaged", Settings())
    'model a.npz: it is damaged'
    >>> without_paths("agent uci: option path=/bin/sh: expected a file", Settings())
    'agent uci: option path=/bin/sh: expected a file'
    """
    return FOLDERS.sub("", shown(text, settings))
