"""The text of one Python test and of nothing beside it, by the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Sequence

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def body(names: Sequence[str], text: str) -> str:
    """What stands in a test, its decorators included; empty when its names lead nowhere."""
    try:
        found = _function(ast.parse(text), names)
    except (SyntaxError, ValueError):
        return ""
    if found is None:
        return ""
    lines = text.splitlines()
    first = min([found.lineno, *(one.lineno for one in found.decorator_list)])
    last = found.end_lineno or found.lineno
    while last < len(lines) and _remark(lines[last], found.col_offset):
        last += 1
    return "\n".join(lines[first - 1 : last])


def _function(tree: ast.Module, names: Sequence[str]) -> Definition | None:
    """The function its names lead to; one that a class inherits is the only one of that name in the file."""
    scope: ast.AST | None = tree
    for name in names:
        scope = _named(scope, name) if scope is not None else None
    if isinstance(scope, Definition):
        return scope
    alike = [node for node in ast.walk(tree) if isinstance(node, Definition) and node.name == names[-1]]
    return alike[0] if len(alike) == 1 else None


def _named(scope: ast.AST, name: str) -> ast.AST | None:
    """What the name means in a scope: the last definition of it there, also below an `if` or a `try`."""
    found = None
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, Definition | ast.ClassDef):
            found = _named(node, name) or found
        elif node.name == name:
            found = node
    return found


def _remark(line: str, column: int) -> bool:
    """A comment after the last statement that is still indented as part of the function."""
    return line.lstrip().startswith("#") and _indent(line) > column


def _indent(line: str) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())
