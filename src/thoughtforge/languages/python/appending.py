"""Tests added at the end of a Python test file: they must leave the tests above them exactly as they were."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DECORATORS = ("staticmethod", "classmethod", "property")
MARK = "pytest.mark."
HOOKS = {"setup", "teardown", "setUpModule", "tearDownModule", "load_tests", "collect_ignore", "collect_ignore_glob"}
HOOKS |= {f"{word}_{what}" for word in ("setup", "teardown") for what in ("module", "function")}
PLAIN = {"int", "float", "complex", "str", "bytes", "bool", "list", "tuple", "dict", "set", "frozenset", "range"}
"""What may be called while the file is read, besides what it imports."""
REACHING = {"sys", "builtins", "importlib", "gc", "inspect", "ctypes", "atexit", "operator", "types", "functools", "os"}
"""Modules with which a call changes something elsewhere."""


def wrong_addition(base: str, added: str, tests: Collection[str]) -> tuple[str, ...]:
    """Everything in an addition that could reach the tests above it; `tests` are the names of test modules."""
    try:
        old, whole = ast.parse(base).body, ast.parse(base + added).body
    except (SyntaxError, ValueError) as error:
        return (f"the file cannot be read with it: {error}",)
    if [ast.dump(node) for node in whole[: len(old)]] != [ast.dump(node) for node in old]:
        return ("it goes on inside what stands at the end of the file; begin at the left margin",)
    new = whole[len(old) :]
    words, imported = frozenset(re.findall(r"\w+", base)), {name for node in whole for name in _imported(node)}
    problems = [problem for node in new for problem in _statement(node, tests)]
    for name in (name for node in new for name in _bound(node)):
        if name in words:
            problems.append(f"{name} occurs in the file already; use another name, or leave the import out")
        if name in HOOKS or name.startswith(("pytest_", "pytestmark", "__")):
            problems.append(f"{name} is read by the runner for the whole file")
    called = {problem for node in new for one in _run_at_once(node) for problem in _calls(one, imported)}
    return tuple(dict.fromkeys([*problems, *sorted(called)]))


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))
    yield from _imported(node)


def _imported(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _statement(node: ast.stmt, tests: Collection[str]) -> Iterator[str]:
    """What is wrong with a statement at the left margin."""
    if isinstance(node, FUNCTIONS):
        yield from _decorated(node)
    elif isinstance(node, ast.ClassDef):
        yield from _class(node)
    elif isinstance(node, ast.ImportFrom):
        if node.level or node.module in tests or any(alias.name == "*" for alias in node.names):
            yield f"line {node.lineno}: import no names of other test files; they could be fixtures"
    elif not (isinstance(node, ast.Import) or _constant(node)):
        yield f"line {node.lineno}: only tests, functions, classes, imports and constants can be added"


def _constant(node: ast.stmt) -> bool:
    """Whether a statement only gives a literal value to names, or is a text."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    try:
        ast.literal_eval(node.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return all(isinstance(target, ast.Name) for target in targets)


def _decorated(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[str]:
    for one in node.decorator_list:
        name = _dotted(one.func if isinstance(one, ast.Call) else one)
        if name not in DECORATORS and not name.startswith(MARK):
            yield f"line {one.lineno}: @{name or '…'} is not taken here; a fixture goes into a file of its own"


def _class(node: ast.ClassDef) -> Iterator[str]:
    yield from _decorated(node)
    if node.keywords:
        yield f"line {node.lineno}: {node.name} takes no keywords"
    for inner in node.body:
        if isinstance(inner, FUNCTIONS):
            yield from _decorated(inner)
        elif not (isinstance(inner, ast.Pass) or _constant(inner)):
            yield f"line {inner.lineno}: a class that is added holds functions and constants only"


def _run_at_once(node: ast.stmt) -> Iterator[ast.AST]:
    """What runs while the file is read."""
    if isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases)
        for inner in node.body:
            yield from _run_at_once(inner)
    elif isinstance(node, FUNCTIONS):
        arguments = node.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
        yield from (*node.decorator_list, *arguments.defaults)
        yield from (one for one in arguments.kw_defaults if one)
        yield from (one.annotation for one in every if one and one.annotation)
        yield from ([node.returns] if node.returns else [])


def _calls(root: ast.AST, imported: Collection[str]) -> Iterator[str]:
    """What an expression does besides making a value."""
    for node in ast.walk(root):
        if isinstance(node, ast.NamedExpr):
            yield f"line {node.lineno}: no name is given a value inside an expression"
        elif isinstance(node, ast.Call):
            name = _dotted(node.func)
            first, *rest = name.split(".")
            known = (first in imported and first not in REACHING) or name in PLAIN
            if not known or any(part.startswith("_") for part in rest):
                yield f"line {node.lineno}: call {name or 'it'} inside the test, not while the file is read"


def _dotted(node: ast.AST) -> str:
    """A plain dotted name; empty for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    inner = _dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if inner and isinstance(node, ast.Attribute) else ""
