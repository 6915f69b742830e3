"""Every example in docstrings and in the documents runs and prints what it says."""

import doctest
import importlib
import pkgutil
import re
import runpy
from pathlib import Path

import pytest

import spielbaum
from spielbaum.testing import check_game

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(spielbaum.__path__, "spielbaum.")
    if not module.name.endswith(("_core", "_core_v3", "__main__"))
)


@pytest.mark.parametrize("name", ["spielbaum", *MODULES])
def test_docstrings(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents(path):
    text = path.read_text(encoding="utf-8")
    # Blocks without a prompt are programs; they run first, in the order of the text.
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        if ">>>" not in block:
            exec(compile(block, path.name, "exec"), names)
    test = doctest.DocTestParser().get_doctest(text, names, path.name, str(path), 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0


def test_public_names_have_a_docstring_with_an_example():
    lacking = [
        name
        for name in spielbaum.__all__
        if isinstance(value := getattr(spielbaum, name), type) or callable(value)
        if ">>>" not in (value.__doc__ or "")
        if getattr(value, "__module__", "").startswith("spielbaum")
        and "_core" not in value.__module__
    ]
    assert lacking == []


def test_hex_keeps_the_laws():
    runpy.run_path(str(ROOT / "docs" / "examples" / "hex.py"))
    assert check_game("pyhex:size=4", games=10, alternates=True) > 50
    start = spielbaum.game("pyhex").initial()
    assert start.play("c3").notation == "c3"
    assert spielbaum.perft(start, 3) == 25 * 24 * 23
    end = [spielbaum.perft(spielbaum.game(name, size=3).initial(), 7) for name in ("hex", "pyhex")]
    assert end[0] == end[1]
