"""Modules of users that register agents or games."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Sequence

from spielbaum.base.errors import SpecError

SHARED = "SPIELBAUM_IMPORTS"
"""An environment variable: a folder, and modules that every process of Spielbaum's imports."""


def import_modules(names: Iterable[str]) -> None:
    """Import modules by their names, also those of the current folder.

    >>> import_modules(["json"])
    >>> try:
    ...     import_modules(["nosuch"])
    ... except SpecError as error:
    ...     print(error)
    module nosuch cannot be imported: ModuleNotFoundError: No module named 'nosuch'
    """
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)  # a program that was installed as a command does not look there
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:
            raise SpecError(
                f"module {name} cannot be imported: {type(error).__name__}: {error}"
            ) from error


def share_modules(names: Sequence[str]) -> None:
    """Import modules here, and in every process that is started from here on."""
    if names:
        import_modules(names)
        folder = os.environ.get(SHARED, os.getcwd()).partition(os.pathsep)[0]
        os.environ[SHARED] = os.pathsep.join([folder, *dict.fromkeys([*shared_modules(), *names])])


def shared_modules() -> tuple[str, ...]:
    """The modules that every process imports.

    >>> shared_modules()
    ()
    """
    return tuple(os.environ.get(SHARED, "").split(os.pathsep)[1:])


def import_shared() -> None:
    """Import what the process that started this one shares."""
    folder = os.environ[SHARED].partition(os.pathsep)[0]
    if folder not in sys.path:
        sys.path.append(folder)
    import_modules(shared_modules())
