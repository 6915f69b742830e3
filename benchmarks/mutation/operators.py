"""The changes that are made to a source file, each in one place of its syntax tree."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType

ORDER: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
ASSERTIONS = {"strict", "frozen", "kw_only", "repr"}
"""Arguments that only check or show what is there: zip(strict=...), dataclass(frozen=...)."""


@dataclass(frozen=True)
class Mutant:
    """A change in one place.

    ``lines`` are those of the statement in which it is; ``body`` tells whether it lies in the
    body of a function, so that the code of that function can be exchanged while all else stays.
    """

    file: str
    operator: str
    where: str
    """Qualified name of the function or class."""
    before: str
    """The statement, without the block that it may have."""
    after: str
    line: int
    lines: range
    body: bool
    function: tuple[str, int]
    """Qualified name and first line of the outermost function around it, if `body`."""
    change: Callable[[], ast.Module]

    @property
    def key(self) -> str:
        """Stands for the mutant as long as its text stays, wherever it moves to."""
        text = "\0".join((self.file, self.where, self.before, self.after))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def code(self, path: str) -> CodeType:
        """The compiled module with the change."""
        tree = ast.fix_missing_locations(self.change())
        return compile(tree, path, "exec", dont_inherit=True)


def mutants(file: str, source: str) -> list[Mutant]:
    """All mutants of a source file, in the order of its text.

    >>> [(each.operator, each.after) for each in mutants("a.py", "def f(x):\\n    return x < 1")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('return', 'return None'), ('comparison', 'return x <= 1'), ('comparison', 'return x >= 1'),
     ('constant', 'return x < 2'), ('constant', 'return x < 0')]
    """
    tree = ast.parse(source)
    found, seen = [], set()
    for mutant in _Finder(file, tree).find():
        if mutant.key + str(mutant.line) not in seen and mutant.before != mutant.after:
            seen.add(mutant.key + str(mutant.line))
            found.append(mutant)
    return found


def sample(all_of_them: list[Mutant], most: int, seed: int) -> list[Mutant]:
    """At most so many of them, chosen by their text: the choice stays when lines move."""

    def rank(mutant: Mutant) -> str:
        return hashlib.sha256(f"{seed} {mutant.key}".encode()).hexdigest()

    chosen = sorted(all_of_them, key=rank)[:most] if most else all_of_them
    return sorted(chosen, key=lambda mutant: mutant.line)


Path = tuple[tuple[str, int | None], ...]
"""The way from the root of a tree to a node: fields, and places in lists."""


@dataclass(frozen=True)
class _Place:
    """Where the walk is."""

    path: Path = ()
    where: tuple[str, ...] = ()
    statement: Path = ()
    function: tuple[str, int] | None = None


class _Finder:
    def __init__(self, file: str, tree: ast.Module) -> None:
        self.file = file
        self.tree = tree

    def find(self) -> Iterator[Mutant]:
        yield from self._block(self.tree.body, "body", _Place())

    # ---- the walk ----
    def _block(self, body: list[ast.stmt], field: str, place: _Place) -> Iterator[Mutant]:
        assigned: set[str] = set()
        for index, statement in enumerate(body):
            path = (*place.path, (field, index))
            here = _Place(path, place.where, path, place.function)
            yield from self._statement(statement, here, assigned)

    def _statement(self, node: ast.stmt, place: _Place, assigned: set[str]) -> Iterator[Mutant]:
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Assert)) or _is_docstring(node):
            return
        if isinstance(node, ast.If) and _is_for_checkers(node.test):
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from self._definition(node, place)
            return
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        if _may_go(node, assigned):
            yield self._mutant("deletion", place, lambda _: ast.Pass())
        if isinstance(node, (ast.Assign, ast.For)):
            assigned |= names
        if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield self._mutant("return", place, lambda _: ast.Return(ast.Constant(None)))
        if isinstance(node, ast.Break):
            yield self._mutant("jump", place, lambda _: ast.Continue())
        if isinstance(node, ast.Continue):
            yield self._mutant("jump", place, lambda _: ast.Break())
        if isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
            yield self._mutant("arithmetic", place, _other_arithmetic)
        for field, value in ast.iter_fields(node):
            if isinstance(node, ast.Raise) or field in ("annotation", "type_comment"):
                continue  # messages are not behaviour
            if field in ("body", "orelse", "finalbody") and isinstance(value, list):
                yield from self._block(value, field, place)
            elif field in ("handlers", "cases"):
                for index, branch in enumerate(value):
                    path = (*place.path, (field, index))
                    inner = _Place(path, place.where, place.statement, place.function)
                    yield from self._values("guard", getattr(branch, "guard", None), inner)
                    yield from self._block(branch.body, "body", inner)
            elif field in ("target", "targets"):
                continue
            else:
                yield from self._values(field, value, place)

    def _definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, place: _Place
    ) -> Iterator[Mutant]:
        where = (*place.where, node.name)
        inner = _Place(place.path, where, place.path, place.function)
        for index, decorator in enumerate(node.decorator_list):
            yield from self._expression(decorator, inner, ("decorator_list", index))
        if isinstance(node, ast.ClassDef):
            yield from self._block(node.body, "body", inner)
            return
        arguments = _Place((*place.path, ("args", None)), where, place.path, place.function)
        for field in ("defaults", "kw_defaults"):
            for index, value in enumerate(getattr(node.args, field)):
                if value is not None:
                    yield from self._expression(value, arguments, (field, index))
        function = place.function
        if function is None:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            function = (".".join(where), first)
        yield from self._block(node.body, "body", _Place(place.path, where, place.path, function))

    def _values(self, field: str, value: object, place: _Place) -> Iterator[Mutant]:
        if isinstance(value, ast.AST):
            yield from self._expression(value, place, (field, None))
        elif isinstance(value, list):
            for index, each in enumerate(value):
                if isinstance(each, ast.AST):
                    yield from self._expression(each, place, (field, index))

    def _expression(
        self, node: ast.AST, place: _Place, step: tuple[str, int | None]
    ) -> Iterator[Mutant]:
        here = _Place((*place.path, step), place.where, place.statement, place.function)
        if isinstance(node, ast.keyword) and node.arg in ASSERTIONS:
            return
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Field":
            return  # defaults and bounds of configurations are data
        for operator, change in _changes(node, step[0]):
            yield self._mutant(operator, here, change)
        for field, value in ast.iter_fields(node):
            if field not in ("format_spec", "annotation"):
                yield from self._values(field, value, here)

    # ---- what comes of it ----
    def _mutant(self, operator: str, place: _Place, change: Callable[[ast.AST], ast.AST]) -> Mutant:
        path, statement = place.path, place.statement

        def changed() -> ast.Module:
            tree = copy.deepcopy(self.tree)
            _put(tree, path, change(_get(tree, path)))
            return tree

        old, node = _get(self.tree, statement), _get(self.tree, path)
        assert isinstance(old, ast.stmt)
        inside, new = path[len(statement) :], copy.deepcopy(old)
        if inside:
            _put(new, inside, change(_get(new, inside)))
        else:
            new = change(new)  # type: ignore[assignment]
        return Mutant(
            self.file,
            operator,
            ".".join(place.where) or "module",
            _header(old),
            _header(new),
            getattr(node, "lineno", old.lineno),
            _lines(old),
            place.function is not None,
            place.function or ("", 0),
            changed,
        )


def _changes(node: ast.AST, field: str) -> Iterator[tuple[str, Callable[[ast.AST], ast.AST]]]:
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            for other in ORDER[type(operator)]:
                yield "comparison", _with_operator(index, other)
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        if not any(map(_is_text, (node.left, node.right))):
            yield "arithmetic", _other_arithmetic
    elif isinstance(node, ast.UnaryOp):
        if isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
            yield "negation", lambda each: each.operand  # type: ignore[attr-defined]
    elif isinstance(node, ast.BoolOp):
        yield "and/or", _other_junction
    elif isinstance(node, ast.Constant):
        for value in _other_constants(node.value):
            yield "constant", lambda _, value=value: ast.Constant(value)
    elif isinstance(node, ast.Slice):
        for name in ("lower", "upper"):
            bound = getattr(node, name)
            if bound is not None and not isinstance(bound, ast.Constant):
                yield "slice", _shifted(name)
    if field in ("test", "ifs") and not isinstance(node, (ast.Compare, ast.UnaryOp)):
        yield "negation", lambda each: ast.UnaryOp(ast.Not(), each)  # type: ignore[arg-type]


def _other_constants(value: object) -> tuple[object, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (1,) if value == 0 else (value + 1, value - 1)
    if isinstance(value, float):
        return (1.0,) if value == 0 else (0.0, 2 * value) if value == 1 else (2 * value,)
    return ()


def _with_operator(index: int, other: type[ast.cmpop]) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Compare)
        node.ops[index] = other()
        return node

    return change


def _other_arithmetic(node: ast.AST) -> ast.AST:
    assert isinstance(node, (ast.BinOp, ast.AugAssign))
    node.op = ARITHMETIC[type(node.op)]()
    return node


def _other_junction(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return node


def _shifted(name: str) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        bound = getattr(node, name)
        setattr(node, name, ast.BinOp(bound, ast.Add(), ast.Constant(1)))
        return node

    return change


def _may_go(node: ast.stmt, assigned: set[str]) -> bool:
    """Whether a statement can be left out without names missing afterwards."""
    if isinstance(node, (ast.AugAssign, ast.Raise, ast.Delete)):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, (ast.Call, ast.Yield, ast.YieldFrom))
    if isinstance(node, ast.Assign):
        return all(
            isinstance(each, (ast.Attribute, ast.Subscript))
            or (isinstance(each, ast.Name) and each.id in assigned)
            for each in node.targets
        )
    return False


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_for_checkers(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "__name__ == '__main__'")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _get(tree: ast.AST, path: Path) -> ast.AST:
    node: ast.AST = tree
    for field, index in path:
        value = getattr(node, field)
        node = value if index is None else value[index]
    return node


def _put(tree: ast.AST, path: Path, node: ast.AST) -> None:
    parent = _get(tree, path[:-1])
    field, index = path[-1]
    ast.copy_location(node, _get(tree, path))
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _header(node: ast.AST) -> str:
    """A statement as text, without the block that it may have."""
    bare = copy.deepcopy(node)
    for field in ("body", "orelse", "finalbody", "handlers"):
        if isinstance(getattr(bare, field, None), list):
            setattr(bare, field, [])
    for case in getattr(bare, "cases", ()):
        case.body = []
    if isinstance(bare, ast.Try):
        return "try:"
    text = ast.unparse(bare).strip()
    return text.removesuffix("\npass").strip()


def _lines(node: ast.stmt) -> range:
    """The lines of a statement, without its block."""
    body = getattr(node, "body", None)
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    if isinstance(body, list) and body:
        return range(first, max(body[0].lineno, first + 1))
    return range(first, (node.end_lineno or node.lineno) + 1)
