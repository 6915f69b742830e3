"""The mutation tester: which changes it makes, which it leaves alone, and how they come in."""

import ast
import marshal
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def operators(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from mutation import operators

    return operators


def changes(operators, source):
    return [each.after for each in operators.mutants("a.py", source)]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("x = a < b", ["x = a <= b", "x = a >= b"]),
        ("x = a + b", ["x = a - b"]),
        ("x = a and b", ["x = a or b"]),
        ("x = not a", ["x = a"]),
        ("x = 0", ["x = 1"]),
        ("x = 1", ["x = 2", "x = 0"]),
        ("x = 0.25", ["x = 0.5"]),
        ("x = True", ["x = False"]),
        ("x = a[b:]", ["x = a[b + 1:]"]),
        ("x += y", ["pass", "x -= y"]),
        ("f(x)", ["pass"]),
        ("x.y = z", ["pass"]),
        ("x: int = 5", ["x: int = 6", "x: int = 4"]),
    ],
)
def test_changes(operators, statement, expected):
    assert changes(operators, statement) == expected


@pytest.mark.parametrize(
    "statement",
    [
        '"""A docstring with 1 number."""',
        "x: Literal[1]",
        "if TYPE_CHECKING:\n    x = 1",
        "assert x > 1",
        "x = zip(a, b, strict=True)",
        "x: int = Field(default=5, ge=1)",
        "x = 'text'",
        "x = path / 'name'",
    ],
)
def test_what_is_left_alone(operators, statement):
    assert changes(operators, statement) == []


def test_messages_are_no_behaviour(operators):
    assert changes(operators, 'raise ValueError(f"{x + 1} is not 2")') == ["pass"]


def test_functions(operators):
    source = (
        "def f(x, y=3):\n    for each in x:\n        if each:\n            break\n    return y\n"
    )
    found = operators.mutants("a.py", source)
    assert [(each.after, each.body) for each in found] == [
        ("def f(x, y=4):", False),
        ("def f(x, y=2):", False),
        ("if not each:", True),
        ("continue", True),
        ("return None", True),
    ]
    assert {each.where for each in found} == {"f"}
    names = {}
    exec(found[0].code("a.py"), names)
    assert names["f"]([]) == 4


def test_branches(operators):
    source = (
        "def f(x):\n    match x:\n        case int() if x > y:\n            g(x)\n"
        "    try:\n        g(x)\n    except ValueError:\n        return x\n"
    )
    found = operators.mutants("a.py", source)
    head = "match x:\n    case int() if x {} y:"
    assert [each.after for each in found] == [
        head.format(">="),
        head.format("<="),
        "pass",
        "pass",
        "return None",
    ]
    assert [each.line for each in found] == [3, 3, 4, 6, 8]
    for each in found:
        each.code("a.py")


def test_every_mutant_of_the_arena_compiles_and_differs(operators):
    path = BENCHMARKS.parent / "src" / "spielbaum" / "arena" / "sprt.py"
    source = path.read_text(encoding="utf-8")
    original = ast.unparse(ast.parse(source))
    for mutant in operators.mutants("sprt.py", source):
        mutant.code("sprt.py")
        assert ast.unparse(mutant.change()) != original


def test_the_choice_stays_when_lines_move(operators):
    source = "\n".join(f"def f{n}(x):\n    return x < {n + 2}" for n in range(20))
    some = operators.sample(operators.mutants("a.py", source), 15, seed=1)
    moved = operators.sample(operators.mutants("a.py", "\n\n" + source), 15, seed=1)
    assert [each.key for each in some] == [each.key for each in moved]
    assert [each.line + 2 for each in some] == [each.line for each in moved]
    other = operators.sample(operators.mutants("a.py", source), 15, seed=2)
    assert {each.key for each in other} != {each.key for each in some}


def test_new_processes_get_the_mutant(operators, tmp_path):
    (tmp_path / "victim.py").write_text("def answer():\n    return 42\n")
    [mutant, *_] = operators.mutants("victim.py", (tmp_path / "victim.py").read_text())
    compiled = tmp_path / "mutant.bin"
    compiled.write_bytes(marshal.dumps(mutant.code("victim.py")))
    done = subprocess.run(
        [sys.executable, "-c", "import victim; print(victim.answer())"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(BENCHMARKS / "mutation" / "hook"), str(tmp_path)]),
            "MUTANT": f"victim:{compiled}",
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "None\n"


def test_targets_and_declared_mutants_are_there(operators):
    root = BENCHMARKS.parent
    groups = tomllib.loads((BENCHMARKS / "mutation" / "targets.toml").read_text())
    for group in groups.values():
        for name in (*group["files"], *group["tests"]):
            assert (root / name.partition("::")[0]).exists(), name
    declared = tomllib.loads((BENCHMARKS / "mutation" / "equivalent.toml").read_text())["mutant"]
    for each in declared:
        source = (root / each["file"]).read_text(encoding="utf-8")
        found = [
            mutant
            for mutant in operators.mutants(each["file"], source)
            if (mutant.where, mutant.before, mutant.after)
            == (each["where"], each["before"], each["after"])
        ]
        assert found, f"no such mutant any more: {each}"
        assert each["reason"]
