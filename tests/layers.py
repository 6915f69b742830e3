"""Which module imports which, read from the sources, and what the order of the layers forbids.

``python tests/layers.py FOLDER`` draws how often each layer of a source folder imports the others.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LAYERS = (
    *("base", "games", "models", "solvers", "engines", "agents", "play", "arena", "train"),
    *("lab", "protocols", "testing", "studio", "cli"),
)
"""A layer may import those before it."""
CPP_LAYERS = ("core", "games", "eval", "search", "learn", "bindings", "tests")
EXTRAS = {"torch", "ray", "chess", "matplotlib", "tensorboard", "onnx", "optuna", "safetensors"}
"""Packages of optional extras, and those whose import takes long: functions may import them."""
CORE_USERS = re.compile(
    r"spielbaum(\.(base|games|models|solvers|agents|train\.methods\.ntuple)\b.*)?"
)
BY_NAME = ("spielbaum.base.discover", "spielbaum.base.core", "spielbaum.base.imports")
"""Imports by name: what is found by being there, the core's build, and the modules of a user."""


@dataclass(frozen=True)
class Import:
    """One import of one module by another."""

    file: Path
    line: int
    source: str
    target: str
    text: str
    in_function: bool
    by_name: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text.strip()}"


def module_name(path: Path, root: Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_imports(root: Path) -> list[Import]:
    """All imports of a source folder at run time; those for type checkers alone are left out."""
    paths = {module_name(path, root): path for path in sorted((root / "spielbaum").rglob("*.py"))}
    modules = frozenset(paths)
    return [
        found
        for name, path in paths.items()
        for found in _of_file(name, path, path.read_text(), modules)
    ]


@cache
def _of_file(name: str, path: Path, text: str, modules: frozenset[str]) -> list[Import]:
    lines = text.splitlines()
    found: list[Import] = []

    def visit(node: ast.AST, in_function: bool) -> None:
        if isinstance(node, ast.If) and _is_type_checking(node.test):
            children: Iterable[ast.AST] = node.orelse
        else:
            children = ast.iter_child_nodes(node)
            for target, by_name in _targets(node, name, path, modules):
                line = node.lineno  # type: ignore[attr-defined]
                text = lines[line - 1]
                found.append(Import(path, line, name, target, text, in_function, by_name))
        inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in children:
            visit(child, inside)

    visit(ast.parse(text), False)
    return found


def _is_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id.strip("_") == "TYPE_CHECKING"


def _targets(
    node: ast.AST, name: str, path: Path, modules: frozenset[str]
) -> Iterator[tuple[str, bool]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, False
            if alias.name in ("importlib", "pkgutil"):
                yield alias.name, True
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level:
            parts = name.split(".")
            kept = len(parts) - node.level + (path.name == "__init__.py")
            module = ".".join([*parts[:kept], *([node.module] if node.module else [])])
        for alias in node.names:
            full = f"{module}.{alias.name}"
            yield full if full in modules or full == "spielbaum._core" else module, False
        if module.split(".")[0] in ("importlib", "pkgutil") and module != "importlib.metadata":
            yield module, True
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "__import__":
            yield "__import__", True
    elif isinstance(node, ast.Attribute) and node.attr in ("_core", "_core_v3"):
        yield "spielbaum._core", False


def layer(module: str) -> str:
    """The layer of a module; the package itself and the command have none."""
    parts = module.split(".")
    return parts[1] if parts[0] == "spielbaum" and len(parts) > 1 else ""


def violations(root: Path) -> list[str]:
    """What the order of DESIGN.md forbids, a sentence with file and line for each."""
    imports = read_imports(root)
    return [
        *(f"{each}: {problem}" for each in imports if (problem := _problem(each)) is not None),
        *(f"a cycle: {' -> '.join(cycle)}" for cycle in cycles(imports)),
    ]


def _problem(found: Import) -> str | None:
    if not found.source.startswith("spielbaum."):
        return None
    if found.by_name:
        return None if found.source in BY_NAME else "an import by name outside of base/discover"
    if found.target.startswith("spielbaum._core"):
        allowed = CORE_USERS.fullmatch(found.source) is not None
        return None if allowed else "the core is used where its layers do not allow it"
    if found.in_function and found.target.split(".")[0] not in EXTRAS:
        return "an import inside of a function that is not of an optional extra"
    if found.target == "spielbaum" and found.source != "spielbaum.__main__":
        return "packages import from layers, not from spielbaum itself"
    here, there = layer(found.source), layer(found.target)
    if here in LAYERS and there in LAYERS and LAYERS.index(here) < LAYERS.index(there):
        return f"an upward import: {here} is below {there}"
    if found.source.startswith("spielbaum.") and there and there not in LAYERS:
        return f"{there} is no layer"
    return None


def cycles(imports: list[Import]) -> list[list[str]]:
    """The cycles of modules, one for each that was found on a walk along the imports."""
    graph: dict[str, set[str]] = {}
    for each in imports:
        # A package is imported with each of its modules, which is no import of theirs.
        inside = each.target.startswith(f"{each.source}.") or each.in_function
        if not inside and layer(each.source) and layer(each.target):
            graph.setdefault(each.source, set()).add(each.target)
    found, done, path = [], set[str](), list[str]()

    def walk(module: str) -> None:
        if module in path:
            found.append([*path[path.index(module) :], module])
            return
        if module in done:
            return
        path.append(module)
        for target in sorted(graph.get(module, ())):
            walk(target)
        done.add(path.pop())

    for module in sorted(graph):
        walk(module)
    return found


def read_includes(root: Path) -> Iterator[tuple[Path, int, str, str]]:
    """File, line and both layers of every include of a C++ folder by another."""
    for path in sorted([*root.rglob("*.hpp"), *root.rglob("*.cpp")]):
        here = path.relative_to(root).parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'#include "(\w+)/', line)
            if match is not None and (root / match[1]).is_dir():
                yield path, number, here, match[1]


def cpp_violations(root: Path) -> list[str]:
    """Includes of C++ that point upward."""
    return [
        f"{path}:{number}: {here} includes {there}, which is above it"
        for path, number, here, there in read_includes(root)
        if CPP_LAYERS.index(here) < CPP_LAYERS.index(there)
    ]


def drawing(root: Path) -> str:
    """How often each layer imports each other one, as a table in SVG.

    A layer has a row and a column; what is above the diagonal is red, for there a layer imports one
    that comes later. Packages that are no layers, as there were before, come in the order in which
    fewest are red.
    """
    counts = Counter(
        (here, there)
        for each in read_imports(root)
        if (here := layer(each.source)) and (there := layer(each.target)) and here != there
        if "_core" not in there
    )
    order = _order(counts)
    size, left = 34, 90
    parts = []
    for row, here in enumerate(order):
        y = left + row * size
        parts.append(_label(left - 6, y + 22, here, "end"))
        parts.append(
            f'<g transform="translate({left + row * size + 22} {left - 6}) rotate(-60)">'
            f"{_label(0, 0, here, 'start')}</g>"
        )
        for column, there in enumerate(order):
            x, count = left + column * size, counts[here, there]
            red = count and column > row
            fill = "#d9482b" if red else "#dfe6ec" if count else "#ffffff"
            parts.append(
                f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="{fill}" '
                'stroke="#aab4bd"/>'
            )
            if count:
                parts.append(_label(x + size / 2, y + 22, str(count), "middle"))
    width = left + size * len(order) + 60
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {width - 50}" '
        f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>\n'
    )


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>'


def _order(counts: Counter[tuple[str, str]]) -> list[str]:
    """Layers in their order; other packages so that few imports point to later ones."""
    left = {name for pair in counts for name in pair}
    if left <= set(LAYERS):
        return [name for name in LAYERS if name in left]
    order: list[str] = []
    while left:
        # Whoever imports least of what is left comes next.
        first = min(sorted(left), key=lambda name: sum(counts[name, each] for each in left))
        order.append(first)
        left.remove(first)
    return order


if __name__ == "__main__":
    print(drawing(Path(sys.argv[1])), end="")
