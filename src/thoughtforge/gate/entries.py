"""The command line of a module: its `__main__` block, and the functions of the module that are called from there."""

from __future__ import annotations

import ast
from collections.abc import Iterable


def entry_lines(text: str) -> frozenset[int]:
    """The lines of it; none in a module without such a block."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError):
        return frozenset()
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    reached: list[ast.AST] = [node for node in module.body if isinstance(node, ast.If) and _is_main(node.test)]
    seen = {id(node) for node in reached}
    for node in reached:  # it grows while it is read
        for name in _called(node):
            called = functions.get(name)
            if called is not None and id(called) not in seen:
                seen.add(id(called))
                reached.append(called)
    return frozenset(line for node in reached for line in _lines(node))


def _is_main(test: ast.expr) -> bool:
    return "__name__" in ast.unparse(test) and "__main__" in ast.unparse(test)


def _called(node: ast.AST) -> Iterable[str]:
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return [call.id for call in calls if isinstance(call, ast.Name)]


def _lines(node: ast.AST) -> range:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None) or 0
    return range(first, last + 1)
