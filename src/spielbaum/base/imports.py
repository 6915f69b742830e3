"""Modules of users that register agents or games."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable

from spielbaum.base.errors import SpecError


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
