"""Values reach the database as parameters, never as part of the statement's text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value

CATEGORY: Category = "security"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = "No code builds an SQL statement from pieces of text."
HINT = "Use placeholders in the statement and pass the values separately: execute('… WHERE id = ?', (id,))."
ACTIVE = True
RUFF = ("S608",)
ENDINGS: tuple[str, ...] = (".py",)


class Options(Value):
    """Which calls run a statement."""

    calls: tuple[str, ...] = ("execute", "executemany", "executescript", "raw", "mogrify")
    """Names of methods whose first argument is a statement."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every statement that is built from pieces."""
    called = re.compile(rf"\.(?:{'|'.join(map(re.escape, options.calls))})\s*\(") if options.calls else None
    found = []
    for path in context.paths:
        if path.endswith(ENDINGS):
            said = [each for each in await context.ruff(path) if each.code in RUFF]
            found += [
                Violation(path, each.line, "a statement built from pieces of text", rule=each.code) for each in said
            ]
            # the tree is only walked where such a call can be
            module = context.module(path) if called and called.search(context.text(path)) else None
            seen = {each.line for each in said}
            found += [each for each in _built(module, path, options.calls) if each.line not in seen] if module else []
    return found


def _built(module: ast.Module, path: str, calls: tuple[str, ...]) -> Iterator[Violation]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in calls:
            statement = node.args[0] if node.args else None
            if statement is not None and _pieced(statement):
                message = f"{node.func.attr} is given a statement built from pieces of text"
                yield Violation(path, statement.lineno, message, rule="built-statement")


def _pieced(statement: ast.expr) -> bool:
    """Whether a text is put together from parts that are not all written here."""
    if isinstance(statement, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in statement.values)
    if isinstance(statement, ast.BinOp) and isinstance(statement.op, ast.Add | ast.Mod):
        parts = tuple(_operands(statement))
        return any(map(_text, parts)) and not all(isinstance(part, ast.Constant) for part in parts)
    if isinstance(statement, ast.Call) and isinstance(statement.func, ast.Attribute):
        return statement.func.attr in ("format", "format_map", "join") and _text(statement.func.value)
    if isinstance(statement, ast.Call) and statement.args:
        return isinstance(statement.func, ast.Name) and statement.func.id == "text" and _pieced(statement.args[0])
    return False


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """The parts of a sum of texts, from left to right."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        yield from _operands(node.left)
        yield from _operands(node.right)
    else:
        yield node


def _text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
