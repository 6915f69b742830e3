"""What is found by being there: the modules of a package, imported by name when they are needed."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from types import ModuleType
from typing import Any


def names(package: str) -> tuple[str, ...]:
    """The modules of a package, in the order of the alphabet; none of them is imported.

    >>> "tictactoe" in names("spielbaum.games.drawing")
    True
    """
    spec = importlib.util.find_spec(package)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    return tuple(sorted(found.name for found in pkgutil.iter_modules(folders)))


def load(package: str, name: str) -> ModuleType:
    """Import one module of a package.

    >>> load("spielbaum.base", "errors").__name__
    'spielbaum.base.errors'
    """
    return importlib.import_module(f"{package}.{name}")


def when_needed(name: str) -> Any:
    """Import a package of others that is optional, or that takes long; `ImportError` without it.

    >>> when_needed("json").dumps([1])
    '[1]'
    """
    return importlib.import_module(name)
