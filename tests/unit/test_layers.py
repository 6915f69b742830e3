"""The order of the layers holds, in Python and in C++, and what breaks it is found."""

import shutil
from pathlib import Path

import pytest

import spielbaum
from layers import LAYERS, cpp_violations, drawing, violations

CPP = Path(__file__).parents[2] / "cpp"


@pytest.fixture(scope="module")
def package():
    return Path(spielbaum.__file__).parent


def test_the_layers_hold(package):
    assert violations(package.parent) == []
    assert cpp_violations(CPP) == []


PLANTED = {
    "an upward import": ("games/outcome.py", "from spielbaum.arena.plan import Plan"),
    "a cycle": ("base/errors.py", "from spielbaum.base.options import Option"),
    "inside of a function": (
        "games/outcome.py",
        "def late() -> None:\n    from spielbaum.base.options import Option",
    ),
    "by name": (
        "arena/plan.py",
        'import importlib\n\nhidden = importlib.import_module("spielbaum.cli.main")',
    ),
    "the core is used": ("arena/plan.py", "from spielbaum._core import Rng as CoreRng"),
    "not from spielbaum itself": ("arena/plan.py", "import spielbaum as sb"),
}


@pytest.fixture(scope="module")
def copied(package, tmp_path_factory):
    folder = tmp_path_factory.mktemp("layers")
    ignored = shutil.ignore_patterns("*.so", "files", "page", "__pycache__", "*.toml", "*.book")
    shutil.copytree(package, folder / "spielbaum", ignore=ignored)
    return folder


@pytest.mark.parametrize("problem", PLANTED)
def test_planted_violations_are_found_with_their_line(copied, problem):
    name, planted = PLANTED[problem]
    path = copied / "spielbaum" / name
    text = path.read_text()
    path.write_text(f"{text}\n{planted}\n")
    found = [each for each in violations(copied) if problem in each]
    path.write_text(text)
    assert found
    line = len(text.splitlines()) + 2
    assert problem == "a cycle" or any(
        each.startswith((f"{path}:{line}:", f"{path}:{line + 1}:")) for each in found
    )


def test_an_upward_include_is_found(tmp_path):
    shutil.copytree(CPP, tmp_path / "cpp")
    path = tmp_path / "cpp" / "core" / "bits.hpp"
    path.write_text(path.read_text() + '#include "games/catalog.hpp"\n')
    (found,) = cpp_violations(tmp_path / "cpp")
    assert "core includes games, which is above it" in found


def test_the_drawing_shows_what_points_upward(package, copied):
    text = drawing(package.parent)
    assert all(f">{name}</text>" in text for name in LAYERS)
    assert "#d9482b" not in text
    path = copied / "spielbaum" / "games" / "outcome.py"
    kept = path.read_text()
    path.write_text(f"{kept}\nfrom spielbaum.arena.plan import Plan\n")
    assert drawing(copied).count("#d9482b") == 1
    path.write_text(kept)
