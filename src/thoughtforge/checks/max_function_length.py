"""No function is too long to see at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pydantic import Field

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value

CATEGORY: Category = "quality"
MOMENT: Moment = "stage_end"
SEVERITY: Severity = "minor"
DESCRIPTION = "No function has more lines than the limit, from `def` to its last line."
HINT = "Move a part that you can name into its own function."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py",)


class Options(Value):
    """The limit."""

    limit: int = Field(default=60, ge=1)
    """Lines in a function, its docstring included."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every function above the limit, by its full name."""
    found = []
    for path in context.paths:
        module = context.module(path) if path.endswith(ENDINGS) else None
        for name, node in _functions(module, "") if module else ():
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > options.limit:
                message = f"{name} has {lines} lines; the limit is {options.limit}"
                found.append(Violation(path, node.lineno, message, anchor=name))
    return found


def _functions(node: ast.AST, outer: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function below a node with the names it is in."""
    for child in ast.iter_child_nodes(node):
        name = outer
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}.{child.name}" if outer else child.name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield name, child
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _functions(child, name)
