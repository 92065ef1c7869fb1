"""A method either changes something or returns something.

This is Python and no row of library/checks/patterns.yaml: a rule of ast-grep stops at the first change it sees, but the
first one may be private and a later one not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatchcase

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value

CATEGORY: Category = "pattern"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "minor"
DESCRIPTION = "A method that changes its object or a global returns nothing; one that returns a value changes nothing."
HINT = "Split it: one method that makes the change, one that returns the value."
ACTIVE = False
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py",)

CHANGING = frozenset(
    ("add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse", "sort", "update")
)
"""Methods of the built-in collections that change them."""

Method = ast.FunctionDef | ast.AsyncFunctionDef
SEVERAL = (ast.Tuple, ast.List)


class Options(Value):
    """What may do both."""

    allowed: tuple[str, ...] = ("pop*", "next*", "take*", "get_or_*")
    """Names of methods that may do both; special methods such as `__next__` always may."""
    private: bool = False
    """Whether a change to an attribute that begins with `_`, such as a cache, counts."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every method that changes and answers."""
    found: list[Violation] = []
    for path in context.paths:
        module = context.module(path) if path.endswith(ENDINGS) else None
        for owner in _statements(module, inside=True) if module else ():
            if isinstance(owner, ast.ClassDef):
                methods = [node for node in owner.body if isinstance(node, Method)]
                found += [each for method in methods for each in _both(owner.name, method, path, options)]
    return found


def _both(owner: str, method: Method, path: str, options: Options) -> Iterator[Violation]:
    special = method.name.startswith("__") and method.name.endswith("__")
    if special or any(fnmatchcase(method.name, pattern) for pattern in options.allowed):
        return
    own = tuple(_statements(method, inside=False))
    if not any(isinstance(node, ast.Return) and _answers(node, _object(method)) for node in own):
        return
    names = [name for node in own if isinstance(node, ast.Global) for name in node.names]
    changed = [each for node in own for each in _changed(node, _object(method), names)]
    counted = [each for each in changed if options.private or not each.rpartition(".")[2].startswith("_")]
    if counted:
        name = f"{owner}.{method.name}"
        yield Violation(path, method.lineno, f"{name} changes {counted[0]} and returns a value", anchor=name)


def _statements(node: ast.AST, *, inside: bool) -> Iterator[ast.stmt]:
    """The statements below a node, with or without those of functions and classes inside it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        closed = isinstance(child, Method | ast.ClassDef) and not inside
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case) and not closed:
            yield from _statements(child, inside=inside)


def _object(method: Method) -> str:
    """What the method calls its object, usually `self`."""
    first = [*method.args.posonlyargs, *method.args.args][:1]
    return first[0].arg if first else ""


def _answers(node: ast.Return, owner: str) -> bool:
    """Whether a return says something; `return self` only lets calls be chained."""
    nothing = node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    return not nothing and not (isinstance(node.value, ast.Name) and node.value.id == owner)


def _changed(node: ast.stmt, owner: str, names: list[str]) -> Iterator[str]:
    """What a statement changes of the object or of the globals named."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value):
        targets = [node.target]
    parts = [part for target in targets for part in (target.elts if isinstance(target, SEVERAL) else (target,))]
    for name in map(_root, (*parts, *_emptied(node))):
        if name.startswith(f"{owner}.") or name in names:
            yield name


def _emptied(node: ast.stmt) -> Iterator[ast.expr]:
    """The collection a statement changes by calling one of its methods."""
    value = getattr(node, "value", None)
    call = value.value if isinstance(value, ast.Await) else value
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in CHANGING:
        yield call.func.value


def _root(node: ast.expr) -> str:
    """`self.items[0]` and `self.items` are both `self.items`."""
    if isinstance(node, ast.Subscript | ast.Starred):
        return _root(node.value)
    if isinstance(node, ast.Attribute):
        inner = _root(node.value)
        return inner if "." in inner else f"{inner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
