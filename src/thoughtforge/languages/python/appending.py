"""Tests added at the end of a Python test file: they must leave the tests above them exactly as they were."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DECORATORS = ("staticmethod", "classmethod", "property")
MARK = "pytest.mark."
HOOKS = {"setup", "teardown", "setUpModule", "tearDownModule", "load_tests", "collect_ignore", "collect_ignore_glob"}
HOOKS |= {f"{word}_{what}" for word in ("setup", "teardown") for what in ("module", "function")}
PLAIN = {"int", "float", "complex", "str", "bytes", "bool", "list", "tuple", "dict", "set", "frozenset", "range"}
"""What may be called while the file is read, besides what it imports."""
REACHING = {"sys", "builtins", "importlib", "gc", "inspect", "ctypes", "atexit", "operator", "types", "functools", "os"}
REACHING |= {"unittest", "pytest", "shutil", "subprocess", "threading", "signal", "runpy", "pkgutil", "warnings"}
"""Modules with which a call changes something elsewhere, under whatever name they are imported."""
HARMLESS = ("pytest.mark.", "pytest.param", "pytest.approx", "pytest.raises")
"""What may be called of them all the same."""
GIVEN = {"pytest", *DECORATORS}
"""Names that must mean what they always mean."""


def wrong_addition(base: str, added: str, tests: Collection[str]) -> tuple[str, ...]:
    """Everything in an addition that could reach the tests above it; `tests` are the names of test modules."""
    try:
        old, whole = ast.parse(base).body, ast.parse(base + added).body
        compile(base + added, "added", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return (f"the file cannot be read with it: {error}",)
    if [ast.dump(node) for node in whole[: len(old)]] != [ast.dump(node) for node in old]:
        return ("it goes on inside what stands at the end of the file; begin at the left margin",)
    new = whole[len(old) :]
    words, imported = frozenset(re.findall(r"\w+", base)), {name for node in whole for name in _callable(node)}
    problems = [problem for node in new for problem in _statement(node, tests)]
    bound = Counter(name for node in new for name in _bound(node))
    for name, often in bound.items():
        if often > 1:
            problems.append(f"{name} is added {often} times; only the last one would count")
        if name in words:
            problems.append(f"{name} occurs in the file already; use another name, or leave the import out")
        if name in HOOKS or name.startswith(("pytest_", "pytestmark", "__")):
            problems.append(f"{name} is read by the runner for the whole file")
    problems += [problem for node in new for problem in _taken(node, words)]
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


def _callable(node: ast.stmt) -> Iterator[str]:
    """The names an import binds, but those of modules that reach further and of what is in them."""
    module = (node.module or "").partition(".")[0] if isinstance(node, ast.ImportFrom) else ""
    if isinstance(node, ast.Import):
        alone = [(alias.name.partition(".")[0], alias.asname) for alias in node.names]
        yield from (other or name for name, other in alone if name not in REACHING)
    elif module not in REACHING:
        yield from _imported(node)


def _taken(node: ast.stmt, words: frozenset[str]) -> Iterator[str]:
    """Names that would mean something else from here on."""
    plain = isinstance(node, ast.Import) and all(alias.name == "pytest" and not alias.asname for alias in node.names)
    yield from (f"line {node.lineno}: {name} keeps its meaning" for name in _bound(node) if name in GIVEN and not plain)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Global) and (old := sorted(words & {*inner.names})):
            yield f"line {inner.lineno}: {', '.join(old)} is what the tests above use; no test gives it another value"


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
            yield f"line {one.lineno}: @{name or '…'} is not taken here; use it inside the test, or create a test file"


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
    if isinstance(node, ast.AnnAssign):
        yield node.annotation
    elif isinstance(node, ast.ClassDef):
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
        elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield f"line {node.lineno}: {ast.unparse(node)} is given no value"
        elif isinstance(node, ast.Call):
            name = _dotted(node.func)
            first, *rest = name.split(".")
            known = first in imported or name in PLAIN or name.startswith(HARMLESS)
            if not known or any(part.startswith("_") for part in rest):
                yield f"line {node.lineno}: call {name or 'it'} inside the test, not while the file is read"


def _dotted(node: ast.AST) -> str:
    """A plain dotted name; empty for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    inner = _dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if inner and isinstance(node, ast.Attribute) else ""
