"""The text of one collected test and of nothing beside it: by the syntax tree for Python, by indentation elsewhere."""

from __future__ import annotations

import ast
import re

Function = ast.FunctionDef | ast.AsyncFunctionDef
OPENING, CLOSING = "{", ")]}"


def body(test: str, text: str) -> str:
    """What stands in a test, its decorators included; empty when its name leads nowhere in its file."""
    path, _, rest = test.partition("::")
    names = rest.partition("[")[0].split("::")
    if path.endswith(".py"):
        return _python(names, text)
    return _indented(names[-1].rpartition(" > ")[2].strip(), text)


def _python(names: list[str], text: str) -> str:
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


def _function(tree: ast.Module, names: list[str]) -> Function | None:
    """The function its names lead to; one that a class inherits is the only one of that name in the file."""
    scope: ast.AST | None = tree
    for name in names:
        scope = _named(scope, name) if scope is not None else None
    if isinstance(scope, Function):
        return scope
    alike = [node for node in ast.walk(tree) if isinstance(node, Function) and node.name == names[-1]]
    return alike[0] if len(alike) == 1 else None


def _named(scope: ast.AST, name: str) -> ast.AST | None:
    """What the name means in a scope: the last definition of it there, also below an `if` or a `try`."""
    found = None
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, Function | ast.ClassDef):
            found = _named(node, name) or found
        elif node.name == name:
            found = node
    return found


def _remark(line: str, column: int) -> bool:
    """A comment after the last statement that is still indented as part of the function."""
    return line.lstrip().startswith("#") and _indent(line) > column


def _indented(name: str, text: str) -> str:
    """From the line that names the test to the line that closes it, or to the next that is indented no deeper."""
    lines = text.splitlines()
    word = re.escape(name)
    here = re.compile(rf"(?<!\w){word}\s*\(|([\"'`]){word}\1")
    start = next((at for at, line in enumerate(lines) if here.search(line)), None) if name else None
    if start is None:
        return ""
    kept = [lines[start]]
    for line in lines[start + 1 :]:
        if line.strip() and _indent(line) <= _indent(lines[start]) and not line.lstrip().startswith(OPENING):
            return "\n".join([*kept, line] if line.lstrip()[0] in CLOSING else kept)
        kept.append(line)
    return "\n".join(kept)


def _indent(line: str) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())
