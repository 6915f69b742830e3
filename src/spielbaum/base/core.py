"""Which build of the core this processor runs.

The package holds the core twice: ``_core`` runs on every processor of the kind, ``_core_v3`` needs
x86-64-v3 (most processors since 2013) and is up to twice as fast. Both compute the same. The
environment variable SPIELBAUM_CORE (``baseline`` or ``v3``) overrules the choice.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path

V3_FLAGS = frozenset(["abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"])


def runs_v3(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether every instruction of x86-64-v3 is there; False where the system does not tell.

    >>> runs_v3(Path("/nonexistent"))
    False
    """
    try:
        lines = cpuinfo.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return set(flags.split()) >= V3_FLAGS


def load_core() -> None:
    """Import the fastest core that runs here under the name ``spielbaum._core``."""
    wanted = os.environ.get("SPIELBAUM_CORE", "")
    if wanted not in ("", "baseline", "v3"):
        raise ImportError(f"SPIELBAUM_CORE={wanted}: expected baseline or v3", name="spielbaum")
    there = importlib.util.find_spec("spielbaum._core_v3") is not None
    if wanted == "v3" and not there:
        problem = "SPIELBAUM_CORE=v3: the package was built without that core"
        raise ImportError(problem, name="spielbaum")
    if wanted == "v3" or (wanted == "" and there and runs_v3()):
        core = importlib.import_module("spielbaum._core_v3")
        sys.modules["spielbaum._core"] = core
        sys.modules["spielbaum"]._core = core  # type: ignore[attr-defined]


def processor() -> str:
    """For which processors the core that was loaded has been built.

    >>> processor() in ("baseline", "x86-64-v3")
    True
    """
    from spielbaum import _core  # this module chooses which build that is, and comes before it

    return _core.PROCESSOR
